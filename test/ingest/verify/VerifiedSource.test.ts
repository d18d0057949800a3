/** What is believed of a node, and what is kept of it: by the process, and by an opened ledger. */
import { expect, test } from "bun:test"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { makeVerifiedSource, type VerifiedSettings } from "../../../src/domain/ingest/verify/VerifiedSource.ts"
import { type ChainTraits, makeChainTraits } from "../../../src/domain/ingest/verify/verifier.ts"
import { ChainId, Hash } from "../../../src/model/primitives.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { FakeNode, type Faults } from "../../support/nodes/fakeNode.ts"

const [coin, alice, bob] = [address(0x70), address(0xa), address(0xb)]

/** Blocks 0 to 9; those of even numbers hold a log. */
const newChain = () => {
  const chain = new TestChain()
  for (let number = 0; number < 10; number++) chain.block(number % 2 === 0 ? [transfer(coin, alice, bob, 1n)] : [])
  return chain
}
const newest = (chain: TestChain, from: number) => chain.blocks.slice(from).map(({ header }) => header)
const headersOf = (node: FakeNode, numbers: ReadonlyArray<number>) =>
  Effect.map(node.headers(numbers), (headers) => headers.map((header) => header!))

const sourceOf = (node: FakeNode, traits: ChainTraits, settings: Partial<VerifiedSettings> = {}) => {
  const report = { problem: () => undefined, noticed: () => Effect.void, refused: () => Effect.void }
  const genesisHash = node.chain.blocks[0]!.header.hash
  return makeVerifiedSource({
    node,
    chainId: ChainId.make("1"),
    traits,
    report,
    genesisHash,
    everyHeader: false,
    ...settings,
  })
}

const run = <Value, Failure>(effect: Effect.Effect<Value, Failure>): Promise<Value> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(effect)
      for (let passed = 0; passed < 10_000; passed += 50) yield* TestClock.adjust(50)
      return yield* Fiber.join(fiber)
    }).pipe(Effect.provide([TestClock.layer(), Logger.layer([])])),
  )

const scene = (faults: Faults = {}) => {
  const chain = newChain()
  const node = new FakeNode(chain, faults)
  const traits = makeChainTraits()
  return { chain, node, traits, source: sourceOf(node, traits) }
}

test("the newest blocks' logs are asked for once, until they are forgotten; another opened ledger asks anew", async () => {
  const { chain, node, traits, source } = scene()
  const blocks = newest(chain, 6)
  expect((await run(source.newest.read(blocks))).logs.map(({ blockNumber }) => blockNumber)).toEqual([6, 8])
  // Twice: a block is said to be empty twice before it is believed.
  expect(node.calls.splice(0)).toEqual(["logsOfBlocks 4", "logsOfBlocks 2"])
  await run(source.newest.read(blocks))
  expect(node.calls.splice(0)).toEqual(["logsOfBlocks 2", "logsOfBlocks 2"])
  source.newest.forget(blocks)
  await run(source.newest.read(blocks))
  expect(node.calls.splice(0)).toEqual(["logsOfBlocks 4", "logsOfBlocks 2"])
  await run(sourceOf(node, traits).newest.read(blocks))
  expect(node.calls).toEqual(["logsOfBlocks 4", "logsOfBlocks 2"])
})

test("behind a lag empty blocks are asked six times, until as many blocks as are near the head came without another", async () => {
  let asked = 0
  const { chain, node, traits, source } = scene({ hides: (number) => number === 2 && asked++ === 0 })
  traits.nearHeadBlocks = 4
  const timesAsked = async (...numbers: ReadonlyArray<number>) => {
    const blocks = numbers.map((number) => chain.blocks[number]!.header)
    await run(source.newest.read(blocks))
    source.newest.forget(blocks)
    return node.calls.splice(0).length
  }
  expect(await timesAsked(1)).toBe(2)
  // Its logs came at the second question. Both blocks count.
  expect(await timesAsked(2, 3)).toBe(6)
  expect(await timesAsked(5)).toBe(6)
  expect(await timesAsked(7)).toBe(6)
  expect(await timesAsked(9)).toBe(2)
})

test("blooms that were seen to be reliable spare the second question, also after the ledger was opened again", async () => {
  const { node, traits, source } = scene({ bloom: "true" })
  const read = await run(Effect.flatMap(headersOf(node, [6, 7, 8, 9]), source.newest.read))
  expect(read.headers.map(({ number }) => number)).toEqual([6, 7, 8, 9])
  node.calls.length = 0
  await run(Effect.flatMap(headersOf(node, [1, 2, 3]), sourceOf(node, traits).newest.read))
  expect(node.calls).toEqual(["headers 1,2,3", "logsOfBlocks 3"])
})

test("logs that a bloom shows and the node holds back stop at their block; those before it are believed", async () => {
  const { node, source } = scene({ bloom: "true", others: ["second"], hides: (number) => number === 8 })
  const read = await run(Effect.flatMap(headersOf(node, [6, 7, 8, 9]), source.newest.read))
  expect(read.headers.map(({ number }) => number)).toEqual([6, 7])
  const refused = await run(Effect.flip(Effect.flatMap(headersOf(node, [8, 9]), source.newest.read)))
  expect(refused.message).toBe(
    "block 8: 0 token logs came, asked again it holds 1; it is not stored until the answers agree",
  )
  expect(node.calls.filter((call) => call === "failover")).toHaveLength(2)
})

test("a range's answer is believed with the headers of its ends, of blocks with logs and of possibly-empty ones", async () => {
  const { node, source } = scene()
  const range = { from: 3, to: 9 }
  const answer = await run(Effect.orDie(source.answerOfRange(range, 9)))
  expect([answer.logs.length, answer.possiblyEmpty]).toEqual([3, [9]])
  const believed = await run(source.believeRange({ ...range, answer, known: new Map(), denied: new Map() }))
  expect([believed.first.number, believed.head.number, believed.logs.length]).toEqual([3, 9, 3])
  expect(believed.logs.map(believed.timeOf)).toEqual([4, 6, 8].map((it) => node.chain.blocks[it]!.header.time))
  expect(node.calls).toEqual(["logs 3-9", "headers 3,4,6,8,9", "logsOfBlocks 1", "logsOfBlocks 1"])
})

test("with VERIFY=full of every block, and what no header fits is refused", async () => {
  const { chain, node, traits } = scene()
  const source = sourceOf(node, traits, { everyHeader: true })
  const range = { from: 0, to: 4 }
  const answer = await run(Effect.orDie(source.answerOfRange(range, 100_000)))
  const other = { ...answer, logs: answer.logs.map((log) => ({ ...log, blockHash: chain.blocks[9]!.header.hash })) }
  const refused = await run(
    Effect.flip(source.believeRange({ ...range, answer: other, known: new Map(), denied: new Map() })),
  )
  expect([refused.kind, refused.message]).toEqual(["fork", "logs and header of block 0 disagree"])
  expect(node.calls).toEqual(["logs 0-4", "headers 0,1,2,3,4"])
})

test("a node of another chain is told by its first block, and by its chain id where that is asked for", async () => {
  const { node, traits, source } = scene({ chainId: ChainId.make("5") })
  await run(source.checkGenesis)
  expect((await run(Effect.flip(source.checkIdentity))).kind).toBe("chain")
  const other = sourceOf(node, traits, { genesisHash: Hash.make(`0x${"1".repeat(64)}`) })
  expect((await run(Effect.flip(other.checkGenesis))).kind).toBe("genesis")
})
