/** How many blocks of a contract's own logs are asked of at once, by what a node takes. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { type AskSize, askLogs, firstAskSize } from "../../src/domain/audit/missing/askLogs.ts"
import { contractsOf } from "../../src/domain/audit/missing/healContract.ts"
import type { AsOf } from "../../src/model/block.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { AuditStore } from "../../src/ports/AuditStore.ts"
import { ChainSource, type ChainSourceClient, RangeRefused } from "../../src/ports/ChainSource.ts"
import { address } from "../support/chain/testChain.ts"

const chainId = ChainId.make("1")
const at = { chainId, blockNumber: 20_000_000, firstBlock: 0 } as AsOf

/** Lengths of so many ranges without a log, asked of a node that takes none that is longer than `limit()`. */
const ask = (size: AskSize, calls: number, limit: () => number): Promise<ReadonlyArray<number>> => {
  const lengths: Array<number> = []
  const source: Partial<ChainSourceClient> = {
    contractLogs: Effect.fnUntraced(function* (_, from, to) {
      lengths.push(to - from + 1)
      if (to - from + 1 > limit()) return yield* new RangeRefused({ message: "too much" })
      return { answers: [{ node: "https://node.test", logs: [] }], silent: [] }
    }),
  }
  const store: Partial<AuditStore["Service"]> = { storedRows: () => Effect.succeed({ asOf: [], value: [] }) }
  const contracts = contractsOf({ chainId, wrappedNative: [] })
  return Effect.runPromise(
    askLogs({ address: address(0xc), at, from: 0, calls, size, contracts }).pipe(
      Effect.provideService(ChainSource, { of: () => source as ChainSourceClient }),
      Effect.provideService(AuditStore, store as AuditStore["Service"]),
      Effect.as(lengths),
    ),
  )
}

test("after a node's bad minutes ranges become long again, and few are refused", async () => {
  const size = firstAskSize()
  let limit = 1
  expect((await ask(size, 40, () => limit)).at(-1)).toBe(1)
  limit = 10_000
  const lengths = await ask(size, 1500, () => limit)
  expect(lengths.at(-1)).toBeGreaterThan(4000)
  expect(Math.max(...lengths.slice(0, 20))).toBe(1)
  expect(lengths.filter((length) => length > limit).length).toBeLessThan(1500 / 20)
})
