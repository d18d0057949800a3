/** What is asked again and again, by method. */
import { expect, test } from "bun:test"
import { makeWatch } from "../../../src/adapters/rpc/chain/unanswered.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"

const callOf = (method: string): RpcCall<unknown> => ({
  method,
  params: [],
  read: (result) => result,
  readFault: ({ message }) => (message === "too much" ? { value: "refused" } : undefined),
})

test("the method that failed first is told, until it is answered; a fault that is read as a value ends it where other ways are open", () => {
  const { watched, longest } = makeWatch()
  const [logs, headers] = ["eth_getLogs", "eth_getBlockByNumber"].map((method) => watched(callOf(method)))
  logs!.onFault?.("no logs")
  headers!.onFault?.("no headers")
  const first = longest()
  logs!.onFault?.("still no logs")
  expect([first?.id, longest()?.id, longest()?.why]).toEqual([1, 1, "still no logs"])
  logs!.readFault?.({ kind: "answer", message: "too much" })
  expect(longest()?.id).toBe(1)
  watched(callOf("eth_getLogs"), true).readFault?.({ kind: "answer", message: "too much" })
  expect(longest()?.why).toBe("no headers")
  headers!.read({})
  expect(longest()).toBeUndefined()
})

test("what is asked no more is forgotten after two minutes", () => {
  let now = 0
  const { watched, longest } = makeWatch(() => now)
  watched(callOf("eth_getLogs")).onFault?.("no logs")
  now = 120_000
  expect(longest()?.why).toBe("no logs")
  now = 120_001
  expect(longest()).toBeUndefined()
})
