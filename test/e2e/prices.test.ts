/** Uniswap's own contracts on a real node: a token with a deep pool that is overpaid, a thin one and one full of parked dollars has the honest price. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { encodeFunctionData, parseAbi } from "viem"
import { encode } from "../../demo/chain/abi.ts"
import { compile } from "../../demo/chain/compile.ts"
import { type DemoChain, deployDemoChain } from "../../demo/chain/deploy.ts"
import { createPool, liquidityOf, type Pool, rootPrice, widest } from "../../demo/chain/pools.ts"
import { traffic } from "../../demo/chain/traffic.ts"
import type { Erc20Token } from "../../src/model/token.ts"
import type { Erc20Transfer } from "../../src/model/transfer.ts"
import { liquidityOfOne } from "../support/chain/positions.ts"
import { comparePoints } from "../support/judge/walletJudge.ts"
import { startAnvil, type TestNode } from "../support/nodes/anvil.ts"
import { openTemporaryFolder, testDatabase } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"

const whole = 10n ** 18n
const dollars = 10n ** 6n
/** A full hour. */
const start = Math.floor(Date.now() / 3_600_000) * 3600 - 7200
const root = "/v2/network/mainnet/evm/31337"

let node: TestNode
let chain: DemoChain
let thin: Pool
/** Few dollars are in range, very many parked where no swap comes. */
let parked: Pool
let service: Service
let databaseUrl: string
let folder: string | undefined
let time = start

const later = (seconds: number): number => {
  time += seconds
  return time
}
const mine = (transactions: Parameters<TestNode["mine"]>[0], seconds: number) => node.mine(transactions, later(seconds))

beforeAll(async () => {
  await compile("demo/contracts")
  node = await startAnvil({ args: ["--timestamp", `${start}`] })
  chain = await deployDemoChain(node.url, later(10))
  later(10)
  // SHELL and USDD: 50,000 for 20,000, so 40 cents. WETH and USDD: 2000 dollars.
  const opening = traffic(1, chain)
  for (let mined = 0; mined < 3; mined++) await mine(opening.next().value!, 12)
  const { accounts, tokens, trader, poolFactory } = chain
  thin = await createPool(node.url, accounts[0]!, poolFactory, [tokens.shell, tokens.dollar], later(12))
  const [amount0, amount1] = thin.tokens.map((it) => (it === tokens.dollar ? 2_000n * dollars : 50n * whole)) as [
    bigint,
    bigint,
  ]
  await mine([{ from: accounts[0]!, to: thin.address, data: encode("initialize", [rootPrice(amount0, amount1)]) }], 12)
  const data = encode("provideAt", [thin.address, ...widest, liquidityOf(amount0, amount1)])
  await mine([{ from: accounts[0]!, to: trader, data }], 12)
  parked = await parkDollars()
  folder = openTemporaryFolder("cowry-prices-")
  const facts = {
    wrappedNative: { address: tokens.wrapped, mintedBy: "Deposit" },
    anchors: { [tokens.dollar]: { symbol: "USDD" } },
    factories: { [chain.factory]: { dex: "V2", kind: "v2" }, [poolFactory]: { dex: "V3", kind: "v3" } },
  }
  writeFileSync(join(folder, "cowry.json"), JSON.stringify({ chains: { 31337: facts } }), { mode: 0o644 })
  databaseUrl = await testDatabase()
  service = await startService({
    COWRY_CONFIG: join(folder, "cowry.json"),
    DATABASE_URL: databaseUrl,
    RPC_URL_31337: node.url,
    POLL_MS_31337: "50",
    FINALITY_31337: "1",
    PRICE_MIN_DEPTH: "1000",
    PRICE_SECONDS: "1",
  })
})
afterAll(async () => {
  await service?.stop()
  await node?.stop()
  if (folder !== undefined) rmSync(folder, { recursive: true })
})

/** A pool of SHELL and USDD at a hundred times the price: 240 dollars and as much of SHELL around it, 60,000 dollars far from it. */
const parkDollars = async (): Promise<Pool> => {
  const { accounts, tokens, trader, poolFactory } = chain
  const from = accounts[0]!
  const pool = await createPool(node.url, from, poolFactory, [tokens.shell, tokens.dollar], later(12), 500)
  const isFirst = pool.tokens[0] === tokens.dollar
  const [amount0, amount1] = isFirst ? [40n * dollars, whole] : [whole, 40n * dollars]
  await mine([{ from, to: pool.address, data: encode("initialize", [rootPrice(amount0, amount1)]) }], 12)
  const tick = Math.round(Math.log(Number(amount1) / Number(amount0)) / Math.log(1.0001) / 10) * 10
  // Dollars are on the side of the price on which SHELL costs less.
  const away = (near: number, far: number) =>
    isFirst ? ([tick + near, tick + far] as const) : ([tick - far, tick - near] as const)
  const provided = [
    { range: [tick - 30, tick + 30] as const, amount: 240n * dollars, dollarsIn: away(0, 30) },
    { range: away(6000, 12_000), amount: 60_000n * dollars, dollarsIn: away(6000, 12_000) },
  ]
  await mine(
    provided.map(({ range, amount, dollarsIn }) => ({
      ...{ from, to: trader },
      data: encode("provideAt", [pool.address, ...range, liquidityOfOne(isFirst, amount, dollarsIn)]),
    })),
    12,
  )
  return pool
}

