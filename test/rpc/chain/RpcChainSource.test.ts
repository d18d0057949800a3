/** The ChainSource port over JSON-RPC: what is asked, what is believed, what is refused. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { readLogs } from "../../../src/adapters/rpc/chain/logs.ts"
import { sourceOf } from "../../../src/adapters/rpc/chain/RpcChainSource.ts"
import { bloomOfReceipts } from "../../../src/adapters/rpc/chain/receiptsRoot.ts"
import { clientOfNodes } from "../../../src/adapters/rpc/transport/client.ts"
import { nodesOf } from "../../../src/adapters/rpc/transport/nodes.ts"
import { swapTopics, topics } from "../../../src/domain/ingest/decode/topics.ts"
import { Address, ChainId } from "../../../src/model/primitives.ts"
import { hash } from "../../support/chain/testChain.ts"
import {
  answer,
  clientOf,
  failureOf,
  json,
  otherUrl,
  play,
  type Request,
  refuse,
  requestsOf,
  run,
  server,
  url,
} from "../node.ts"

const ethereum = ChainId.make("1")

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const source = (tokens?: ReadonlyArray<Address>, swaps?: boolean) =>
  sourceOf({
    client: clientOf({ attempts: 2 }),
    each: [],
    chain: {
      chainId: ethereum,
      ...(tokens === undefined ? {} : { tokens }),
      ...(swaps === undefined ? {} : { swaps }),
    },
  })

const blockHash = (number: number) => hash(`block ${number}`)
const block = (number: number) => ({
  number: `0x${number.toString(16)}`,
  hash: blockHash(number),
  parentHash: blockHash(number - 1),
  timestamp: `0x${(1000 + number).toString(16)}`,
})
const header = (number: number) => ({
  number,
  hash: blockHash(number),
  parentHash: blockHash(number - 1),
  time: 1000 + number,
})
const address = Address.make(`0x${"ab".repeat(20)}`)
const rawLog = (number: number, index: number, more: Record<string, unknown> = {}) => ({
  address,
  topics: [topics.transfer, `0x${"1".padStart(64, "0")}`, `0x${"2".padStart(64, "0")}`],
  data: `0x${"0f".padStart(64, "0")}`,
  blockNumber: `0x${number.toString(16)}`,
  blockHash: blockHash(number),
  transactionHash: hash(`tx ${number}`),
  transactionIndex: "0x0",
  logIndex: `0x${index.toString(16)}`,
  removed: false,
  ...more,
})
const log = (number: number, index: number) => ({
  address,
  topics: rawLog(number, index).topics,
  data: rawLog(number, index).data,
  blockNumber: number,
  blockHash: blockHash(number),
  logIndex: index,
  txHash: hash(`tx ${number}`),
  txIndex: 0,
})

/** A node with these logs; every block exists. */
const nodeWith = (logs: ReadonlyArray<unknown>) =>
  answer(({ method, params }: Request) => {
    if (method === "eth_getBlockByNumber") return block(Number(params[0]))
    if (method === "eth_getLogs") return logs
    throw new Error(method)
  })

