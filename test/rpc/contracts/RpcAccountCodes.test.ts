/** Code at addresses: what counts as a contract, and what is no answer. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { Effect } from "effect"
import { kindsOf } from "../../../src/adapters/rpc/contracts/RpcAccountCodes.ts"
import { address } from "../../support/chain/testChain.ts"
import { answer, clientOf, failureOf, play, refuse, server } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const codes = [
  ["0x", "none"],
  ["0x00", "contract"],
  [`0x${"60".repeat(24_576)}`, "contract"],
  // EIP-7702: a key still signs for it.
  [`0xef0100${"ab".repeat(20)}`, "delegation"],
  [`0xEF0100${"AB".repeat(20)}`, "delegation"],
  // Longer, or of another kind: code that somebody deployed before EIP-3541.
  [`0xef0100${"ab".repeat(21)}`, "contract"],
  [`0xef0101${"ab".repeat(20)}`, "contract"],
] as const
const ask = () =>
  kindsOf(
    clientOf({ attempts: 2 }),
    codes.map((_, place) => address(place)),
    300,
  )

test("code makes a contract, a delegation is told apart from it and from none", async () => {
  const bodies = play([answer(({ params }) => codes[Number(params[0])]![0])])
  expect(await Effect.runPromise(ask())).toEqual(codes.map(([, kind]) => kind))
  expect(bodies.flat().map((body) => (body as { params: unknown }).params)).toEqual(
    codes.map((_, place) => [address(place), "0x12c"]),
  )
})

test.each([null, "", 5, "60", "0xzz"])("%p is no answer", async (result) => {
  play([answer(() => result)])
  expect((await failureOf(ask())).message).toContain("code: expected hex, got ")
})

test("a pruned node is a failure, and not a none", async () => {
  play([refuse(-32000, "missing trie node")])
  expect((await failureOf(ask())).message).toContain("missing trie node")
})
