/** Samples of block times of one commit: there may be very many where logs are rare and a commit takes long. */
import { expect, test } from "bun:test"
import { type ClockSamples, storeClock } from "../../src/adapters/postgres/ledger/state/blocks.ts"
import type { Session } from "../../src/adapters/postgres/ledger/wire/session.ts"

test("the newest group of a million is told", async () => {
  const samples: ClockSamples = new Map()
  for (let group = 0; group < 1_100_000; group++) samples.set(group, { number: group * 256 + 3, time: 5 })
  const session = { run: async () => [] } as unknown as Session
  expect(await storeClock(session, samples, -1)).toBe(1_099_999)
  expect(await storeClock(session, new Map([[7, { number: 7 * 256, time: 5 }]]), 9)).toBe(9)
})
