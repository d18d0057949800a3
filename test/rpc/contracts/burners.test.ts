/** Views after one very block of contracts that use up all gas: how much they are given. */
import { beforeEach, expect, test } from "bun:test"
import { multicall3 } from "../../../src/adapters/rpc/contracts/multicall.ts"
import { makePinnedViews } from "../../../src/adapters/rpc/contracts/pinned.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import type { RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { address } from "../../support/chain/testChain.ts"
import { run } from "../node.ts"
import { head, type MulticallNode, makeMulticallNode, pinOf } from "./multicallNode.ts"

interface Call {
  readonly to?: string
  readonly data: string
  readonly gas: string
}

let node: MulticallNode
let given: Array<number>
let requests: number
beforeEach(() => {
  node = makeMulticallNode()
  requests = 0
  given = []
})

/** `say`: what the node says of a call instead of answering it. */
const clientThat = (say: (call: Call) => string | undefined): RpcClient => ({
  ...node.client,
  together: (calls) => {
    requests++
    const heard = (call: RpcCall<unknown>): RpcCall<unknown> => {
      if (call.method !== "eth_call") return call
      const asked = call.params[0] as Call
      given.push(Number(asked.gas))
      const message = say(asked)
      const read = () => {
        const value = call.readFault?.({ kind: "answer", message: message! })
        if (value === undefined) throw new SourceUnavailable({ message: message! })
        return value.value
      }
      return message === undefined ? call : { ...call, read }
    }
    return node.client.together(calls.map((call) => heard(call))) as ReturnType<typeof node.client.together<never>>
  },
})

const [burner, honest] = [address(0xb0), address(0x70)]
const calls = [burner, honest].map((to) => ({ to, data: "0x18160ddd" }))
const word = `0x${"1".padStart(64, "0")}`
const ask = (client: RpcClient) => run(makePinnedViews(client).ask(calls, pinOf(head)))

test("what uses up all gas has no more of it where the clock beside it had enough", async () => {
  node.made = undefined
  expect(await ask(clientThat(({ to }) => (to === burner ? "out of gas" : undefined)))).toEqual(["0x", word])
  expect(new Set(given)).toEqual(new Set([5_000_000]))
})

test("all have more where not even the clock has enough", async () => {
  node.made = undefined
  const client = clientThat(({ to, gas }) => (Number(gas) < 6_000_000 || to === burner ? "out of gas" : undefined))
  expect(await ask(client)).toEqual(["0x", word])
  expect(given).toEqual([5_000_000, 5_000_000, 5_000_000, 100_000_000, 100_000_000, 100_000_000])
})

test("what fails in words that nobody knows, and uses up what Multicall3 has, has no more of it either", async () => {
  const name = burner.slice(2)
  const client = clientThat(({ to, data }) =>
    to === burner ? "no method with id" : to === multicall3 && data.includes(name) ? "out of gas" : undefined,
  )
  expect(await ask(client)).toEqual(["0x", word])
  expect(Math.max(...given)).toBe(20_000_000)
})

test("it has more where not even Multicall3's own clock has enough", async () => {
  const odd = clientThat(({ to, gas }) =>
    Number(gas) < 60_000_000 ? "out of gas" : to === burner ? "no method with id" : undefined,
  )
  // The node in memory has Multicall3 answer for every contract.
  expect(await ask(odd)).toEqual([word, word])
})

test("one that fails in words that nobody knows costs few requests more, however many others are asked with it", async () => {
  const others = Array.from({ length: 19 }, () => honest)
  const many = [burner, ...others].map((to) => ({ to, data: "0x18160ddd" }))
  const client = clientThat(({ to, data }) => {
    const isLot = to === multicall3 && data.includes(honest.slice(2)) && data.includes(burner.slice(2))
    return to === burner ? "no method with id" : isLot ? "out of gas" : undefined
  })
  const answers = await run(makePinnedViews(client).ask(many, pinOf(head)))
  // The node in memory has Multicall3 answer for every contract.
  expect(answers).toEqual(many.map(() => word))
  expect(requests).toBe(3)
})
