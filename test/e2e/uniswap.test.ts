/** Uniswap's own contracts on a real node: every swap made is the row served, and the pool's balances are the judge. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { encodeFunctionData, parseAbi } from "viem"
import { encode } from "../../demo/chain/abi.ts"
import type { Address } from "../../demo/chain/address.ts"
import type { Transaction } from "../../demo/chain/blocks.ts"
import { compile } from "../../demo/chain/compile.ts"
import { createContracts, type DemoChain, deployDemoChain } from "../../demo/chain/deploy.ts"
import { traffic } from "../../demo/chain/traffic.ts"
import { startAnvil, type TestNode } from "../support/nodes/anvil.ts"
import { openTemporaryFolder, testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"

const borrowerAbi = parseAbi([
  "function borrow(address pair, uint256 out0, uint256 out1, address token, uint256 amount)",
  "function boast()",
])
const whole = 10n ** 18n
const dollars = 10n ** 6n
const most = 2n ** 256n - 1n

let node: TestNode
let chain: DemoChain
let service: Service
let borrower: Address
let impostor: Address
let folder: string | undefined

beforeAll(async () => {
  await Promise.all(["demo/contracts", "test/support/contracts"].map(compile))
  node = await startAnvil()
  chain = await deployDemoChain(node.url)
  const opening = traffic(1, chain)
  for (let mined = 0; mined < 3; mined++) await node.mine(opening.next().value!)
  const [shell, dollar] = chain.pairs[0].tokens
  const [token0, token1] = shell < dollar ? [shell, dollar] : [dollar, shell]
  const args = `0x${[token0, token1, chain.factory].map((each) => each.slice(2).padStart(64, "0")).join("")}` as const
  const created = await createContracts(node.url, await compile("test/support/contracts"), [
    { name: "Borrower" },
    { name: "Impostor", args },
  ])
  borrower = created[0]!
  impostor = created[1]!
  await node.mine([shell, dollar].map((to) => ({ from: trader(), to, data: encode("approve", [borrower, most]) })))
  folder = openTemporaryFolder("cowry-uniswap-")
  const facts = { factories: { [chain.factory]: { dex: "Demo V2", kind: "v2" }, [chain.poolFactory]: v3 } }
  writeFileSync(join(folder, "cowry.json"), JSON.stringify({ chains: { 31337: facts } }), { mode: 0o644 })
  service = await startService({
    COWRY_CONFIG: join(folder, "cowry.json"),
    DATABASE_URL: await testDatabase(),
    RPC_URL_31337: node.url,
    WRAPPED_NATIVE_31337: chain.tokens.wrapped,
    POLL_MS_31337: "50",
    FINALITY_31337: "20",
  })
})
afterAll(async () => {
  await service?.stop()
  await node?.stop()
  if (folder !== undefined) rmSync(folder, { recursive: true })
})

const v3 = { dex: "Demo V3", kind: "v3", deployer: "Demo Labs" }
const trader = () => chain.accounts[0]!

interface Row {
  readonly txHash: string
  readonly timestamp: string
  readonly price: number
  readonly tokenIn: string
  readonly tokenOut: string
  readonly tokenInQty: string
  readonly tokenOutQty: string
}
type Page = {
  readonly items: ReadonlyArray<Row>
  readonly link: { readonly next?: string; readonly nextToken?: string }
}

const feed = "/v2/network/mainnet/evm/31337/erc20-swaps"
const indexed = async () => {
  const { hash } = await node.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false])
  await service.indexed("31337", hash)
}

/** One swap, alone in its block, at a pool of two tokens. */
interface Swap {
  readonly name: string
  readonly at: { readonly address: Address; readonly tokens: readonly [Address, Address] }
  readonly transaction: Transaction
  readonly made: { readonly dex: string; readonly sourceDeployer: string }
  /** It moves nothing one way or the other. */
  readonly idle?: boolean
}

