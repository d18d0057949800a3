/** A search of logs against brute force: whatever the node's limits are, all that match, or a failure. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { findLogs } from "../../../src/adapters/rpc/passing/RpcLogSearch.ts"
import { isWanted } from "../../../src/adapters/rpc/passing/searchCalls.ts"
import type { Log } from "../../../src/model/block.ts"
import type { LogFilter } from "../../../src/ports/LogSearch.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { clientOf, failureOf, json, play, type Request, requestsOf, run, server } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const blockHash = (number: number) => hash(`block ${number}`)
const topic = (value: number) => `0x${value.toString(16).padStart(64, "0")}`
const quantity = (value: number | bigint) => `0x${value.toString(16)}`

const logAt = (blockNumber: number, logIndex: number, of: number, topics: ReadonlyArray<number>): Log => ({
  address: address(of),
  topics: topics.map(topic),
  data: "0xab",
  blockNumber,
  blockHash: blockHash(blockNumber),
  logIndex,
  txHash: hash(`${blockNumber} ${Math.floor(logIndex / 2)}`),
  txIndex: Math.floor(logIndex / 2),
})

interface Node {
  readonly logs: ReadonlyArray<Log>
  readonly head: number
  /** Blocks of one range at most. */
  readonly mostBlocks?: number
  /** How it refuses more of them; absent = it says how many it takes. */
  readonly refusal?: object
  /** What differs from the true answer. */
  readonly lie?: (request: Request, result: unknown) => unknown
  /** Receipts of before London have no effectiveGasPrice. */
  readonly isOld?: boolean
  /** The newest block of whoever answers this request: nodes behind one address are not level. */
  readonly headOf?: (request: Request) => number
  readonly blocksPerSecond?: number
}

/** A node that answers truly, in the shape of the real ones. */
const playNode = ({
  logs,
  head,
  mostBlocks = Number.POSITIVE_INFINITY,
  refusal = { code: -32000, message: `block range is too wide: up to ${mostBlocks} blocks` },
  lie = (_, result) => result,
  isOld,
  headOf = () => head,
  blocksPerSecond = 1,
}: Node): void => {
  play([
    (body) => {
      const answers = requestsOf(body).map((request) => {
        const answer = answerOf(request)
        return {
          jsonrpc: "2.0",
          id: request.id,
          ...("error" in answer ? answer : { result: lie(request, answer.result) }),
        }
      })
      return json(Array.isArray(body) ? answers : answers[0])
    },
  ])
  function answerOf(request: Request): { error: object } | { result: unknown } {
    const { method, params } = request
    const head = headOf(request)
    if (method === "eth_getLogs") {
      const asked = params[0] as { fromBlock: string; toBlock: string; address?: string; topics: Array<string | null> }
      const [from, to] = [Number(asked.fromBlock), Number(asked.toBlock)]
      if (to - from + 1 > mostBlocks) return { error: refusal }
      const found = logs.filter(
        (log) =>
          log.blockNumber >= from &&
          log.blockNumber <= Math.min(to, head) &&
          (asked.address === undefined || asked.address === log.address) &&
          asked.topics.length <= log.topics.length &&
          asked.topics.every((wanted, place) => wanted === null || wanted === log.topics[place]),
      )
      return {
        result: found.map(({ blockNumber, logIndex, txHash, txIndex, ...log }) => ({
          ...log,
          blockNumber: quantity(blockNumber),
          logIndex: quantity(logIndex),
          transactionHash: txHash,
          transactionIndex: quantity(txIndex!),
        })),
      }
    }
    if (method === "eth_getBlockByNumber") {
      const number = params[0] === "latest" ? head : Number(params[0])
      if (number > head) return { result: null }
      return {
        result: {
          number: quantity(number),
          hash: blockHash(number),
          parentHash: blockHash(number - 1),
          timestamp: quantity(1_700_000_000 + Math.floor(number / blocksPerSecond)),
        },
      }
    }
    const log = logs.find(({ txHash }) => txHash === params[0])!
    if (method === "eth_getTransactionByHash") return { result: { hash: log.txHash, gasPrice: "0x7" } }
    return {
      result: {
        transactionHash: log.txHash,
        blockHash: log.blockHash,
        transactionIndex: quantity(log.txIndex!),
        gasUsed: quantity(21_000 + log.blockNumber),
        ...(isOld ? {} : { effectiveGasPrice: quantity(BigInt(log.blockNumber) * 10n ** 18n) }),
      },
    }
  }
}