describe("heads and headers", () => {
  test("are read with their numbers as numbers", async () => {
    play([answer(({ method }) => (method === "eth_chainId" ? "0xa86a" : block(300)))])
    expect<string>(await run(source().chainId)).toBe("43114")
    expect(await run(source().head)).toEqual(header(300))
  })

  for (const wrong of [url, otherUrl]) {
    test(`of nodes of which the ${wrong === url ? "first" : "second"} is of another chain give that one's id`, async () => {
      play([answer(() => (wrong === url ? "0x5" : "0x1"))])
      play([answer(() => (wrong === url ? "0x1" : "0x5"))], otherUrl)
      const each = [url, otherUrl].map((node) => clientOf({}, [node]))
      const nodes = sourceOf({ client: clientOf({}, [url, otherUrl]), each, chain: { chainId: ethereum } })
      expect<string>(await run(nodes.chainId)).toBe("5")
    })
  }

  test("of nodes of which one is down give what the other says", async () => {
    play([answer(() => "0x1")])
    play([() => new Response("", { status: 500 })], otherUrl)
    const each = [url, otherUrl].map((node) => clientOf({}, [node]))
    const nodes = sourceOf({ client: clientOf({}, [url, otherUrl]), each, chain: { chainId: ethereum } })
    expect<string>(await run(nodes.chainId)).toBe("1")
  })

  test("that the node does not have are undefined", async () => {
    play([answer(({ params }) => (Number(params[0]) > 5 ? null : block(Number(params[0]))))])
    expect(await run(source().headers([5, 6]))).toEqual([header(5), undefined])
  })

  test("of block 0 is none where the node gives another block for it, and a call that failed where it gives none at all", async () => {
    const latest = block(31_234_567)
    play([answer(({ params }) => (params[0] === "0x0" ? latest : block(Number(params[0]))))])
    expect(await run(source().headers([0, 1]))).toEqual([undefined, header(1)])
    play([answer(({ params }) => (params[0] === "0x0" ? { number: latest.number } : block(Number(params[0]))))])
    expect((await failureOf(source().headers([0, 1]))).message).toContain("hash: expected")
    play([answer(() => latest)])
    expect((await failureOf(source().headers([1]))).message).toContain("number: expected 1, got 31234567")
  })

  test("of hundreds of blocks come in order, in batches", async () => {
    const bodies = play([answer(({ params }) => block(Number(params[0])))])
    const numbers = Array.from({ length: 120 }, (_, index) => index + 7)
    expect(await run(source().headers(numbers))).toEqual(numbers.map(header))
    expect(bodies.map((body) => requestsOf(body).length)).toEqual([50, 50, 20])
  })

  const impossible: ReadonlyArray<[string, unknown]> = [
    ["a head of null", null],
    ["a number in decimal", { ...block(1), number: "1" }],
    ["a hash that is too short", { ...block(1), hash: "0x12" }],
    ["no parent", { ...block(1), parentHash: undefined }],
    ["a timestamp of 2⁶⁴", { ...block(1), timestamp: "0x10000000000000000" }],
    ["a text", "block"],
  ]
  for (const [name, result] of impossible) {
    test(`with ${name} are not believed`, async () => {
      play([answer(() => result)])
      expect((await failureOf(source().head))._tag).toBe("SourceUnavailable")
    })
  }

  test("of another number than asked for are not believed", async () => {
    play([answer(() => block(9))])
    expect((await failureOf(source().headers([8]))).message).toEndWith(
      'eth_getBlockByNumber("0x8", false): number: expected 8, got 9',
    )
  })
})

