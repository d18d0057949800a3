/** Events written again as logs: of every log that is decoded and not odd, each byte. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import { decode } from "../../../src/domain/ingest/decode/decode.ts"
import { logOfEvent } from "../../../src/domain/ingest/decode/eventLog.ts"
import { isOdd } from "../../../src/domain/ingest/decode/oddLogs.ts"
import { anyEvent, weth } from "../../support/chain/anyEvents.ts"
import { address, approval, encodeEvent, hash, idApproval, operatorApproval } from "../../support/chain/testChain.ts"

const [token, alice, bob] = [address(0x75), address(0xa), address(0xb)]
const known = { wrappedNative: new Set([weth]), poolManagers: new Set<never>(), swaps: false, approvals: true }
const anyLog = fc.oneof(
  anyEvent,
  fc.constantFrom(
    approval(token, alice, bob, 2n ** 256n - 1n),
    idApproval(token, alice, bob, 0n),
    operatorApproval(token, alice, bob, false),
  ),
)

test("a log that is not odd comes back as it was", () => {
  let written = 0
  fc.assert(
    fc.property(anyLog, (said) => {
      const { topics, data } = ("written" in said ? said.written : undefined) ?? encodeEvent(said.event)
      const place = { blockNumber: 1, blockHash: hash("block"), logIndex: 0, txHash: hash("tx") }
      const log = { address: said.token, topics, data, ...place }
      const event = decode(log, known)
      if (event.kind === "other" || event.kind === "swap" || isOdd(log, event)) return
      expect(logOfEvent(event)).toEqual({ topics, data: data || "0x" })
      written++
    }),
    { numRuns: 500 },
  )
  expect(written).toBeGreaterThan(100)
})
