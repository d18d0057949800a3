/** What the report of a chain puts into its status. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import * as MemorySyncStatus from "../../../src/adapters/memory/MemorySyncStatus.ts"
import { makeReport } from "../../../src/domain/ingest/status/report.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { SyncStatus } from "../../../src/ports/SyncStatus.ts"

test("where the history starts is what the ledger has, once it is open", async () => {
  const chainId = ChainId.make("1")
  const starts = await Effect.runPromise(
    Effect.gen(function* () {
      const report = yield* makeReport(chainId)
      const start = (yield* SyncStatus).find(chainId)?.firstBlock
      report.indexed({ firstBlock: 8, nextBlock: 8, finalizedBlock: -1 })
      return [start, (yield* SyncStatus).find(chainId)?.firstBlock]
    }).pipe(Effect.provide(MemorySyncStatus.layer([{ chainId, startBlock: 7, maxLag: 3, pollMs: 500 }]))),
  )
  expect(starts).toEqual([7, 8])
})
