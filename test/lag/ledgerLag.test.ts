/** How far a ledger is behind: what is known, and when nobody knows. */
import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { blocksBehind, whyNotNewest } from "../../src/domain/lag/ledgerLag.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { type ChainSyncStatus, SyncStatus } from "../../src/ports/SyncStatus.ts"
import { syncStatus } from "../http/support.ts"

const chainId = ChainId.make("1")
const head = { chainId, blockNumber: 100, nodeHead: 100, time: 0 }
/** Steady milliseconds: an hour. */
const now = 3_600_000

const ask = (status: Partial<ChainSyncStatus> | undefined, at: Partial<typeof head> = {}, most?: number) => {
  const found = status && syncStatus("1", { headBlock: 100, indexedBlock: 100, heardAt: now, ...status })
  const told = Layer.succeed(SyncStatus, { list: () => [], find: () => found, update: () => {} })
  const asked = Effect.andThen(TestClock.adjust(now), whyNotNewest({ ...head, ...at }, most))
  return Effect.runPromise(asked.pipe(Effect.provide([told, TestClock.layer()])))
}

const may = "the ledger may be behind its chain: "
test.each<[string, Partial<ChainSyncStatus> | undefined, string | undefined]>([
  ["a chain that nobody tells of", undefined, undefined],
  ["a quiet chain whose node is heard", { heardAt: now - 1000 }, undefined],
  ["a chain of which it is not known when its node was heard", { heardAt: undefined as never }, undefined],
  ["a node that fell silent just now", { heardAt: now - 32_000 }, undefined],
  ["a silent node", { heardAt: now - 32_001 }, `${may}no word from the node for 32 s`],
  ["a node that is asked once an hour", { heardAt: 0, pollMs: 3_600_000 }, undefined],
  [
    "a silent process that follows the chain",
    { heardAt: 0, elsewhere: true },
    `${may}no word from the process that follows it, or from its node, for 3600 s`,
  ],
  ["a chain that is not followed any more", { phase: "stopped" }, `${may}it is not followed at the moment`],
  ["another that waits: another process writes", { phase: "waiting" }, undefined],
  [
    "a node that never answered",
    { phase: "waiting", headBlock: undefined as never, heardAt: undefined as never },
    `${may}its node has not told its newest block yet`,
  ],
  ["a node some blocks ahead", { headBlock: 110 }, undefined],
  ["a node far ahead of what its writer stored", { headBlock: 111 }, "the ledger is 11 blocks behind its chain"],
  ["a node that fell back", { headBlock: 89 }, `${may}its node's newest block is 89, and the ledger has 100`],
  ["what was told of a fast chain a moment ago", { headBlock: 50, indexedBlock: 50, elsewhere: true }, undefined],
])("%s", async (_, status, wanted) => {
  expect(await ask(status)).toBe(wanted)
})

test("a fast chain's blocks of the last seconds are being stored: the newest there is may be some more", async () => {
  const newest = now / 1000
  expect(await ask({ headBlock: 112 }, { time: newest - 10 })).toBeUndefined()
  expect(await ask({ headBlock: 112 }, { time: newest - 11 })).toBe("the ledger is 12 blocks behind its chain")
  // Of one announced head a batch took a part.
  expect(await ask({ headBlock: 112 }, { time: newest, nodeHead: 140 })).toBeUndefined()
  // A block of the future tells of a clock that is wrong.
  expect(await ask({ headBlock: 112 }, { time: newest + 11 })).toBe("the ledger is 12 blocks behind its chain")
})

test("the last word of the ledger itself counts too, and the bound is whoever's who asks", async () => {
  expect(await ask(undefined, { nodeHead: 111 })).toBe("the ledger is 11 blocks behind its chain")
  expect(await ask(undefined, { nodeHead: 111 }, 11)).toBeUndefined()
  expect(blocksBehind({ blockNumber: 100, nodeHead: 102 }, { headBlock: 105 })).toBe(5)
  expect(blocksBehind({ blockNumber: 100, nodeHead: 102 }, { headBlock: 99 })).toBe(2)
})