const swaps = (): ReadonlyArray<Swap> => {
  const [[shells, tolls], pool] = [chain.pairs, chain.pool]
  const { shell, dollar, toll, wrapped } = chain.tokens
  const from = trader()
  const v2Made = { dex: "Demo V2", sourceDeployer: chain.factory }
  const v3Made = { dex: "Demo V3", sourceDeployer: "Demo Labs" }
  const trade = (name: string, at: Swap["at"], paid: Address, amount: bigint): Swap => {
    const data = encode("trade", [at.address, paid, amount, from])
    return { name, at, transaction: { from, to: chain.trader, data }, made: v2Made }
  }
  const tradeAt = (name: string, paid: Address, amount: bigint): Swap => {
    const data = encode("tradeAt", [pool.address, paid, amount, from])
    return { name, at: pool, transaction: { from, to: chain.trader, data }, made: v3Made }
  }
  const isFirst = shell < dollar
  const borrow = (name: string, out: bigint, token: Address, amount: bigint): Swap => {
    const args = [shells.address, isFirst ? out : 0n, isFirst ? 0n : out, token, amount] as const
    const data = encodeFunctionData({ abi: borrowerAbi, functionName: "borrow", args })
    return { name, at: shells, transaction: { from, to: borrower, data }, made: v2Made }
  }
  return [
    trade("V2, one way", shells, shell, 100n * whole),
    trade("V2, the other way", shells, dollar, 7n * dollars + 1n),
    trade("V2, paid with a token that takes a fee on the way", tolls, toll, 55n * whole),
    trade("V2, paid for a token that takes a fee on the way", tolls, wrapped, whole / 100n),
    borrow("V2, taken first and paid with the other token", 3n * whole, dollar, 2n * dollars),
    { ...borrow("V2, lent and given back in kind", 3n * whole, shell, 4n * whole), idle: true },
    tradeAt("V3, so much WETH", wrapped, whole / 50n),
    tradeAt("V3, so many dollars", dollar, 30n * dollars),
    tradeAt("V3, WETH for so many dollars", wrapped, -5n * dollars),
    tradeAt("V3, dollars for so much WETH", dollar, -whole / 1000n),
    { ...tradeAt("V3, too little for a dollar's smallest part", wrapped, 1n), idle: true },
    trade("V2, next to nothing", shells, shell, 3n * 10n ** 12n),
  ]
}

/** What the pool held more and less of after the block than before it, of its two tokens. */
const changesOf = async ({ address, tokens }: Swap["at"], block: number) => {
  const balance = async (token: Address, at: number) => {
    const data = `0x70a08231${address.slice(2).padStart(64, "0")}`
    return BigInt(await node.rpc("eth_call", [{ to: token, data }, `0x${at.toString(16)}`]))
  }
  return Promise.all(
    tokens.map(async (token) => ({ token, change: (await balance(token, block)) - (await balance(token, block - 1)) })),
  )
}

/** The row that the pool's balances demand, but for its price. */
const rowOf = async ({ at, made }: Swap, block: number) => {
  const { transactions, timestamp } = await node.rpc<{ transactions: ReadonlyArray<string>; timestamp: string }>(
    "eth_getBlockByNumber",
    [`0x${block.toString(16)}`, false],
  )
  const changes = await changesOf(at, block)
  const paid = changes.find(({ change }) => change > 0n)!
  const got = changes.find(({ change }) => change < 0n)!
  const decimalsOf = (token: Address) => (token === chain.tokens.dollar ? 6 : 18)
  return {
    chainId: "31337",
    txHash: transactions[0]!,
    timestamp: new Date(Number(timestamp) * 1000).toISOString(),
    ...made,
    tokenIn: paid.token,
    tokenOut: got.token,
    tokenInQty: String(paid.change),
    tokenOutQty: String(-got.change),
    tokenInDecimals: decimalsOf(paid.token),
    tokenOutDecimals: decimalsOf(got.token),
  }
}