describe("logs of a range", () => {
  test("are asked for by signature, with the header of the last block in the same request", async () => {
    const bodies = play([nodeWith([])])
    expect(await run(source().logs(16, 31))).toEqual([])
    expect(requestsOf(bodies[0]!).map(({ method, params }) => [method, params])).toEqual([
      ["eth_getBlockByNumber", ["0x1f", false]],
      ["eth_getLogs", [{ topics: [Object.values(topics)], fromBlock: "0x10", toBlock: "0x1f" }]],
    ])
  })

  test("are asked for by address where only some tokens are followed", async () => {
    const bodies = play([nodeWith([])])
    await run(source([address]).logs(1, 2))
    expect(requestsOf(bodies[0]!)[1]!.params).toEqual([
      { topics: [Object.values(topics)], address: [address], fromBlock: "0x1", toBlock: "0x2" },
    ])
  })

  test("are those of pools too where swaps are followed", async () => {
    const bodies = play([nodeWith([])])
    await run(source(undefined, true).logs(1, 2))
    await run(source(undefined, false).logs(1, 2))
    const asked = bodies.map((body) => requestsOf(body)[1]!.params[0])
    const range = { fromBlock: "0x1", toBlock: "0x2" }
    expect(asked).toEqual([
      { topics: [[...Object.values(topics), ...Object.values(swapTopics)]], ...range },
      { topics: [Object.values(topics)], ...range },
    ])
  })

  test("are lower-cased and put in order; a time they carry is left to the header", async () => {
    const shouted = rawLog(2, 1, { address: `0x${"AB".repeat(20)}`, blockTimestamp: "0x3EA" })
    play([nodeWith([rawLog(3, 0), shouted, rawLog(2, 0, { blockTimestamp: "never" }), rawLog(4, 0)])])
    expect(await run(source().logs(1, 5))).toEqual([log(2, 0), log(2, 1), log(3, 0), log(4, 0)])
  })

  const impossible: ReadonlyArray<[string, unknown, string]> = [
    ["null", null, "expected a list"],
    ["an object", {}, "expected a list"],
    ["a log of null", [null], "expected an object"],
    ["a log outside of the range", [rawLog(6, 0)], "a log of block 6, which was not asked for"],
    ["a removed log", [rawLog(2, 0, { removed: true })], "marked as removed"],
    ["a log twice", [rawLog(2, 0), rawLog(2, 0)], "log 0 of block 2 comes twice"],
    ["a log twice, far apart", [rawLog(2, 0), rawLog(3, 0), rawLog(2, 0)], "log 0 of block 2 comes twice"],
    ["a log index of 2²⁴", [rawLog(2, 2 ** 24)], "log index 16777216"],
    ["a log index of null, as of a pending block", [rawLog(2, 0, { logIndex: null })], "logIndex"],
    ["a pending block", [rawLog(2, 0, { blockNumber: null, blockHash: null })], "blockNumber"],
    ["an address of 19 bytes", [rawLog(2, 0, { address: `0x${"ab".repeat(19)}` })], "address"],
    ["five topics", [rawLog(2, 0, { topics: Array(5).fill(topics.transfer) })], "topics"],
    ["a short topic", [rawLog(2, 0, { topics: ["0x12"] })], "topic"],
    ["data of half a byte", [rawLog(2, 0, { data: "0x123" })], "data"],
    ["data that is no hex", [rawLog(2, 0, { data: "0xzz" })], "data"],
    ["two hashes of one block", [rawLog(2, 0), rawLog(2, 1, { blockHash: blockHash(77) })], "two hashes of block 2"],
  ]
  for (const [name, result, words] of impossible) {
    test(`with ${name} are not believed`, async () => {
      play([nodeWith(result as ReadonlyArray<unknown>)])
      const error = await failureOf(source().logs(1, 5))
      expect(error._tag).toBe("SourceUnavailable")
      expect(error.message).toContain(words)
    })
  }

  test("have their transaction's place where the node says it: nothing stands for what it leaves out", async () => {
    const places = [{ transactionIndex: undefined }, { transactionIndex: null }, {}, { transactionIndex: "0x7fffffff" }]
    play([nodeWith(places.map((more, index) => rawLog(2, index, more)))])
    const logs = await run(source().logs(1, 5))
    expect(logs.map(({ txIndex }) => txIndex)).toEqual([undefined, undefined, 0, 2 ** 31 - 1])
  })

  for (const transactionIndex of ["0x80000000", "-0x1", "seven", 7]) {
    test(`with ${JSON.stringify(transactionIndex)} for a transaction's place are malformed`, async () => {
      play([nodeWith([rawLog(2, 0, { transactionIndex })])])
      expect(await failureOf(source().logs(1, 5))).toMatchObject({
        message: expect.stringContaining("transactionIndex"),
      })
    })
  }

  test("that were malformed once are asked for again", async () => {
    play([nodeWith([rawLog(2, 0, { data: "0x1" })]), nodeWith([rawLog(2, 0)]), nodeWith([])])
    expect(await run(source().logs(1, 5))).toEqual([log(2, 0)])
  })

  test("that came apart from their header are asked for beyond the last one", async () => {
    const refusal = () => json({ id: null, error: { code: -32600, message: "no batches" } })
    const alone = nodeWith([rawLog(2, 0)])
    const bodies = play([refusal, alone, alone, alone, nodeWith([rawLog(4, 0)])])
    expect((await failureOf(source().logs(1, 5))).message).toBe(
      "eth_getLogs: blocks 3 to 5 were said to hold no token logs, then 1",
    )
    expect(requestsOf(bodies.at(-1)!)[0]!.params).toMatchObject([{ fromBlock: "0x3", toBlock: "0x5" }])
  })

  test("that came apart from their header are nothing where the node no longer has the last block", async () => {
    const refusal = () => json({ id: null, error: { code: -32600, message: "no batches" } })
    const alone = nodeWith([rawLog(2, 0)])
    play([refusal, alone, alone, answer(() => null)])
    expect((await failureOf(source().logs(1, 5))).message).toBe("eth_getBlockByNumber: the node has no block 5 yet")
  })

  test("that the node has not reached yet are no empty answer", async () => {
    play([answer(({ method }) => (method === "eth_getLogs" ? [] : null))])
    expect(await failureOf(source().logs(1, 5))).toMatchObject({
      _tag: "SourceUnavailable",
      message: "eth_getBlockByNumber: the node has no block 5 yet",
    })
  })

  test("refused for their number come with the node's proposal", async () => {
    const bodies = play([
      (body) =>
        json(
          requestsOf(body).map(({ id, method, params }) =>
            method === "eth_getLogs"
              ? {
                  id,
                  error: {
                    code: -32005,
                    message: "query returned more than 10000 results. Try with this block range [0x1, 0x3].",
                  },
                }
              : { id, result: block(Number(params[0])) },
          ),
        ),
    ])
    expect(await failureOf(source().logs(1, 50))).toMatchObject({ _tag: "RangeRefused", suggestedTo: 3 })
    expect(bodies.length).toBe(1)
  })

  test("refused in more words come with the proposal that stands at their end", async () => {
    const cap = "with up to a 2K block range and no limit on the response size"
    const any = "you can request any block range with a cap of 10K logs in the response"
    const works =
      "Based on your parameters and the response size limit, this block range should work: [0xc5dc00, 0xc614a7]"
    const message = `Log response size exceeded. You can make eth_getLogs requests ${cap}, or ${any}. ${works}`
    expect(message.length).toBeGreaterThan(300)
    unwilling(() => ({ error: { code: -32602, message } }))
    expect(await failureOf(source().logs(0xc5dc00, 0xc6dc00))).toMatchObject({
      _tag: "RangeRefused",
      suggestedTo: 0xc614a7,
    })
  })

  test("refused together with the header are refused, not asked for again", async () => {
    const bodies = play([refuse(-32602, "block range is too wide")])
    expect((await failureOf(source().logs(1, 50)))._tag).toBe("RangeRefused")
    expect(bodies.length).toBe(1)
  })

  test("refused by HTTP 413 are refused", async () => {
    play([() => new Response("too large", { status: 413 })])
    expect((await failureOf(source().logs(1, 50)))._tag).toBe("RangeRefused")
  })

  /** A node that gives every header, and logs by `refusal`. */
  const unwilling = (refusal: (request: Request) => Record<string, unknown> | Response) =>
    play([
      (body) => {
        const answers = requestsOf(body).map((request) =>
          request.method === "eth_getLogs" ? refusal(request) : { result: block(Number(request.params[0])) },
        )
        const response = answers.find((each): each is Response => each instanceof Response)
        const bodies = answers.map((each, place) => ({ id: requestsOf(body)[place]!.id, ...each }))
        return response ?? json(Array.isArray(body) ? bodies : bodies[0])
      },
    ])

  const unknown: ReadonlyArray<[string, () => Record<string, unknown> | Response]> = [
    ["words that nobody knows", () => ({ error: { code: -32000, message: "no, not these" } })],
    ["a limit of nobody knows what", () => ({ error: { code: -32005, message: "limit exceeded" } })],
    ["a method that is not served", () => ({ error: { code: -32601, message: "the method does not exist" } })],
    ["HTTP 500", () => new Response("boom", { status: 500 })],
    ["half a body", () => new Response('[{"jsonrpc":"2.0","id":1,"resu')],
  ]
  for (const [name, refusal] of unknown) {
    test(`refused by ${name} again and again, where headers come, are refused`, async () => {
      unwilling(refusal)
      expect((await failureOf(source().logs(1, 50)))._tag).toBe("RangeRefused")
      expect((await failureOf(source().logs(7, 7)))._tag).toBe("RangeRefused")
    })
  }

  test("refused in words that nobody knew are refused at once the next time, until logs come after all", async () => {
    let refuses = true
    const bodies = unwilling(() => (refuses ? { error: { code: -32000, message: "no, not 1 to 50" } } : { result: [] }))
    const chain = source()
    await failureOf(chain.logs(1, 50))
    const first = bodies.length
    expect((await failureOf(chain.logs(1, 25)))._tag).toBe("RangeRefused")
    expect(bodies.length - first).toBe(1)
    refuses = false
    expect(await run(chain.logs(1, 12))).toEqual([])
    refuses = true
    const third = bodies.length
    await failureOf(chain.logs(13, 25))
    expect(bodies.length - third).toBe(first)
  })

  test("refused so once more are refused after a wait: what refuses may be a limit by the second", async () => {
    unwilling(() => ({ error: { code: -32000, message: "no, not 1 to 50" } }))
    const chain = source()
    await failureOf(chain.logs(1, 50))
    const waits: Array<number> = []
    const refused = await run(
      Clock.clockWith((clock) => {
        const sleep = (duration: Duration.Duration) => Effect.sync(() => void waits.push(Duration.toMillis(duration)))
        const noting: Clock.Clock = Object.assign(Object.create(clock), { sleep })
        return Effect.flip(Effect.provideService(chain.logs(1, 25), Clock.Clock, noting))
      }),
    )
    expect(refused._tag).toBe("RangeRefused")
    expect(waits).toHaveLength(1)
    expect(waits[0]).toBeGreaterThanOrEqual(500)
  })

  const limits: ReadonlyArray<[string, object]> = [
    ["in words of one", { code: -32005, message: "Too many requests, rate limit exceeded" }],
    [
      "by the second",
      { code: -32005, message: "You've exceeded the RPS limit available", data: { try_again_in: "560.27ms" } },
    ],
    ["that asks to be asked less", { code: -32000, message: "system overloaded, please reduce request frequency: x" }],
  ]
  for (const [name, error] of limits) {
    test(`held back by a rate limit ${name} for long are no refused range`, async () => {
      unwilling(() => ({ error }))
      expect((await failureOf(source().logs(1, 50)))._tag).toBe("SourceUnavailable")
    })
  }

  test("above the node's head are not refused, whatever it says of them", async () => {
    play([
      (body) =>
        json(
          requestsOf(body).map(({ id, method }) =>
            method === "eth_getLogs" ? { id, error: { code: -32602, message: "beyond head" } } : { id, result: null },
          ),
        ),
    ])
    expect((await failureOf(source().logs(1, 50))).message).toBe("eth_getBlockByNumber: the node has no block 50 yet")
  })

  test("refused in the data of an error are refused, with the number stated there", async () => {
    const data = { range: "exceeds the range allowed for your plan (49999 > 20)" }
    unwilling(() => ({ error: { code: -32602, message: "Invalid params", data } }))
    expect(await failureOf(source().logs(1, 50))).toMatchObject({ _tag: "RangeRefused", suggestedTo: 20 })
  })

  test("held back by a rate limit are asked for again", async () => {
    const bodies = play([refuse(-32005, "request rate exceeded"), nodeWith([rawLog(2, 0)])])
    expect(await run(source().logs(1, 50))).toEqual([log(2, 0)])
    expect(bodies.length).toBe(2)
  })
})

