/** Calls to nodes that have to show that they have a block: what counts as shown, and what it costs. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { havingBlock } from "../../../src/adapters/rpc/contracts/havingBlock.ts"
import { Hash } from "../../../src/model/primitives.ts"
import { call, clientOf, failureOf, json, play, type Request, requestsOf, run, server } from "../node.ts"
import { hashOf, sayAt } from "../scene.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

/** A backend at this block, which takes so many calls in a request. */
const at =
  (head: number, most = 100): Parameters<typeof play>[0][number] =>
  (body) => {
    const one = (request: Request) => {
      const { id, method, params } = request
      return method === "echo" ? { id, result: params[0] } : { id, ...sayAt(head)(request) }
    }
    if (!Array.isArray(body)) return json(one(body as Request))
    const refused = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch too large" } }
    return body.length > most ? json(refused, { status: 413 }) : json(body.map(one))
  }

const methodsOf = (bodies: ReturnType<typeof play>) =>
  bodies.map((body) => requestsOf(body).map(({ method }) => method.replace("eth_", "")))
const echoes = [1, 2, 3, 4, 5].map(call)
const final = { block: 100 }
const near = { block: 100, hash: hashOf(100) }

test("one call more a request shows it", async () => {
  const [echo] = [Array.from(echoes, () => "echo")]
  for (const [state, asked] of [
    [final, "latest"],
    [near, "0x64"],
  ] as const) {
    server.resetHandlers()
    const bodies = play([at(100)])
    expect(await run(havingBlock(clientOf(), state).batch(echoes))).toEqual([1, 2, 3, 4, 5])
    expect(methodsOf(bodies)).toEqual([["getBlockByNumber", ...echo]])
    expect(requestsOf(bodies[0]!)[0]!.params).toEqual([asked, false])
  }
})

test("a node behind the block, or one with another in its place, has not answered", async () => {
  const replaced = { block: 100, hash: Hash.make(hashOf(99)) }
  for (const [state, head] of [
    [final, 99],
    [near, 99],
    [replaced, 100],
  ] as const) {
    server.resetHandlers()
    play([at(head)])
    const failure = await failureOf(havingBlock(clientOf(), state).batch(echoes))
    expect(failure).toMatchObject({ _tag: "SourceUnavailable", kind: "behind" })
  }
})

test("each request shows it where a node takes few calls at once", async () => {
  const bodies = play([at(100, 3)])
  const client = clientOf()
  const ask = havingBlock(client, final).batch(echoes)
  expect(await run(ask)).toEqual([1, 2, 3, 4, 5])
  const before = bodies.length
  expect(await run(ask)).toEqual([1, 2, 3, 4, 5])
  const later = methodsOf(bodies.slice(before))
  expect(later.map(([first]) => first)).toEqual(later.map(() => "getBlockByNumber"))
  expect(later.flat().filter((method) => method === "echo").length).toBe(5)
  // What was divided by the client is asked anew, so that no half is without its proof.
  for (let behind = 0; behind < later.length; behind++) {
    server.resetHandlers()
    play([...Array.from({ length: behind }, () => at(100, 3)), at(99, 3), at(100, 3)])
    expect(await failureOf(havingBlock(client, final).batch(echoes))).toMatchObject({ kind: "behind" })
  }
})

test("a call that failed beside the proof is asked again with one", async () => {
  let failed = 0
  const bodies = play([
    (body) => {
      const one = (request: Request) => {
        const { id, method, params } = request
        if (method !== "echo") return { id, ...sayAt(100)(request) }
        const fails = params[0] === 2 && failed++ === 0
        return fails ? { id, error: { code: -32005, message: "request rate exceeded" } } : { id, result: params[0] }
      }
      return json(Array.isArray(body) ? body.map(one) : one(body as Request))
    },
  ])
  expect(await run(havingBlock(clientOf(), final).batch(echoes))).toEqual([1, 2, 3, 4, 5])
  expect(methodsOf(bodies).slice(1)).toEqual([["echo"], ["getBlockByNumber", "echo"]])
})

test("a node that takes no batches is asked before and behind each call", async () => {
  const bodies = play([at(100, 1)])
  const client = clientOf({ batchSize: 1 })
  const ask = havingBlock(client, final).batch([call(7)])
  expect(await run(ask)).toEqual([7])
  expect(methodsOf(bodies).flat()).toEqual(["getBlockByNumber", "echo", "getBlockByNumber"])
  for (const behind of [0, 2]) {
    server.resetHandlers()
    play([0, 1, 2].map((place) => at(place === behind ? 99 : 100, 1)))
    expect(
      await failureOf(havingBlock(clientOf({ batchSize: 1, concurrency: 1 }), final).batch([call(7)])),
    ).toMatchObject({
      kind: "behind",
    })
  }
})
