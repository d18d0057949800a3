/** Which chain the nodes are of, while some of them are out of order. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { Effect, Logger } from "effect"
import { readChainId } from "../../../src/adapters/rpc/transport/chainIdAtStart.ts"
import { clientOfNodes } from "../../../src/adapters/rpc/transport/client.ts"
import { nodesOf } from "../../../src/adapters/rpc/transport/nodes.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { answer, call, otherUrl, play, run, server, url } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const ethereum = ChainId.make("1")
const quick = { backoffMs: 1, timeoutMs: 2000, chainId: ethereum }
const clients = () => {
  const nodes = nodesOf([url, otherUrl])
  const each = nodes.map((node) =>
    clientOfNodes([node], { ...quick, concurrency: 1, attempts: 2, longestRestMs: 1000 }),
  )
  return { client: clientOfNodes(nodes, { ...quick, concurrency: 4 }), each, chain: { chainId: ethereum } }
}
const ofChain = (id: string) => answer(({ method, params }) => (method === "eth_chainId" ? id : params[0]))
const silent = () => new Promise<Response>(() => {})
const limiting = () => new Response("", { status: 429, headers: { "retry-after": "3600" } })
const methods = (bodies: ReadonlyArray<unknown>) => bodies.map((body) => (body as { method: string }).method)

for (const [name, fault] of [
  ["is silent", silent],
  ["wants to be left alone for an hour", limiting],
] as const) {
  for (const at of [url, otherUrl]) {
    test(`a ${at === url ? "first" : "second"} node that ${name} keeps nobody waiting, and the other is asked first`, async () => {
      const broken = play([fault], at)
      const sound = play([ofChain("0x1")], at === url ? otherUrl : url)
      const all = clients()
      expect<string>(await run(readChainId(all, 20))).toBe("1")
      expect(await run(all.client.batch([call(7)]))).toEqual([7])
      expect(methods(broken)).toEqual(["eth_chainId"])
      expect(methods(sound)).toEqual(["eth_chainId", "eth_chainId", "echo"])
    })
  }
}

test("a node of another chain wins, and a line says which it is without its secrets", async () => {
  play([ofChain("0x5")])
  play([ofChain("0x1")], otherUrl)
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => void lines.push(message))
  const id = await Effect.runPromise(readChainId(clients(), 10_000).pipe(Effect.provide(Logger.layer([logger]))))
  expect<string>(id).toBe("5")
  expect(lines.flat()).toEqual(["chain 1: http://node.test is a node of chain 5, not 1"])
})

test("nodes of which none answers are an error", async () => {
  play([() => new Response("down", { status: 503 })])
  play([limiting], otherUrl)
  const error = await Effect.runPromise(Effect.flip(readChainId(clients(), 20)))
  expect(error._tag).toBe("SourceUnavailable")
})

test("a node that says later that it is of another chain is never asked for anything of that chain", async () => {
  const late = play([silent, ofChain("0x5")], otherUrl)
  let down = false
  play([(body) => (down ? new Response("", { status: 503 }) : ofChain("0x1")(body))])
  const all = clients()
  expect<string>(await run(readChainId(all, 20))).toBe("1")
  expect(await run(all.client.batch([call(1)]))).toEqual([1])
  down = true
  await run(Effect.flip(all.client.batch([call(2)])))
  await run(Effect.flip(all.each[1]!.batch([call(3)])))
  expect(methods(late)).toEqual(["eth_chainId", "eth_chainId"])
})