describe("logs of blocks by hash", () => {
  /** Knows blocks 1 to `head`; block 1 has a log; says of others nothing, as some nodes do. */
  const silentNode = (head: number) =>
    answer(({ method, params }: Request) => {
      const number = [1, 2, 3].find(
        (each) => blockHash(each) === (params[0] as { blockHash?: string }).blockHash || blockHash(each) === params[0],
      )!
      if (method === "eth_getLogs") return number === 1 ? [rawLog(1, 0)] : []
      return number <= head ? block(number) : null
    })

  test("are one list per block, empty only where the node has the block", async () => {
    play([silentNode(2)])
    expect(await run(source().logsOfBlocks([1, 2, 3].map(blockHash)))).toEqual([[log(1, 0)], [], undefined])
  })

  describe("of which there are none count only with the block's header from the same answer", () => {
    const sourceWith = (options: Parameters<typeof clientOf>[0]) =>
      sourceOf({
        client: clientOf({ attempts: 2, concurrency: 1, ...options }),
        each: [],
        chain: { chainId: ethereum },
      })
    const hashes = (length: number) => Array.from({ length }, (_, index) => blockHash(index + 1))
    /** Of a node that has these blocks, without logs. */
    const result = ({ method, params }: Request, head = 100) => {
      const number = Array.from({ length: head }, (_, index) => index + 1).find((it) => blockHash(it) === params[0])
      return method === "eth_getLogs" ? [] : number === undefined ? null : block(number)
    }
    /** Requests behind the first question about logs, as the methods of their calls. */
    const pairsOf = (bodies: ReturnType<typeof play>, blocks: number) => {
      const sent = bodies.map((body) => requestsOf(body).map(({ method }) => method))
      let before = 0
      while (before < blocks) before += sent.shift()!.length
      return sent
    }
    const pair = ["eth_getBlockByHash", "eth_getLogs"]

    test("in as many calls and requests as the node takes", async () => {
      const bodies = play([answer((request) => result(request))])
      expect(await run(sourceWith({}).logsOfBlocks(hashes(64)))).toEqual(hashes(64).map(() => []))
      const sent = pairsOf(bodies, 64)
      expect(sent.map(({ length }) => length)).toEqual([50, 50, 28])
    })

    test("where the node takes an odd number of calls at once", async () => {
      const bodies = play([answer((request) => result(request))])
      expect(await run(sourceWith({ batchSize: 3 }).logsOfBlocks(hashes(4)))).toEqual([[], [], [], []])
      expect(pairsOf(bodies, 4)).toEqual([pair, pair, pair, pair])
    })

    test("where a call of a request failed: the block is asked again whole", async () => {
      let failed = 0
      const bodies = play([
        (body) =>
          json(
            requestsOf(body).map((request) => {
              const { blockHash: asked } = Object(request.params[0]) as { blockHash?: string }
              const fails = requestsOf(body).length > 4 && asked === blockHash(2) && failed++ === 0
              const busy = { code: -32005, message: "request rate exceeded" }
              return fails ? { id: request.id, error: busy } : { id: request.id, result: result(request) }
            }),
          ),
      ])
      expect(await run(sourceWith({}).logsOfBlocks(hashes(3)))).toEqual([[], [], []])
      expect(failed).toBe(1)
      expect(pairsOf(bodies, 3)).toEqual([[...pair, ...pair, ...pair], ["eth_getLogs"], pair])
    })

    test("where the node takes no batches, and then from before and behind", async () => {
      const first = answer((request) => result(request))
      const behind = answer((request) => result(request, 0))
      const bodies = play([first])
      expect(await run(sourceWith({ batchSize: 1 }).logsOfBlocks(hashes(1)))).toEqual([[]])
      expect(pairsOf(bodies, 1)).toEqual([...pair, "eth_getBlockByHash"].map((method) => [method]))
      for (const backends of [
        [first, behind, first, first],
        [first, first, behind, behind],
      ]) {
        server.resetHandlers()
        play(backends)
        expect(await run(sourceWith({ batchSize: 1 }).logsOfBlocks(hashes(1)))).toEqual([undefined])
      }
    })
  })

  for (const message of ["unknown block", "Block not found", "header not found"]) {
    test(`are undefined where the node says ${message}`, async () => {
      play([refuse(-32000, message)])
      expect(await run(source().logsOfBlocks([blockHash(1)]))).toEqual([undefined])
    })
  }

  test("are those of pools too where swaps are followed, also from receipts", async () => {
    const swap = rawLog(1, 1, { topics: [swapTopics.v3, ...rawLog(1, 1).topics.slice(1)] })
    const other = rawLog(1, 2, { topics: [hash("Sync(uint112,uint112)")] })
    const receipt = { blockHash: blockHash(1), transactionHash: hash("tx 1"), logs: [rawLog(1, 0), swap, other] }
    const one = ({ id, method }: Request) => {
      if (method === "eth_getLogs") return { id, error: { code: -32602, message: "blockHash is not supported" } }
      if (method === "eth_getBlockReceipts") return { id, result: [receipt] }
      return { id, result: { ...block(1), transactions: [hash("tx 1")] } }
    }
    for (const [swaps, found] of [
      [true, [0, 1]],
      [false, [0]],
    ] as const) {
      play([(body) => json(Array.isArray(body) ? body.map(one) : one(body as Request))])
      const [logs] = await run(source(undefined, swaps).logsOfBlocks([blockHash(1)]))
      expect(logs?.map(({ logIndex }) => logIndex)).toEqual([...found])
    }
  })

  test("come by fewer receipts than transactions where the bloom shows that no log is missing, on a chain whose roots tell nothing", async () => {
    const receiptOf = (number: number) => ({
      blockHash: blockHash(number),
      transactionHash: hash(`tx ${number}`),
      logs: [rawLog(number, 0)],
    })
    const logsBloom = bloomOfReceipts([receiptOf(1)])
    const numberOf = (params: ReadonlyArray<unknown>) => [1, 2].find((it) => blockHash(it) === params[0])!
    const blockOf = (number: number) => ({
      ...block(number),
      logsBloom,
      receiptsRoot: `0x${"1".repeat(64)}`,
      transactions: [hash(`tx ${number}`), ...(number === 2 ? [hash("failed early")] : [])],
    })
    const one = ({ id, method, params }: Request) => {
      if (method === "eth_getLogs") return { id, error: { code: -32602, message: "blockHash is not supported" } }
      if (method === "eth_getBlockReceipts") return { id, result: [receiptOf(Number(params[0]))] }
      return { id, result: method === "eth_getBlockByHash" ? blockOf(numberOf(params)) : null }
    }
    play([(body) => json(Array.isArray(body) ? body.map(one) : one(body as Request))])
    const chain = source()
    const fewer = chain.logsOfBlocks([blockHash(2)])
    expect((await failureOf(fewer)).message).toContain("eth_getTransactionReceipt")
    expect(await run(chain.logsOfBlocks([blockHash(1)]))).toEqual([[log(1, 0)]])
    expect(await run(fewer)).toEqual([[log(2, 0)]])
  })

  const refusals: ReadonlyArray<[string, () => Response | { readonly code: number; readonly message: string }]> = [
    ["HTTP 413", () => new Response("too large", { status: 413 })],
    ["HTTP 500", () => new Response("boom", { status: 500 })],
    ["half a body", () => new Response('[{"jsonrpc":"2.0","id":1,"resu')],
    ["words that nobody knows", () => ({ code: -32000, message: "blockHash filter is not supported" })],
    ["too many results", () => ({ code: -32005, message: "query returned more than 20 results" })],
  ]
  for (const [name, refusal] of refusals) {
    test(`refused by ${name} come by the receipts`, async () => {
      play([
        (body) => {
          const requests = requestsOf(body)
          const refused = refusal()
          const logs = requests.some(({ method }) => method === "eth_getLogs")
          if (logs && refused instanceof Response) return refused
          const answers = requests.map(({ id, method, params }) => {
            if (method === "eth_getLogs") return { id, error: refused }
            const number = method === "eth_getBlockReceipts" ? Number(params[0]) : params[0] === blockHash(1) ? 1 : 2
            const transactionHash = hash(`tx ${number}`)
            if (method === "eth_getBlockByHash") {
              return { id, result: { ...block(number), transactions: [transactionHash] } }
            }
            const receipt = { blockHash: blockHash(number), transactionHash, logs: [rawLog(number, 0)] }
            return { id, result: [receipt] }
          })
          return json(Array.isArray(body) ? answers : answers[0])
        },
      ])
      expect(await run(source().logsOfBlocks([1, 2].map(blockHash)))).toEqual([[log(1, 0)], [log(2, 0)]])
    })
  }

  test("of another block are not believed", async () => {
    play([answer(() => [rawLog(1, 0)])])
    const error = await failureOf(source().logsOfBlocks([blockHash(2)]))
    expect(error.message).toContain("which was not asked for")
  })
})

