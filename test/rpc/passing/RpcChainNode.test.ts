/** Callers' calls of a chain's own node: its answers and refusals as they are, and neither its secrets nor its silence for long. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { keccak256 } from "viem"
import { pass } from "../../../src/adapters/rpc/passing/RpcChainNode.ts"
import { address } from "../../support/chain/testChain.ts"
import { answer, clientOf, failureOf, json, otherUrl, play, type Request, refuse, run, server, url } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const client = (urls = [url]) => clientOf({ attempts: 2, timeoutMs: 200, longestRestMs: 100 }, urls)
const asked = { method: "eth_getBalance", params: [address(1), "latest"], nodes: 1 }
const both = { ...asked, nodes: 2 }
const twoNodes = () => client([url, otherUrl])

const refuseWith = (error: object) => (body: unknown) => json({ jsonrpc: "2.0", id: (body as Request).id, error })

test.each([["0x5"], [null], [{ number: "0x1", transactions: [] }], [[]], [false]])(
  "the result %j is passed on as it is",
  async (result) => {
    const bodies = play([answer(() => result)])
    expect(await run(pass(client(), asked))).toEqual({ result })
    expect(bodies).toMatchObject([{ method: "eth_getBalance", params: [address(1), "latest"] }])
  },
)

describe("a refusal of the node is the answer:", () => {
  test.each([
    ["a revert with its data", { code: 3, message: "execution reverted: no", data: "0x08c379a0" }],
    ["a parameter it does not take", { code: -32602, message: "invalid argument 0" }],
    ["a method it does not know", { code: -32601, message: "the method eth_x does not exist" }],
    ["state that it does not keep", { code: -32000, message: "missing trie node" }],
    ["a revert in words of a limit", { code: 3, message: "execution reverted: rate limit exceeded", data: "0x" }],
  ])("%s", async (_, error) => {
    const bodies = play([refuseWith(error)])
    expect(await run(pass(client(), asked))).toEqual({ error: expect.objectContaining({ code: error.code }) as never })
    expect(bodies).toHaveLength(1)
  })

  test("its data comes along, and a text there is part of the message", async () => {
    play([refuseWith({ code: 3, message: "execution reverted", data: "0x08c379a0ff" })])
    expect(await run(pass(client(), asked))).toEqual({
      error: { code: 3, message: "execution reverted", data: "0x08c379a0ff" },
    })
  })

  test("an answer that is nested deeper than can be written is not", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000)
    play([
      (body) => {
        const text = `{"jsonrpc":"2.0","id":${JSON.stringify((body as Request).id)},"result":${deep}}`
        return new Response(text, { headers: { "content-type": "application/json" } }) as never
      },
    ])
    const message = "the answer is nested more than 8192 deep"
    expect(await run(pass(client(), asked))).toEqual({ error: { code: -32000, message } })
  })

  test("what its URL keeps secret is taken out", async () => {
    play([refuse(-32000, "no credit at /v3/secretkey123")])
    const found = await run(pass(client(), asked))
    expect(JSON.stringify(found)).not.toContain("secretkey123")
  })
})

describe("another node is asked", () => {
  test.each([
    ["does not keep the state", refuse(-32000, "missing trie node")],
    ["does not know the method", refuse(-32601, "method not found")],
    ["has had enough", refuse(-32005, "rate limit exceeded")],
    ["has a limit by the second", refuse(-32005, "You've exceeded the RPS limit available on the current plan.")],
    ["is broken", () => json({}, { status: 500 })],
  ])("where the first %s", async (_, first) => {
    play([first])
    play([answer(() => "0x7")], otherUrl)
    expect(await run(pass(twoNodes(), both))).toEqual({ result: "0x7" })
  })

  test("and where all of them refuse, the last one's word counts", async () => {
    play([refuse(-32000, "missing trie node")])
    play([refuse(-32000, "state is pruned")], otherUrl)
    expect(await run(pass(twoNodes(), both))).toEqual({ error: { code: -32000, message: "state is pruned" } })
  })
})

describe("no answer is a failure in time:", () => {
  test.each([
    ["a limit", refuse(-32005, "rate limit exceeded")],
    ["a broken node", () => json({}, { status: 500 })],
    ["a body that is no JSON", () => new Response("<html>")],
    ["neither result nor error", (body: unknown) => json({ jsonrpc: "2.0", id: (body as Request).id })],
    ["somebody else's answer", () => json({ jsonrpc: "2.0", id: 999_999, result: "0x1" })],
  ])("%s", async (_, play1) => {
    const bodies = play([play1])
    expect((await failureOf(pass(client(), asked))).message).not.toContain("secretkey123")
    expect(bodies.length).toBeLessThanOrEqual(2)
  })

  test("a node that says nothing is waited for no longer than told", async () => {
    play([() => new Promise(() => {})])
    const started = performance.now()
    const slow = clientOf({ attempts: 5, timeoutMs: 60_000 })
    expect((await failureOf(pass(slow, { ...asked, timeoutMs: 150 }))).message).toBe(
      "http://node.test: no answer within 0.15 s",
    )
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

test("an answer that is too large is refused", async () => {
  play([answer(() => "0x".padEnd(17 * 1024 * 1024, "0"))])
  expect(await run(pass(clientOf({ timeoutMs: 10_000 }), asked))).toMatchObject({ error: { code: -32000 } })
})

describe("a signed transaction", () => {
  const raw = "0x02f86b" as const
  const sent = { method: "eth_sendRawTransaction", params: [raw], nodes: 2 }

  test.each([
    "already known",
    "AlreadyKnown",
    "INTERNAL_ERROR: existing tx with same hash",
    "tx already exists in cache",
    "transaction already in mempool",
  ])("that was taken by a node that fell silent has its hash from the next, which says %p", async (message) => {
    play([() => json({}, { status: 502 })])
    play([refuse(-32000, message)], otherUrl)
    expect(await run(pass(twoNodes(), sent))).toEqual({ result: keccak256(raw) })
  })

  test("with blobs, of which its hash is not, is told what the next node says", async () => {
    play([() => json({}, { status: 502 })])
    play([refuse(-32000, "already known")], otherUrl)
    const blobs = { ...sent, params: ["0x03f90102"] }
    expect(await run(pass(twoNodes(), blobs))).toEqual({ error: { code: -32000, message: "already known" } })
  })

  describe("that was taken by a node that fell silent, and whose nonce is too low at the next,", () => {
    const spent = (message: string, found: (request: Request) => Response) => {
      play([() => json({}, { status: 502 })])
      return play(
        [(body) => ((body as Request).method === sent.method ? refuse(-32000, message)(body) : found(body as Request))],
        otherUrl,
      )
    }
    const own = answer(({ params }) => ({ hash: String(params[0]).toUpperCase().replace("X", "x") }))

    test.each(["nonce too low", "nonce is too low: next nonce 6, tx nonce 5", "OldNonce", "Nonce too low."])(
      "has its hash where it is found: %p",
      async (message) => {
        const bodies = spent(message, own)
        expect(await run(pass(twoNodes(), sent))).toEqual({ result: keccak256(raw) })
        expect(bodies.at(-1)).toMatchObject({ method: "eth_getTransactionByHash", params: [keccak256(raw)] })
      },
    )

    test.each([
      ["is not found", answer(() => null)],
      ["another one is told", answer(() => ({ hash: keccak256("0x01") }))],
    ])("is refused where it %s: another one has its nonce", async (_, found) => {
      spent("nonce too low", found)
      expect(await run(pass(twoNodes(), sent))).toEqual({ error: { code: -32000, message: "nonce too low" } })
    })

    test("is no refusal where nobody says whether it is there", async () => {
      spent("nonce too low", () => json({}, { status: 502 }))
      expect(await failureOf(pass(twoNodes(), sent))).toMatchObject({ _tag: "SourceUnavailable" })
    })
  })

  test("whose nonce is too low at once is told so", async () => {
    const bodies = play([refuse(-32000, "nonce too low")])
    expect(await run(pass(client(), { ...sent, nodes: 1 }))).toEqual({
      error: { code: -32000, message: "nonce too low" },
    })
    expect(bodies).toHaveLength(1)
  })

  test("whose nonce another one has in the pool is refused by the next node too", async () => {
    play([() => json({}, { status: 502 })])
    play([refuse(-32000, "a transaction with this nonce already exists")], otherUrl)
    expect(await run(pass(twoNodes(), sent))).toMatchObject({ error: { code: -32000 } })
  })

  test("that was sent before is told so", async () => {
    play([refuse(-32000, "already known")])
    expect(await run(pass(client(), { ...sent, nodes: 1 }))).toEqual({
      error: { code: -32000, message: "already known" },
    })
  })
})
