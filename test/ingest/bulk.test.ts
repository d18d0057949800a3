/** When a first sync is loaded in bulk, and when it is appended for people to see. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { chooseWay, finishLoad } from "../../src/domain/ingest/backfill/bulk.ts"
import type { Density } from "../../src/domain/ingest/backfill/density.ts"
import type { FollowState } from "../../src/domain/ingest/state/FollowState.ts"
import { type BulkLoading, LedgerUnavailable } from "../../src/ports/Ledger.ts"
import { hash } from "../support/chain/testChain.ts"

interface Case {
  readonly bulk?: "auto" | "on" | "off"
  /** Logs a block of 10,000 blocks; undefined = the node would not say. */
  readonly logsPerBlock?: number
  readonly stored?: boolean
  readonly loading?: boolean
  readonly incapable?: boolean
  /** The node answers no look at all. */
  readonly silent?: boolean
}

const begins = async ({ bulk, logsPerBlock, stored, loading, incapable, silent }: Case): Promise<boolean> => {
  let begun = false
  const state = {
    settings: { chainId: "1", ...(bulk && { bulk }) },
    ledger: {
      checkpoint: () => ({
        nextBlock: 0,
        firstBlock: 0,
        finalizedBlock: -1,
        ...(stored && { head: { number: 0, hash: hash("0"), parentHash: hash("1"), time: 0 } }),
      }),
      ...(incapable !== true && {
        bulk: {
          isLoading: () => loading === true,
          begin: Effect.sync(() => {
            begun = true
          }),
        },
      }),
    },
  } as unknown as FollowState
  const density: Density | undefined =
    logsPerBlock === undefined ? undefined : { from: 0, to: 9999, logsPerBlock: [logsPerBlock] }
  await Effect.runPromise(chooseWay(state, { density: silent ? Effect.never : Effect.succeed(density) }))
  return begun
}

test("a chain of many logs is loaded in bulk, a small one is not: it answers from its first seconds", async () => {
  expect(await begins({ logsPerBlock: 25 })).toBe(true)
  expect(await begins({ logsPerBlock: 24 })).toBe(false)
  expect(await begins({ bulk: "auto", logsPerBlock: 1000 })).toBe(true)
})

test("where nobody knows how many logs there are, they are appended", async () => {
  expect(await begins({})).toBe(false)
  expect(await begins({ silent: true })).toBe(false)
})

test("the setting decides, where it is not auto", async () => {
  expect(await begins({ bulk: "on" })).toBe(true)
  expect(await begins({ bulk: "on", silent: true })).toBe(true)
  expect(await begins({ bulk: "off", logsPerBlock: 1000 })).toBe(false)
})

test("only an empty ledger is loaded, once, of a store that can", async () => {
  expect(await begins({ bulk: "on", stored: true })).toBe(false)
  expect(await begins({ bulk: "on", loading: true })).toBe(false)
  expect(await begins({ bulk: "on", incapable: true })).toBe(false)
})

test("how far a load is cannot be read for a while: it goes on, and its phase is told as soon as it can", async () => {
  const steps = ["deriving", "indexing"] as const
  const phases: Array<string> = []
  let [asked, derived] = [0, 0]
  const loading: BulkLoading = {
    isLoading: () => true,
    takesRows: () => false,
    begin: Effect.void,
    derive: Effect.sync(() => ++derived < 3),
    progress: Effect.suspend(() =>
      asked++ === 0
        ? Effect.fail(new LedgerUnavailable({ cause: new Error("the pool is full") }))
        : Effect.succeed({ step: steps[derived - 1]!, done: 0 }),
    ),
  }
  const report = { phase: (phase: string) => void phases.push(phase) }
  await Effect.runPromise(finishLoad({ report } as unknown as FollowState, loading))
  expect(derived).toBe(3)
  expect(phases).toEqual([...steps, "backfill"])
})
