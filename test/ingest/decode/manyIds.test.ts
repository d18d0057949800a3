/** ERC-2309 hands over thousands of ids for the gas of one: neither a block of them nor a range of such blocks is more than is held at once. */
import { expect, test } from "bun:test"
import { mostIds, withoutRoom } from "../../../src/domain/ingest/decode/consecutive.ts"
import { sortLogs } from "../../../src/domain/ingest/decode/sorting.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { address, consecutiveTransfer, TestChain, type TestEvent, transfer } from "../../support/chain/testChain.ts"
import { FakeNode } from "../../support/nodes/fakeNode.ts"
import { inWorld } from "../world.ts"

const [honest, small, flood, coin, alice] = [0x71, 0x72, 0x73, 0x74, 0xa].map((number) => address(number))
const contracts = { wrappedNative: new Set<never>(), poolManagers: new Set<never>(), swaps: false }
const perLog = 5000

/** Ids from zero on, 5,000 a log. */
const idsOf = (token: typeof honest, count: number): ReadonlyArray<TestEvent> =>
  Array.from({ length: Math.ceil(count / perLog) }, (_, place) => {
    const first = place * perLog
    return consecutiveTransfer(token!, zeroAddress, alice!, BigInt(first), BigInt(Math.min(count, first + perLog) - 1))
  })

const rowsOf = (sorted: ReturnType<typeof sortLogs>) => {
  const rows = new Map<string, number>()
  for (const { event, log } of sorted.nfts)
    if (event.kind === "nftTransfer") rows.set(log.address, (rows.get(log.address) ?? 0) + event.units.length)
  return rows
}

test("where a block has too many ids those of the contracts with the most are counted and left out, in whatever order", () => {
  const chain = new TestChain().block([
    ...idsOf(flood, mostIds - 9000),
    ...idsOf(honest, 10_000),
    ...idsOf(small, 2),
    transfer(coin!, zeroAddress, alice!, 1n),
  ])
  const { logs } = chain.blocks[0]!
  for (const order of [logs, logs.toReversed(), [...logs.slice(20), ...logs.slice(0, 20)]]) {
    const sorted = sortLogs(order, contracts)
    expect([rowsOf(sorted).get(flood!), rowsOf(sorted).get(honest!), rowsOf(sorted).get(small!)]).toEqual([
      undefined,
      10_000,
      2,
    ])
    expect([sorted.malformed, sorted.odd.length, sorted.moving.length]).toEqual([39, 39, 1])
  }
})

test("a block of exactly as many has room, and blocks are not counted together", () => {
  const chain = new TestChain().block(idsOf(flood, mostIds)).block(idsOf(flood, mostIds))
  expect(withoutRoom(chain.blocks.flatMap(({ logs }) => logs)).size).toBe(0)
})

test("ids of tokens that are not followed take no room", () => {
  const chain = new TestChain().block([...idsOf(flood, mostIds), ...idsOf(honest, 10_000)])
  const sorted = sortLogs(chain.blocks[0]!.logs, { ...contracts, tokens: new Set([flood!]) })
  expect(rowsOf(sorted)).toEqual(new Map([[flood!, mostIds]]))
})

/** What the ledger is given, which does not keep the ids. */
const watching = (given: Array<readonly [from: number, to: number, ids: number]>) => (writer: LedgerWriter) => {
  const note = <Segment extends Parameters<LedgerWriter["append"]>[0]>(segment: Segment): Segment => {
    given.push([segment.fromBlock, segment.toBlock, segment.nfts.length])
    return { ...segment, nfts: [] }
  }
  return {
    ...writer,
    append: (segment) => writer.append(note(segment)),
    extend: (segment) => writer.extend(note(segment)),
  } satisfies LedgerWriter as LedgerWriter
}

for (const [where, finality] of [
  ["far below the head", 1],
  ["near the head", 50],
] as const) {
  test(`a range of blocks full of ids is taken in as many blocks as have room, ${where}`, async () => {
    const chain = new TestChain()
    for (let block = 0; block < 24; block++) chain.block(block % 4 === 1 ? idsOf(flood, mostIds - 5000) : [])
    const given: Array<readonly [number, number, number]> = []
    const settings = { finality, rpcConcurrency: 1 }
    await inWorld({ node: new FakeNode(chain, { mostBlocks: 100 }), settings, wrapWriter: watching(given) }, (world) =>
      world.until(() => world.status().indexedBlock === 23),
    )
    const full = given.filter(([, , ids]) => ids > 0)
    expect(full.map(([, , ids]) => ids)).toEqual(Array.from({ length: 6 }, () => mostIds - 5000))
    // Each block once, without a gap.
    expect(given.map(([from]) => from)).toEqual([0, ...given.slice(0, -1).map(([, to]) => to + 1)])
    expect(given.at(-1)![1]).toBe(23)
  })
}