const swapAbi = parseAbi(["function swap(uint256 out0, uint256 out1, address to, bytes data)"])
/** Pays 1.01 dollars into the deep pair, and takes a ten-thousandth of a SHELL: the pair logs that as a swap. */
const overpay = () => {
  const { accounts, pairs, tokens } = chain
  const [from, pair] = [accounts[0]!, pairs[0].address]
  const out = whole / 10_000n
  const outs = tokens.shell < tokens.dollar ? ([out, 0n] as const) : ([0n, out] as const)
  return [
    { from, to: tokens.dollar, data: encode("transfer", [pair, 1_010_000n]) },
    { from, to: pair, data: encodeFunctionData({ abi: swapAbi, functionName: "swap", args: [...outs, from, "0x"] }) },
  ]
}

/** Trades both ways in every pool, a block each; those of the thin one and of the one with parked dollars at a hundred times the price. */
const trade = async () => {
  const { accounts, pairs, pool, trader, tokens } = chain
  const from = accounts[0]!
  const at = (address: string, token: string, amount: bigint) => ({
    from,
    to: trader,
    data: encode("trade", [address as `0x${string}`, token as `0x${string}`, amount, from]),
  })
  const atPool = (address: string, token: string, amount: bigint) => ({
    from,
    to: trader,
    data: encode("tradeAt", [address as `0x${string}`, token as `0x${string}`, amount, from]),
  })
  const odd = (time / 60) % 2 < 1
  await mine(
    [
      at(pairs[0].address, odd ? tokens.shell : tokens.dollar, odd ? 25n * whole : 10n * dollars),
      atPool(pool.address, odd ? tokens.wrapped : tokens.dollar, odd ? whole / 200n : 10n * dollars),
      atPool(thin.address, odd ? tokens.shell : tokens.dollar, odd ? whole : 40n * dollars),
      atPool(parked.address, odd ? tokens.shell : tokens.dollar, odd ? whole / 2n : 20n * dollars),
      ...overpay(),
      ...overpay(),
    ],
    30,
  )
  await mine(overpay(), 30)
}

const tokenOf = async (address: string) =>
  (await service.get<{ items: ReadonlyArray<Erc20Token> }>(`${root}/erc20?limit=100`)).items.find(
    (it) => it.address === address,
  )
/** Asks until what is found is no more undefined. */
const until = async <A>(find: () => Promise<A | undefined>): Promise<A> => {
  for (const deadline = Date.now() + 60_000; ; await pause(50)) {
    const found = await find()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`not found in time:\n${service.output().slice(-4000)}`)
  }
}
const dollarsOf = (price: string) => Number(price) / 1e18

test("the deep pool's price is the token's, the native's way to dollars is a pool, and a dollar is a dollar", async () => {
  const { shell, dollar, wrapped, ticket } = chain.tokens
  for (let block = 0; block < 12; block++) await trade()
  const priced = await until(async () => {
    const found = await tokenOf(shell)
    return found?.price === undefined || (await tokenOf(wrapped))?.price === undefined ? undefined : found
  })
  // The fee of 0.3 % and what the trades move.
  expect(dollarsOf(priced.price!)).toBeGreaterThan(0.39)
  expect(dollarsOf(priced.price!)).toBeLessThan(0.41)
  expect(priced.marketCap).toBe(String((BigInt(priced.price!) * BigInt(priced.totalSupply!)) / whole))
  const native = dollarsOf((await tokenOf(wrapped))!.price!)
  expect(native).toBeGreaterThan(1950)
  expect(native).toBeLessThan(2050)
  expect((await tokenOf(dollar))!.price).toBe(String(whole))
  expect((await tokenOf(ticket))!.price).toBeUndefined()
  const { items } = await service.get<{ items: ReadonlyArray<Erc20Token> }>(`${root}/erc20?sort=marketCap&limit=3`)
  expect(items.map(({ address }) => address)).toEqual([dollar, shell, wrapped])
})

test("dollars parked out of range make no price, though they are three times those of the honest pool", async () => {
  const { tokens, pairs } = chain
  const heldBy = async (pool: string) => {
    const data = `0x70a08231${pool.slice(2).padStart(64, "0")}`
    return Number(await node.rpc("eth_call", [{ to: tokens.dollar, data }, "latest"])) / 1e6
  }
  const [lie, honest] = [await heldBy(parked.address), await heldBy(pairs[0].address)]
  expect([lie > 60_000, lie / honest > 2.9]).toEqual([true, true])
  // It has traded as often, at forty dollars.
  type Swaps = { readonly items: ReadonlyArray<{ readonly tokenIn: string; readonly price: number }> }
  const { items } = await service.get<Swaps>(`${root}/erc20-swaps?limit=1000&tokenIn=${tokens.shell}`)
  expect(items.filter(({ price }) => price > 35 && price < 45).length).toBeGreaterThanOrEqual(5)
  const price = dollarsOf((await tokenOf(tokens.shell))!.price!)
  expect([price > 0.39, price < 0.41]).toEqual([true, true])
})

