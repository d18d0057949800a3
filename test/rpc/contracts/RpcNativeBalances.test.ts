/** Native balances at a block, and nodes that do not have its state. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { Effect } from "effect"
import { balancesOf } from "../../../src/adapters/rpc/contracts/RpcNativeBalances.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { answer, clientOf, failureOf, play, refuse, server } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const ask = () => balancesOf(clientOf({ attempts: 2 }), [address(1), address(2)], 300)

test("are asked for at the block, up to 2²⁵⁶−1, zero included", async () => {
  const bodies = play([answer(({ params }) => (params[0] === address(1) ? `0x${"f".repeat(64)}` : "0x0"))])
  expect(await Effect.runPromise(ask())).toEqual([2n ** 256n - 1n, 0n])
  expect(bodies.flat().map((body) => (body as { params: unknown }).params)).toEqual([
    [address(1), "0x12c"],
    [address(2), "0x12c"],
  ])
})

test.each([null, "0x", "", 5, "5", "0xzz"])("%p is no balance", async (result) => {
  play([answer(() => result)])
  expect((await failureOf(ask())).message).toStartWith(
    'http://node.test: eth_getBalance("0x0000000000000000000000000000000000000001", "0x12c"): balance: expected a hex quantity, got ',
  )
})

test("a pruned node is a failure", async () => {
  play([refuse(-32000, "missing trie node")])
  expect((await failureOf(ask())).message).toBe(
    'http://node.test: eth_getBalance("0x0000000000000000000000000000000000000001", "0x12c"): missing trie node',
  )
})

const header = (of: string) => ({ number: "0x12c", hash: of, parentHash: of, timestamp: "0x1" })

test.each([50, 7, 2])(
  "any number of addresses at one block's hash, of a node that takes %d calls at once",
  async (most) => {
    const told = hash("head")
    const bodies = play([answer(({ method, params }) => (method === "eth_getBalance" ? params[0] : header(told)))])
    const wanted = Array.from({ length: 130 }, (_, index) => address(index + 1))
    const client = clientOf({ attempts: 2, batchSize: most })
    expect(await Effect.runPromise(balancesOf(client, wanted, 300, told))).toEqual(wanted.map(BigInt))
    expect(Math.max(...bodies.map((body) => [body].flat().length))).toBeLessThanOrEqual(most)
    expect((await failureOf(balancesOf(client, wanted, 300, hash("fork")))).message).toContain(
      "does not have block 300",
    )
  },
)