const expectPrice = ({ price, tokenInQty, tokenOutQty }: Row, decimalsIn: number, decimalsOut: number) => {
  const exact = Number(tokenOutQty) / 10 ** decimalsOut / (Number(tokenInQty) / 10 ** decimalsIn)
  expect(Math.abs(price / exact - 1)).toBeLessThan(1e-12)
}

/** The block and the log of each row, newest first, as its own cursor names them. */
const placesOf = async (count: number) => {
  const places: Array<readonly [number, number]> = []
  let path = `${feed}?limit=1`
  for (let row = 0; row < count; row++) {
    const { link } = await service.get<Page>(path)
    if (link.next === undefined) break
    // The key in base64url, and 11 characters of checksum.
    const key = JSON.parse(Buffer.from(link.nextToken!.slice(0, -11), "base64url").toString("utf8")) as Array<number>
    places.push([key[2]!, key[3]!])
    path = link.next
  }
  return places
}

test("every swap made is the row served: who paid, what, the price, the block and the log", async () => {
  const made = swaps()
  const first = (await node.head()) + 1
  // A contract that says it is a pair of the factory, which denies it.
  const boast = { from: trader(), to: impostor, data: encodeFunctionData({ abi: borrowerAbi, functionName: "boast" }) }
  for (const { transaction } of made) await node.mine([transaction, boast])
  for (let block = first; block < first + made.length; block++) {
    const { transactions } = await node.rpc<{ transactions: ReadonlyArray<string> }>("eth_getBlockByNumber", [
      `0x${block.toString(16)}`,
      false,
    ])
    for (const hash of transactions) {
      const { status } = await node.rpc<{ status: string }>("eth_getTransactionReceipt", [hash])
      expect([made[block - first]!.name, status]).toEqual([made[block - first]!.name, "0x1"])
    }
  }
  const truth = await Promise.all(
    made.flatMap((swap, index) => (swap.idle === true ? [] : [rowOf(swap, first + index)])),
  )
  await indexed()
  const { items } = await service.get<Page>(`${feed}?sort=asc&limit=1000`)
  expect(items.map(({ price: _, ...row }) => row)).toEqual(truth as never)
  for (const [index, row] of items.entries()) {
    expectPrice(row, truth[index]!.tokenInDecimals, truth[index]!.tokenOutDecimals)
  }
  const logs = await node.rpc<ReadonlyArray<{ blockNumber: string; logIndex: string; address: string }>>(
    "eth_getLogs",
    [{ fromBlock: `0x${first.toString(16)}`, toBlock: "latest", topics: [swapSignatures] }],
  )
  const idle = new Set(made.flatMap((swap, index) => (swap.idle === true ? [first + index] : [])))
  const places = logs
    .filter(({ address, blockNumber }) => address !== impostor && !idle.has(Number(blockNumber)))
    .map(({ blockNumber, logIndex }) => [Number(blockNumber), Number(logIndex)] as const)
    .toReversed()
  // The last row has no cursor behind it.
  expect(await placesOf(100)).toEqual(places.slice(0, -1))
})

const swapSignatures = [
  "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
]

test("swaps in blocks that are replaced go, and those that replace them come", async () => {
  const before = (await service.get<Page>(`${feed}?sort=asc&limit=1000`)).items
  const [shells] = chain.pairs
  const { shell } = chain.tokens
  const data = encode("trade", [shells.address, shell, 11n * whole, trader()])
  await node.reorg(2, [{ from: trader(), to: chain.trader, data }])
  await indexed()
  const after = (await service.get<Page>(`${feed}?sort=asc&limit=1000`)).items
  // The last two blocks held one idle swap and one other.
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1))
  const swap = { ...swaps()[0]!, at: shells }
  const { price: _, ...row } = after.at(-1)!
  expect(row).toEqual((await rowOf(swap, (await node.head()) - 1)) as never)
  expect(row.tokenInQty).toBe(String(11n * whole))
})
