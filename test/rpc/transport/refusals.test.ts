/** What is said of an answer that is refused: which node, which method, which parameter, what came and what was wanted; on one line, short, without secrets. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { blockCall } from "../../../src/adapters/rpc/origins/originCalls.ts"
import { callText } from "../../../src/adapters/rpc/transport/callText.ts"
import { clientOfNodes, type RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { nodesOf } from "../../../src/adapters/rpc/transport/nodes.ts"
import { ReadFor } from "../../../src/ports/ReadFor.ts"
import { answer, call, clientOf, failureOf, otherUrl, play, refuse, run, server, url } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

describe("a call is named", () => {
  for (const [what, method, params, text] of [
    ["with its parameters", "eth_getBlockByNumber", ["0x32", true], 'eth_getBlockByNumber("0x32", true)'],
    ["without any", "eth_chainId", [], "eth_chainId()"],
    [
      "with two of many topics, after the block",
      "eth_getLogs",
      [{ topics: [["0x1", "0x2", "0x3", "0x4"]], fromBlock: "0x5", toBlock: "0x6" }],
      'eth_getLogs({fromBlock: "0x5", toBlock: "0x6", topics: [["0x1", "0x2", … 2 more]]})',
    ],
    ["on one line", "echo", ["a\nb"], 'echo("a\\nb")'],
    ["without anything in it", "echo", [null, undefined, []], "echo(null, undefined, [])"],
  ] as const) {
    test(what, () => expect(callText({ method, params })).toBe(text))
  }

  test("shortly, however long its parameters are", () => {
    const data = `0x${"ab".repeat(5000)}`
    expect(callText({ method: "eth_call", params: [{ to: data, data }, data] }).length).toBeLessThanOrEqual(162)
  })
})

describe("a refusal", () => {
  const header = { number: "0x5", timestamp: "0x10", transactions: [`0x${"ab".repeat(32)}`] }

  test("of a node that ignores that transactions were asked for in full names method, parameter and reason", async () => {
    play([answer(() => header)])
    const client = clientOf({ attempts: 2 })
    const text = `http://node.test: eth_getBlockByNumber("0x5", true): transaction: expected an object, got "0x${"ab".repeat(32)}"`
    expect((await failureOf(client.batch([blockCall(5, true)]))).message).toBe(text)
    expect([client.refusals?.().call, client.newestRefusals?.().call]).toEqual([2, text])
  })

  test("of a number that the chain leaves out lasts, and says that such chains cannot be followed", async () => {
    play([refuse(12, "requested epoch was a null round (50)")])
    const client = clientOf({ attempts: 5 })
    const { message } = await failureOf(client.batch([call(1)]))
    expect(message).toBe(
      "http://node.test: echo(1): requested epoch was a null round (50); a chain that leaves out block numbers cannot be followed",
    )
    expect(client.refusals?.().call).toBe(1)
  })

  test("is told of the node that was refused last, by kind", async () => {
    play([refuse(-32000, "no such thing")])
    play([refuse(-32000, "missing trie node")], otherUrl)
    const client = clientOf(
      { attempts: 2 },
      [undefined, otherUrl].map((it) => it ?? "http://node.test/v3/secretkey123"),
    )
    await failureOf(client.batch([call(1)]))
    expect(client.newestRefusals?.()).toMatchObject({
      call: "http://node.test: echo(1): no such thing",
      pruned: "http://other.test: echo(1): missing trie node",
    })
    expect(client.newestRefusals?.().logs).toBeUndefined()
  })

  test("is on one line, whatever the node says, and holds no secret", async () => {
    play([refuse(-32000, "no\u001b[31m\nroom\u202e for\u0085 secretkey123")])
    const client = clientOf({ attempts: 1 })
    const { message } = await failureOf(client.batch([call(1)]))
    expect(message).toBe("http://node.test: echo(1): no\\u001b[31m\\nroom\\u202e for\\u0085 …")
  })

  for (const [where, said] of [
    ["words", refuse(-32000, `${"x".repeat(599)}🐚 and more`)],
    ["answer without JSON", () => new Response(`${"x".repeat(590)}${"🐚".repeat(20)}`, { status: 500 })],
    ["words about a text that was asked", refuse(-32000, "no")],
  ] as const) {
    test(`cuts no character in two, of a node's ${where}`, async () => {
      play([said])
      const { message } = await failureOf(clientOf({ attempts: 1 }).batch([call(`${"x".repeat(67)}🐚 more`)]))
      expect([message.isWellFormed(), /\\ud83d/u.test(message)]).toEqual([true, false])
    })
  }

  test("to a caller's question is counted, and is no news of what the service asked itself", async () => {
    play([refuse(-32000, "not now"), refuse(-32000, "no account 0x7099"), refuse(-32000, "no account 0xf39f")])
    const nodes = nodesOf([url])
    const options = { concurrency: 1, attempts: 1 }
    const client = clientOfNodes(nodes, options)
    await failureOf(client.batch([call("own")]))
    await failureOf(clientOfNodes(nodes, { ...options, forCallers: true }).batch([call("0x7099")]))
    // Over a client that the service shares with its callers.
    const reader = { caller: "203.0.113.7", isCostly: false }
    await failureOf(client.batch([call("0xf39f")]).pipe(Effect.provideService(ReadFor, reader)))
    expect([client.refusals?.().call, client.refusalsOfCallers?.().call]).toEqual([3, 2])
    expect(client.newestRefusals?.()).toMatchObject({ call: 'http://node.test: echo("own"): not now' })
  })

  test("of a node that wants to be left alone names no call of whoever asked it before", async () => {
    const limited = () => new Response("slow down", { status: 429, headers: { "retry-after": "50" } })
    play([refuse(-32000, "no such account"), limited])
    const nodes = nodesOf([url])
    const options = { concurrency: 1, attempts: 3, backoffMs: 1, longestRestMs: 0 }
    const askedBy = async (client: RpcClient, value: string) => (await failureOf(client.batch([call(value)]))).message
    await askedBy(clientOfNodes(nodes, options), "0x70997970c51812dc3a010c7d01b50e0d17dc79c8")
    expect(await askedBy(clientOfNodes(nodes, options), "own")).toMatch(
      /^http:\/\/node\.test: echo\("own"\): wants to be left alone for \d+ s, after HTTP 429 slow down$/,
    )
  })

  test("tells a call of its faults, also where asking again helps", async () => {
    play([refuse(-32000, "not now"), answer(() => 7)])
    const heard: Array<string> = []
    const values = await run(clientOf().batch([{ ...call(1), onFault: (why) => void heard.push(why) }]))
    expect([values, heard]).toEqual([[7], ["http://node.test: echo(1): not now"]])
  })
})
