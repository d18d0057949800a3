/** Whether a node knows the state before a block, where it does not serve what bears witness of that. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeStateProof } from "../../../src/adapters/rpc/origins/stateProof.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { clientOf, json, play, type Request, requestsOf, server } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const sender = { address: address(0xa), nonce: 3 }
const block = {
  ...{ number: 9, time: 1_700_000_000, hashes: [hash("made")] },
  transactions: [{ hash: hash("made"), creates: true, sender }],
}

test("one that does not serve it proves nothing, which is no failure, and is asked again after five minutes", async () => {
  const results: Record<string, (params: ReadonlyArray<unknown>) => unknown> = {
    eth_getCode: ([, at]) => (at === "0x8" ? "0x" : "0x60"),
    eth_getBalance: () => "0x1",
  }
  const answerOf = ({ id, method, params }: Request) => {
    const result = results[method]?.(params)
    const error = { code: -32601, message: `the method ${method} does not exist/is not available` }
    return { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }
  }
  const bodies = play([(body) => json(requestsOf(body).map(answerOf))])
  const isProven = makeStateProof(clientOf({ attempts: 2 }))
  const found = await Effect.runPromise(
    Effect.gen(function* () {
      const first = [yield* isProven(address(0x70), block), yield* isProven(address(0x71), block)]
      const asked = bodies.length
      yield* TestClock.adjust(300_000)
      results.eth_getTransactionCount = () => "0x3"
      return [first, asked, yield* isProven(address(0x71), block), yield* isProven(address(0x72), block), bodies.length]
    }).pipe(Effect.provide(TestClock.layer())),
  )
  expect(found).toEqual([[false, false], 1, true, true, 3])
})