const client = () => clientOf({ attempts: 2 })
const anywhere: LogFilter = { fromBlock: 0, topics: [], match: "all", address: address(1) }
const whole = { skip: 0, take: 1000 }
const told = (log: Log) => ({
  ...log,
  txIndex: log.txIndex!,
  time: 1_700_000_000 + log.blockNumber,
  gasUsed: BigInt(21_000 + log.blockNumber),
  gasPrice: BigInt(log.blockNumber) * 10n ** 18n,
})

test("any filter, any window, any limit of the node: what brute force finds", async () => {
  const some = fc.record({
    at: fc.integer({ min: 0, max: 40 }),
    of: fc.integer({ min: 1, max: 2 }),
    topics: fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 4 }),
  })
  const filters = fc.record({
    fromBlock: fc.integer({ min: 0, max: 45 }),
    toBlock: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
    of: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
    topics: fc.array(fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }), { minLength: 4, maxLength: 4 }),
    match: fc.constantFrom("all" as const, "any" as const),
  })
  const windows = fc.record({ skip: fc.integer({ min: 0, max: 12 }), take: fc.integer({ min: 1, max: 12 }) })
  const limits = fc.option(fc.integer({ min: 2, max: 30 }), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(
      fc.array(some, { maxLength: 40 }),
      filters,
      windows,
      limits,
      async (events, asked, window, limit) => {
        const logs = events.sort((a, b) => a.at - b.at).map(({ at, of, topics }, index) => logAt(at, index, of, topics))
        playNode({ logs, head: 42, ...(limit !== undefined && { mostBlocks: limit }) })
        const { of, topics, toBlock, ...rest } = asked
        const hasTopic = topics.some((it) => it !== undefined)
        const filter: LogFilter = {
          ...rest,
          ...(toBlock !== undefined && { toBlock }),
          ...(of !== undefined && { address: address(of) }),
          topics: topics.map((it) => (it === undefined ? undefined : topic(it))) as unknown as LogFilter["topics"],
          ...(hasTopic ? {} : { match: "all" as const }),
        }
        const wanted = logs.filter(
          (log) => log.blockNumber >= filter.fromBlock && log.blockNumber <= (toBlock ?? 42) && isWanted(filter, log),
        )
        const { logs: found, searchedTo } = await run(findLogs(client(), filter, window))
        expect(found).toEqual(wanted.slice(window.skip, window.skip + window.take).map(told))
        if (found.length < window.take)
          expect(searchedTo).toBeGreaterThanOrEqual(Math.min(toBlock ?? 42, 42, Math.max(filter.fromBlock - 1, 0)))
      },
    ),
    { numRuns: 60 },
  )
})

test("a search of millions of blocks takes a few questions", async () => {
  const logs = [logAt(7, 0, 1, []), logAt(19_999_999, 1, 1, [])]
  playNode({ logs, head: 20_000_000 })
  expect((await run(findLogs(client(), anywhere, whole))).logs).toEqual(logs.map(told))
})

describe("a range that is refused in words that nobody knows", () => {
  const logs = [logAt(7, 0, 1, [1]), logAt(39_000, 1, 1, [2])]
  const refusal = { code: -32005, message: "limit exceeded" }

  test("is asked in shorter ones", async () => {
    playNode({ logs, head: 40_000, mostBlocks: 10_000, refusal })
    expect((await run(findLogs(client(), anywhere, whole))).logs).toEqual(logs.map(told))
  })

  test("is none by a limit of requests, nor where a single block is refused so", async () => {
    playNode({ logs, head: 40_000, mostBlocks: 10_000, refusal: { code: -32005, message: "rate limit exceeded" } })
    expect(await failureOf(findLogs(client(), anywhere, whole))).toMatchObject({ _tag: "SourceUnavailable" })
    playNode({ logs, head: 20, mostBlocks: 0, refusal })
    const failure = await failureOf(findLogs(client(), anywhere, whole))
    expect(failure).toMatchObject({ _tag: "SourceUnavailable", message: expect.stringContaining("limit exceeded") })
  })
})

test("what receipts of old nodes leave out is the transaction's", async () => {
  const logs = [logAt(7, 0, 1, [])]
  playNode({ logs, head: 20, isOld: true })
  expect((await run(findLogs(client(), anywhere, whole))).logs).toMatchObject([{ gasPrice: 7n }])
})

