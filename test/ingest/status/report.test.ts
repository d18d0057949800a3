/** What the report of a chain puts into its status. */
import { expect, test } from "bun:test"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as MemorySyncStatus from "../../../src/adapters/memory/MemorySyncStatus.ts"
import { makeReport } from "../../../src/domain/ingest/status/report.ts"
import { noFaults } from "../../../src/model/fault.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { SyncStatus } from "../../../src/ports/SyncStatus.ts"

test("of callers' refused questions the log has their number, now and then, and the status counts them by kind", async () => {
  const chainId = ChainId.make("1")
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push([message].flat().join(" ")))])
  let [own, ofCallers] = [0, 0]
  const source = {
    refusals: () => ({ ...noFaults, call: own + ofCallers }),
    refusalsOfCallers: () => ({ ...noFaults, call: ofCallers }),
    newestRefusals: () => ({ call: "http://node: eth_getLogs(): not now" }),
  }
  const counted = await Effect.runPromise(
    Effect.gen(function* () {
      const report = yield* makeReport(chainId)
      for (let second = 0; second < 180; second++) {
        ofCallers += 10
        if (second === 90) own++
        yield* report.tick(undefined, source)
        yield* TestClock.adjust(1000)
      }
      return (yield* SyncStatus).find(chainId)?.faults.call
    }).pipe(
      Effect.provide([logger, TestClock.layer()]),
      Effect.provide(MemorySyncStatus.layer([{ chainId, startBlock: 7, maxLag: 3, pollMs: 500 }])),
    ),
  )
  expect(counted).toBe(1801)
  expect(lines.map((line) => line.slice("chain 1: an answer of the node is refused ".length))).toEqual([
    "(callers' questions): 10 so far",
    "(callers' questions): 610 so far (and 59 more of this kind since the last line)",
    "(call, asked again): http://node: eth_getLogs(): not now (1 so far)",
  ])
})

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
