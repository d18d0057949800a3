/** Whom the ledger that is written wakes, and when: who asks about tokens waits until the blocks behind a load are there. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { makeOpenLedger } from "../../src/domain/ingest/state/OpenLedger.ts"
import type { Report } from "../../src/domain/ingest/status/report.ts"
import type { Segment } from "../../src/model/event.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"

const rows = { movements: [], nfts: [], swaps: [], pools: [] }
const [empty, moving] = [rows, { ...rows, movements: [{}] }] as unknown as readonly [Segment, Segment]

/** A ledger whose load takes so many steps, and whether somebody was woken since it was last asked. */
const opened = async (steps: number) => {
  let left = steps
  const writer = {
    checkpoint: Effect.sync(() => ({ nextBlock: 7 })),
    append: () => Effect.succeed({ checkpoint: { nextBlock: 8 }, unknownPool: 0 }),
    commit: Effect.succeed({ nextBlock: 9 }),
    bulk: { isLoading: () => left > 0, derive: Effect.sync(() => --left > 0) },
  } as unknown as LedgerWriter
  const report = { indexed: () => {}, taken: () => {} } as unknown as Report
  const ledger = await Effect.runPromise(
    makeOpenLedger({ chainId: ChainId.make("1"), writer, report, onRollback: () => {}, onLoad: () => {} }),
  )
  const latch = ledger.news()
  const isWoken = async () => {
    const woken = await Effect.runPromise(
      Effect.raceFirst(Effect.as(latch.await, true), Effect.as(Effect.sleep(5), false)),
    )
    latch.closeUnsafe()
    return woken
  }
  // Once from the beginning: there may be something to ask from before.
  expect(await isWoken()).toBe(true)
  return { ledger, isWoken }
}

test("what was loaded is asked about behind the next blocks, whatever is in them", async () => {
  for (const behind of ["append", "commit"] as const) {
    const { ledger, isWoken } = await opened(2)
    while (await Effect.runPromise(ledger.bulk!.derive)) expect(await isWoken()).toBe(false)
    expect(ledger.checkpoint().nextBlock).toBe(7)
    expect(await isWoken()).toBe(false)
    const next = () => Effect.runPromise(behind === "append" ? ledger.append(empty) : ledger.commit(false))
    await next()
    expect(await isWoken()).toBe(true)
    await next()
    expect(await isWoken()).toBe(false)
  }
})

test("blocks that hold something wake, others do not", async () => {
  const { ledger, isWoken } = await opened(0)
  await Effect.runPromise(ledger.append(moving))
  expect(await isWoken()).toBe(true)
  await Effect.runPromise(ledger.append(empty))
  expect(await isWoken()).toBe(false)
  await Effect.runPromise(ledger.commit(true))
  expect(await isWoken()).toBe(true)
})