describe("no part passes for the whole:", () => {
  const logs = [logAt(3, 0, 1, []), logAt(4, 1, 1, [])]
  test.each([
    [
      "a node that does not have the range's last block",
      (request: Request, result: unknown) =>
        request.method === "eth_getBlockByNumber" && request.params[0] !== "latest" ? null : result,
    ],
    [
      "logs of another contract",
      (request: Request, result: unknown) =>
        request.method === "eth_getLogs"
          ? (result as Array<object>).map((log) => ({ ...log, address: address(2) }))
          : result,
    ],
    [
      "a block that was replaced",
      (request: Request, result: unknown) =>
        request.method === "eth_getBlockByNumber" && request.params[0] === "0x3"
          ? { ...(result as object), hash: hash("another") }
          : result,
    ],
    [
      "a receipt of another block",
      (request: Request, result: unknown) =>
        request.method === "eth_getTransactionReceipt" ? { ...(result as object), blockHash: hash("another") } : result,
    ],
    [
      "a receipt of another transaction",
      (request: Request, result: unknown) =>
        request.method === "eth_getTransactionReceipt"
          ? { ...(result as object), transactionHash: hash("another") }
          : result,
    ],
    [
      "no receipt",
      (request: Request, result: unknown) => (request.method === "eth_getTransactionReceipt" ? null : result),
    ],
    [
      "a receipt without gas",
      (request: Request, result: unknown) =>
        request.method === "eth_getTransactionReceipt" ? { ...(result as object), gasUsed: null } : result,
    ],
    ["no list", (request: Request, result: unknown) => (request.method === "eth_getLogs" ? null : result)],
  ])("%s", async (_, lie) => {
    playNode({ logs, head: 20, lie })
    expect(await failureOf(findLogs(client(), anywhere, whole))).toMatchObject({ _tag: "SourceUnavailable" })
  })

  describe("a node that takes no batches, and answers of backends that are not level:", () => {
    const alone = () => clientOf({ attempts: 2, batchSize: 1 })
    const late = [...logs, logAt(9930, 2, 1, [1])]
    const head = 10_000
    /** The searches that are answered from further below than the others, by their number. */
    const lateAt = (behind: number, isLate: (search: number) => boolean) => {
      let searches = 0
      return ({ method }: Request) => (method === "eth_getLogs" && isLate(searches++) ? head - behind : head)
    }

    test("of a chain of a hundred blocks a second", async () => {
      const headOf = lateAt(70, () => true)
      playNode({ logs: late, head, headOf, blocksPerSecond: 100 })
      expect(await failureOf(findLogs(alone(), { ...anywhere, toBlock: head - 65 }, whole))).toMatchObject({
        _tag: "SourceUnavailable",
      })
    })

    test.each([
      ["one question", anywhere],
      ["a question for each topic", { ...anywhere, topics: [topic(1), topic(2)], match: "any" }],
    ] satisfies ReadonlyArray<[string, LogFilter]>)("%s, one backend far behind", async (_, filter) => {
      const toBlock = head - 700
      const found = [logAt(3, 0, 1, [1]), logAt(toBlock - 10, 1, 1, [1])]
      const first = filter.match === "any" ? 2 : 1
      playNode({ logs: found, head, headOf: lateAt(800, (search) => search < first) })
      expect(await failureOf(findLogs(alone(), { ...filter, toBlock }, whole))).toMatchObject({
        _tag: "SourceUnavailable",
      })
      playNode({ logs: found, head })
      expect((await run(findLogs(alone(), { ...filter, toBlock }, whole))).logs).toEqual(found.map(told))
    })
  })

  test("a range that needs too many questions", async () => {
    playNode({ logs, head: 20_000_000, mostBlocks: 100 })
    expect(await failureOf(findLogs(client(), anywhere, whole))).toMatchObject({ _tag: "LogsRefused" })
  })

  test("a block whose logs the node does not tell", async () => {
    playNode({ logs, head: 20, mostBlocks: 0 })
    expect(await failureOf(findLogs(client(), anywhere, whole))).toMatchObject({ _tag: "LogsRefused" })
  })

  test("a node that takes too long", async () => {
    play([() => new Promise(() => {})])
    expect(await failureOf(findLogs(clientOf({ timeoutMs: 60_000 }), anywhere, whole, 100))).toMatchObject({
      _tag: "LogsRefused",
    })
  })
})
