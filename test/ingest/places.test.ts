/** What is believed of a transaction's place in its block, and of the blocks that a stored ledger was made of. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { makeVerifiedSource } from "../../src/domain/ingest/verify/VerifiedSource.ts"
import { makeChainTraits } from "../../src/domain/ingest/verify/verifier.ts"
import { zeroAddress } from "../../src/model/primitives.ts"
import type { ReceiptsProof, SourceHeader } from "../../src/ports/ChainSource.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { address, hash, TestChain, transfer } from "../support/chain/testChain.ts"
import { FakeNode } from "../support/nodes/fakeNode.ts"
import { chainId, inWorld } from "./world.ts"

const token = address(0x70)
const chainOfBlocks = (length: number, salt = "", chain = new TestChain()) => {
  while (chain.nextBlock < length)
    chain.block([transfer(token, zeroAddress, address(0xa), 5n), transfer(token, address(0xa), address(0xb), 1n)], {
      salt,
    })
  return chain
}

/** Reads block 1 of a node whose logs say `told` of their transactions' places, and whose receipts are as they are. */
const readPlaces = async (told: number | undefined, isOrdered: boolean) => {
  const chain = chainOfBlocks(2)
  const [, block] = chain.blocks
  const node = new FakeNode(chain, { logs: (logs) => logs.map((log) => ({ ...log, txIndex: told })) })
  const proof: ReceiptsProof = {
    logs: block!.logs,
    indexed: true,
    isOrdered,
    transactions: new Map([
      [hash("no logs"), 0],
      ...block!.logs.map(({ txHash }, place) => [txHash, place + 1] as const),
    ]),
  }
  const noticed: Array<string> = []
  const source = makeVerifiedSource({
    node: Object.assign(node, { prove: () => Effect.succeed([proof]) }),
    chainId,
    genesisHash: chain.blocks[0]!.header.hash,
    traits: makeChainTraits(),
    report: {
      problem: () => undefined,
      noticed: (kind, message) => Effect.sync(() => void noticed.push(`${kind} ${message}`)),
      refused: () => Effect.void,
    },
    everyHeader: false,
  })
  const header: SourceHeader = {
    ...block!.header,
    receipts: { root: hash("root"), count: 3, bloom: `0x${"f".repeat(512)}` },
  }
  const { logs } = await Effect.runPromise(source.newest.read([header]))
  return { places: logs.map(({ txIndex }) => txIndex), noticed }
}

test("a place that the receipts' root proves is taken, whatever the logs say of it, and what they say is noted", async () => {
  expect(await readPlaces(undefined, true)).toEqual({ places: [1, 2], noticed: [] })
  const { places, noticed } = await readPlaces(2, true)
  expect(places).toEqual([1, 2])
  expect(noticed).toEqual([
    expect.stringMatching(/^order block 1: transaction 0x\w+ is number 1 by its receipts, its logs say 2$/),
  ])
})

test("receipts that show no order prove no place: what the logs say stays, nothing where they say nothing", async () => {
  expect(await readPlaces(7, false)).toEqual({ places: [7, 7], noticed: [] })
  expect(await readPlaces(undefined, false)).toEqual({ places: [undefined, undefined], noticed: [] })
})

let store: TestStore
beforeEach(async () => {
  store = await openStore(async () => MemoryStore.layer)
})
afterEach(() => store.close())

const stopped = (node: FakeNode) =>
  inWorld({ node, store }, (world) =>
    Effect.gen(function* () {
      yield* world.until(() => world.status().phase === "stopped")
      return { problem: world.status().problem, writes: world.writes }
    }),
  )

test("a node whose final blocks are others than the ledger was made of stops the chain before anything is read of it", async () => {
  const chain = chainOfBlocks(600)
  await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
  const other = new FakeNode(chainOfBlocks(620, "other", chainOfBlocks(400)))
  const { problem, writes } = await stopped(other)
  expect(problem).toMatch(/^the node's block 512 is 0x\w+, the stored one 0x\w+\..* run: cowry resync 1$/)
  expect(writes).toEqual([])
  expect(other.calls.filter((call) => call.startsWith("logs"))).toEqual([])
})

test("one that has the ledger's newest blocks and others far below is of no chain either; it goes on once it has them", async () => {
  const chain = chainOfBlocks(600)
  await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
  const node = new FakeNode(chain)
  const headers = node.headers.bind(node)
  let lies = true
  node.headers = (numbers) =>
    Effect.map(headers(numbers), (found) =>
      found.map((header) => (lies && header?.number === 256 ? { ...header, hash: hash("another") } : header)),
    )
  await inWorld({ node, store }, (world) =>
    Effect.gen(function* () {
      yield* world.until(() => world.status().phase === "stopped")
      expect(world.status().problem).toContain(`the node's block 256 is ${hash("another")}`)
      lies = false
      chainOfBlocks(610, "", chain)
      yield* world.caughtUp(chain)
    }),
  )
})

test("a node that says so once, or has these blocks no more, is followed", async () => {
  const chain = chainOfBlocks(600)
  await inWorld({ node: new FakeNode(chain), store }, (world) => world.caughtUp(chain))
  for (const answer of [hash("once"), undefined]) {
    const node = new FakeNode(chain)
    const headers = node.headers.bind(node)
    let left = answer === undefined ? Number.POSITIVE_INFINITY : 1
    node.headers = (numbers) =>
      Effect.map(headers(numbers), (found) => {
        if (!numbers.includes(256) || left-- <= 0) return found
        return found.map((header) =>
          header === undefined || answer === undefined ? undefined : { ...header, hash: answer },
        )
      })
    chainOfBlocks(chain.nextBlock + 5, "", chain)
    await inWorld({ node, store }, (world) => world.caughtUp(chain))
  }
})