test("of a block another node than the one that told it is asked, also while the preferred one is left out for long", async () => {
  const third = "http://third.test/"
  const node = (id: string, logs: ReadonlyArray<unknown>) =>
    answer(({ method }) => (method === "eth_chainId" ? id : method === "eth_getLogs" ? logs : block(7)))
  play([node("0x5", [])])
  play([node("0x1", [])], otherUrl)
  play([node("0x1", [rawLog(7, 0)])], third)
  const nodes = nodesOf([url, otherUrl, third])
  const options = { concurrency: 4, attempts: 3, backoffMs: 1, longestRestMs: 1000, chainId: ethereum }
  const { head, crossCheck } = sourceOf({
    client: clientOfNodes(nodes, options),
    each: nodes.map((one) => clientOfNodes([one], options)),
    chain: { chainId: ethereum, receipts: false },
  })
  const [checked] = await run(
    Effect.gen(function* () {
      yield* head
      yield* TestClock.adjust(61_000)
      yield* head
      return yield* crossCheck([blockHash(7)])
    }).pipe(Effect.provide(TestClock.layer())),
  )
  expect(checked!.second).toEqual([log(7, 0)])
})

test("a hundred thousand logs of one answer are read, in their order", () => {
  const count = 100_000
  const logs = Array.from({ length: count }, (_, index) => rawLog(1 + Math.floor(index / 500), index % 500))
  const text = JSON.stringify(logs)
  const read = readLogs(JSON.parse(text), { fromBlock: 1, toBlock: 200 })
  expect(read.map(({ blockNumber, logIndex }) => (blockNumber - 1) * 500 + logIndex)).toEqual([...logs.keys()])
})

