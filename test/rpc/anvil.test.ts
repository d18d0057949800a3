/** The node's adapters against a real node. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { compile } from "../../demo/chain/compile.ts"
import { createContracts, type DemoChain, deployDemoChain } from "../../demo/chain/deploy.ts"
import { traffic } from "../../demo/chain/traffic.ts"
import { sourceOf } from "../../src/adapters/rpc/chain/RpcChainSource.ts"
import { bloomOfReceipts, receiptsRootOf } from "../../src/adapters/rpc/chain/receiptsRoot.ts"
import { balancesOf } from "../../src/adapters/rpc/contracts/RpcNativeBalances.ts"
import * as RpcTokenMetadata from "../../src/adapters/rpc/contracts/RpcTokenMetadata.ts"
import * as RpcContractOrigins from "../../src/adapters/rpc/origins/RpcContractOrigins.ts"
import { makeClient } from "../../src/adapters/rpc/transport/client.ts"
import { topics } from "../../src/domain/ingest/decode/topics.ts"
import type { Log } from "../../src/model/block.ts"
import { ChainId, type Hash } from "../../src/model/primitives.ts"
import { ContractOrigins } from "../../src/ports/ContractOrigins.ts"
import { TokenMetadata } from "../../src/ports/TokenMetadata.ts"
import { address, hash } from "../support/chain/testChain.ts"
import { startAnvil, type TestNode } from "../support/nodes/anvil.ts"
import { failureOf, run } from "./node.ts"

const anvilId = ChainId.make("31337")

let node: TestNode
let chain: DemoChain
beforeAll(async () => {
  node = await startAnvil()
  chain = await deployDemoChain(node.url)
  const blocks = traffic(7, chain)
  for (let mined = 0; mined < 20; mined++) await node.mine(blocks.next().value!)
})
afterAll(() => node?.stop())

const client = () => makeClient([node.url], { concurrency: 4 })

test("heads, headers and their chain are those of the node", async () => {
  const source = sourceOf({ client: client(), each: [], chain: { chainId: anvilId } })
  expect<string>(await run(source.chainId)).toBe("31337")
  const head = await run(source.head)
  const headers = await run(source.headers([...Array(head.number + 2).keys()]))
  expect(headers.at(-1)).toBeUndefined()
  expect(headers.at(-2)).toEqual(head)
  for (const header of headers.slice(1, -1)) expect(header!.parentHash).toBe(headers[header!.number - 1]!.hash)
})

test("native balances are those after the block asked for, and a block to come has none", async () => {
  const burnt = address(0xb0a7)
  const balanceOf = (block: number) => run(balancesOf(client(), [burnt, address(0xbeef)], block))
  const before = await node.head()
  await node.rpc("anvil_setBalance", [burnt, `0x${(10n ** 27n + 1n).toString(16)}`])
  await node.mineEmpty(1)
  expect(await balanceOf(before + 1)).toEqual([10n ** 27n + 1n, 0n])
  expect(await balanceOf(before - 1)).toEqual([0n, 0n])
  expect((await failureOf(balancesOf(client(), [burnt], before + 1000))).message).toContain("eth_getBalance")
})

test("receipts give the root and the bloom in their block's header, and prove its logs, of one transaction and of hundreds", async () => {
  const [from] = chain.accounts
  await node.mine(Array.from({ length: 300 }, () => ({ from: from!, to: from!, value: 1n })))
  const number = await node.head()
  const source = sourceOf({ client: client(), each: [], chain: { chainId: anvilId, swaps: true } })
  const headers = (await run(source.headers([...Array(number + 1).keys()]))).map((header) => header!)
  const logs = await run(source.logs(0, number))
  const roots = await Promise.all(
    headers.map(async ({ receipts }, block) => {
      const given = await node.rpc<ReadonlyArray<unknown>>("eth_getBlockReceipts", [`0x${block.toString(16)}`])
      return (
        receipts === undefined || (receiptsRootOf(given) === receipts.root && bloomOfReceipts(given) === receipts.bloom)
      )
    }),
  )
  expect(roots).toEqual(headers.map(() => true))
  expect(headers.at(-1)!.receipts!.count).toBe(300)
  const marked = headers.filter(({ receipts }) => receipts !== undefined)
  const proofs = await run(source.prove!(marked))
  const proven = proofs.flatMap((proof) => (proof !== undefined && "logs" in proof ? proof.logs : []))
  const bare = (log: Log) => ({ ...log, logIndex: undefined })
  expect(proven.map(bare)).toEqual(logs.map(bare))
})

test("logs by range and by hash are the same", async () => {
  const source = sourceOf({ client: client(), each: [], chain: { chainId: anvilId } })
  const { number } = await run(source.head)
  const headers = await run(source.headers([...Array(number + 1).keys()]))
  const ranged = await run(source.logs(0, number))
  const byHash = await run(source.logsOfBlocks([...headers.map((header) => header!.hash), hash("no block")]))
  expect(ranged.length).toBeGreaterThan(50)
  expect(byHash.at(-1)).toBeUndefined()
  expect(byHash.slice(0, -1).flatMap((logs) => logs!)).toEqual([...ranged])
  for (const { blockNumber, blockHash } of ranged) {
    expect(blockHash).toBe(headers[blockNumber]!.hash)
  }
  const known = new Set<string>(Object.values(topics))
  expect(ranged.filter((log) => !known.has(log.topics[0]!))).toEqual([])
})

test("logs of some tokens are theirs alone", async () => {
  const { dollar } = chain.tokens
  const source = sourceOf({ client: client(), each: [], chain: { chainId: anvilId, tokens: [dollar] } })
  const logs = await run(source.logs(0, await node.head()))
  expect(logs.length).toBeGreaterThan(0)
  expect(new Set(logs.map(({ address }) => address))).toEqual(new Set([dollar]))
})

test("logs beyond the head are no empty answer", async () => {
  const head = await node.head()
  const error = await failureOf(
    sourceOf({ client: client(), each: [], chain: { chainId: anvilId } }).logs(head, head + 5),
  )
  expect(error._tag).toBe("SourceUnavailable")
})

test("contracts are described in their own words, accounts and strangers not at all", async () => {
  const { ticket, old } = chain.tokens
  expect(await run(RpcTokenMetadata.describe(client(), [ticket, chain.accounts[0]!, old, chain.batch]))).toEqual([
    { name: "Night Train Ticket", symbol: "TICKET", decimals: 0 },
    {},
    { name: "Old Maker", symbol: "OLD", decimals: 18 },
    {},
  ])
})

describe("the ports", () => {
  const chains = () => [{ chainId: anvilId, rpcUrls: [node.url], rpcConcurrency: 4 }]
  /** A creation in a block of its own, as the node tells it. */
  const create = async (name: string) => {
    const [address] = await createContracts(node.url, await compile("test/support/contracts"), [{ name }])
    const block = await node.rpc<{ timestamp: string; transactions: [Hash] }>("eth_getBlockByNumber", ["latest", false])
    return { address: address!, txHash: block.transactions[0], time: Number(block.timestamp), block: await node.head() }
  }

  test("tell who made a contract, asked together with one that nobody can tell", async () => {
    const made = await create("SelfMinting")
    const born = { address: made.address, firstBlock: made.block, firstTxHash: made.txHash }
    const find = ContractOrigins.use((origins) =>
      origins.find(anvilId, [born, { ...born, firstTxHash: hash("another transaction") }]),
    )
    expect(await run(find.pipe(Effect.provide(RpcContractOrigins.layer(chains()))))).toEqual([
      { txHash: made.txHash, time: made.time },
      undefined,
    ])
  })

  test("tell what a collection and its ids say of themselves", async () => {
    const { address } = await create("Gallery")
    const asked = TokenMetadata.use((metadata) =>
      Effect.all([
        metadata.describe(anvilId, [address]),
        metadata.tokenUris(anvilId, [
          { token: address, tokenId: "1" },
          { token: address, tokenId: "3" },
        ]),
      ]),
    )
    expect(await run(asked.pipe(Effect.provide(RpcTokenMetadata.layer(chains()))))).toEqual([
      [{ name: "Gallery", symbol: "ART" }],
      ["ipfs://work/1.json", undefined],
    ])
  })

  test("are built for the chains that are configured, and no other", async () => {
    const find = ContractOrigins.use((origins) => origins.find(ChainId.make("1"), []))
    const exit = await run(Effect.exit(find.pipe(Effect.provide(RpcContractOrigins.layer(chains())))))
    expect(JSON.stringify(exit)).toContain("Die")
  })
})