test("nor do swaps that pay a dollar for dust, three of them to each honest one", async () => {
  const { tokens } = chain
  type Swaps = { readonly items: ReadonlyArray<{ readonly price: number }> }
  const query = `tokenIn=${tokens.dollar}&tokenOut=${tokens.shell}`
  const { items } = await service.get<Swaps>(`${root}/erc20-swaps?limit=1000&${query}`)
  expect(items.filter(({ price }) => price < 0.0002).length).toBe(3 * 12)
  const price = dollarsOf((await tokenOf(tokens.shell))!.price!)
  expect([price > 0.39, price < 0.41]).toEqual([true, true])
})

test("a transfer is worth what its token cost when its hour began", async () => {
  const { accounts, tokens } = chain
  const data = encode("transfer", [accounts[5]!, 5n * whole])
  await mine([{ from: accounts[0]!, to: tokens.shell, data }], start + 3605 - time)
  for (let block = 0; block < 3; block++) await mine([], 12)
  const query = `${root}/erc20-transfers?limit=1&tokenAddress=${tokens.shell}`
  const worth = await until(
    async () => (await service.get<{ items: ReadonlyArray<Erc20Transfer> }>(query)).items[0]?.amountInUsd,
  )
  expect(Number(worth)).toBeGreaterThan(1.95)
  expect(Number(worth)).toBeLessThan(2.05)
  expect(worth).toMatch(/^\d+\.\d{1,18}$/)
})

test("each point of a portfolio is what balanceOf at its block makes with the published prices", async () => {
  const { accounts, tokens } = chain
  const judged = { url: node.url, root, service }
  const held = [tokens.shell, tokens.dollar, tokens.wrapped, tokens.ticket]
  type History = { readonly items: ReadonlyArray<{ readonly timestamp: string }> }
  const historyOf = async (token: string) =>
    (await service.get<History>(`${root}/erc20/${token}/price/history?limit=1000`)).items
  await until(async () => (await historyOf(tokens.shell))[0])
  // That a dollar is one is written behind what it says of tokens, and left for the next look where the node was silent.
  const first = new Date(start * 1000).toISOString()
  await until(async () => (await historyOf(tokens.dollar)).find(({ timestamp }) => timestamp <= first))
  for (const account of accounts.slice(0, 3)) {
    const blocks = await comparePoints(
      judged,
      account,
      held,
      `interval=block&limit=9&blockNumberFrom=3`,
      tokens.wrapped,
    )
    expect(blocks.differences).toEqual([])
    expect(blocks.points).toBeGreaterThan(0)
    const hours = await comparePoints(judged, account, held, "interval=1h&sort=asc", tokens.wrapped)
    expect(hours.differences).toEqual([])
    expect(hours.valued).toBeGreaterThan(0)
  }
  type Ready = { readonly chains: ReadonlyArray<{ readonly prices?: { readonly hoursLeft: number } }> }
  expect((await service.get<Ready>("/ready")).chains[0]!.prices).toEqual({ hoursLeft: 0 })
})

interface Waiting {
  readonly chains?: ReadonlyArray<{ readonly problem?: string }>
}

test("a second process that knows no anchors takes no price away, nor the worth of a transfer", async () => {
  const { tokens } = chain
  const priceOf = async () => (await service.get<{ readonly price?: string }>(`${root}/erc20/${tokens.shell}`)).price
  const query = `${root}/erc20-transfers?limit=1&tokenAddress=${tokens.shell}`
  const worthOf = async () => (await service.get<{ items: ReadonlyArray<Erc20Transfer> }>(query)).items[0]?.amountInUsd
  const other = await startService({
    ...{ DATABASE_URL: databaseUrl, RPC_URL_31337: node.url, POLL_MS_31337: "50", PRICE_SECONDS: "1" },
    // The ledger is one with it: without it there would be nothing to wait for.
    WRAPPED_NATIVE_31337: tokens.wrapped,
  })
  try {
    // It has come as far as it comes: it waits for the ledger, beside which prices are kept.
    await until(async () => {
      const ready = (await (await fetch(`${other.url}/ready`)).json()) as Waiting
      return ready.chains?.[0]?.problem?.startsWith("waiting for the ledger") || undefined
    })
    const before = await until(priceOf)
    const worth = await until(worthOf)
    // Both would look each second: what the one takes away the other would give back.
    const seen = new Set<string>()
    for (let look = 0; look < 60; look++) {
      seen.add((await priceOf()) ?? "none")
      await pause(50)
    }
    expect([...seen]).toEqual([before])
    expect(await worthOf()).toBe(worth)
  } finally {
    await other.stop()
  }
})