describe("a contract's own logs", () => {
  const nodes = () => {
    const each = [url, otherUrl].map((node) => clientOf({ attempts: 1 }, [node]))
    return sourceOf({ client: clientOf({ attempts: 2 }, [url]), each, chain: { chainId: ethereum, swaps: true } })
  }
  const own = () => nodes().contractLogs!(address, 3, 9)

  test("are asked of every node, others than the one in use first, by its address and without those of pools", async () => {
    const bodies = [play([nodeWith([])]), play([nodeWith([rawLog(4, 1)])], otherUrl)]
    expect(await run(own())).toEqual({
      answers: [
        { node: "http://other.test", logs: [log(4, 1)] },
        { node: "http://node.test", logs: [] },
      ],
      silent: [],
    })
    for (const body of bodies) {
      const asked = body.flatMap(requestsOf).find(({ method }) => method === "eth_getLogs")
      expect(asked?.params).toEqual([
        { topics: [Object.values(topics)], address: [address], fromBlock: "0x3", toBlock: "0x9" },
      ])
    }
  })

  test("of a node that fails are not there, and it is named; a refusal of so many blocks by all is said", async () => {
    play([nodeWith([rawLog(4, 1)])])
    play([() => new Response("", { status: 500 })], otherUrl)
    const { answers, silent } = await run(own())
    expect(answers).toEqual([{ node: "http://node.test", logs: [log(4, 1)] }])
    expect(silent).toEqual([{ node: "http://other.test", why: expect.stringContaining("500") }])
    server.resetHandlers()
    for (const node of [url, otherUrl]) play([refuse(-32005, "query returned more than 10000 results")], node)
    expect((await failureOf(own()))._tag).toBe("RangeRefused")
  })

  /** Refuses longer ranges. */
  const most =
    (blocks: number, logs: ReadonlyArray<{ readonly blockNumber: string }>) =>
    (body: Parameters<ReturnType<typeof answer>>[0]) => {
      const one = ({ id, method, params }: Request) => {
        if (method === "eth_getBlockByNumber") return { jsonrpc: "2.0", id, result: block(Number(params[0])) }
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string }
        const [from, to] = [Number(fromBlock), Number(toBlock)]
        if (to - from < blocks) {
          const result = logs.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to)
          return { jsonrpc: "2.0", id, result }
        }
        return { jsonrpc: "2.0", id, error: { code: -32005, message: "block range too large" } }
      }
      return json(Array.isArray(body) ? body.map(one) : one(body as Request))
    }

  test("of a node that takes shorter ranges come in pieces; where they are too many, fewer blocks are to be asked for", async () => {
    play([nodeWith([])])
    play([most(2, [rawLog(4, 1), rawLog(9, 0)])], otherUrl)
    expect((await run(own())).answers[0]).toEqual({ node: "http://other.test", logs: [log(4, 1), log(9, 0)] })
    server.resetHandlers()
    play([nodeWith([])])
    play([most(2, [])], otherUrl)
    const refused = await failureOf(nodes().contractLogs!(address, 3, 900))
    expect(refused._tag).toBe("RangeRefused")
    expect((refused as { suggestedTo?: number }).suggestedTo).toBeGreaterThan(20)
  })

  test("of a node that has not come so far say nothing", async () => {
    const behind = answer(({ method }: Request) => (method === "eth_getLogs" ? [] : null))
    play([behind])
    play([behind], otherUrl)
    expect((await failureOf(own()))._tag).toBe("SourceUnavailable")
  })
})
