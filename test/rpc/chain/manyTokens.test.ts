/** Logs of more tokens than a node takes in one call: asked for in lists, and told as one answer. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { sourceOf } from "../../../src/adapters/rpc/chain/RpcChainSource.ts"
import { topics } from "../../../src/domain/ingest/decode/topics.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { clientOf, failureOf, json, play, type Request, requestsOf, run, server } from "../node.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const tokens = Array.from({ length: 2500 }, (_, place) => address(1 + place))
const source = (batchSize = 50) =>
  sourceOf({
    client: clientOf({ attempts: 2, batchSize }),
    each: [],
    chain: { chainId: ChainId.make("1"), tokens, receipts: false },
  })

const blockHash = (number: number) => hash(`block ${number}`)
const quantity = (number: number) => `0x${number.toString(16)}`
const rawLog = (blockNumber: number, logIndex: number, token: number, transactionIndex = logIndex) => ({
  address: address(token),
  topics: [topics.transfer, `0x${"1".padStart(64, "0")}`, `0x${"2".padStart(64, "0")}`],
  data: `0x${"0f".padStart(64, "0")}`,
  blockNumber: quantity(blockNumber),
  blockHash: blockHash(blockNumber),
  transactionHash: hash(`tx ${blockNumber} ${transactionIndex}`),
  transactionIndex: quantity(transactionIndex),
  logIndex: quantity(logIndex),
})
type RawLog = ReturnType<typeof rawLog>
/** Of the first, the second and the third list, in one block and in several. */
const logs = [rawLog(2, 0, 2500), rawLog(2, 1, 1), rawLog(2, 2, 1001), rawLog(2, 3, 1000), rawLog(4, 0, 2000)]
const places = [2, 2, 2, 2, 4].map((number, place) => [number, [0, 1, 2, 3, 0][place]!])

interface Filter {
  readonly address: ReadonlyArray<string>
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
}
const isAsked = (log: RawLog, { address: asked, fromBlock, toBlock, blockHash: of }: Filter) =>
  asked.includes(log.address) &&
  (of === undefined
    ? Number(log.blockNumber) >= Number(fromBlock) && Number(log.blockNumber) <= Number(toBlock)
    : log.blockHash === of)
const trueLogs = (filter: Filter): unknown => logs.filter((log) => isAsked(log, filter))

/** A node of ten blocks that refuses more than 1,000 addresses, as geth does. */
const playNode = (logsOf: (filter: Filter) => unknown = trueLogs, has = (_: string) => true) => {
  const numbers = Array.from({ length: 10 }, (_, place) => place + 1)
  const answerTo = ({ method, params }: Request): object => {
    if (method === "eth_getLogs") {
      const filter = params[0] as Filter
      const message = "exceed max addresses or topics per search position"
      return filter.address.length > 1000 ? { error: { code: -32000, message } } : { result: logsOf(filter) }
    }
    const number = numbers.find((it) => [quantity(it), blockHash(it)].includes(String(params[0])))
    if (number === undefined || !has(String(params[0]))) return { result: null }
    const [own, parentHash] = [blockHash(number), blockHash(number - 1)]
    return { result: { number: quantity(number), hash: own, parentHash, timestamp: quantity(number) } }
  }
  server.resetHandlers()
  return play([
    (body) => {
      const answers = requestsOf(body).map((request) => ({ id: request.id, ...answerTo(request) }))
      return json(Array.isArray(body) ? answers : answers[0])
    },
  ])
}
const placesOf = (told: ReadonlyArray<{ readonly blockNumber: number; readonly logIndex: number }>) =>
  told.map(({ blockNumber, logIndex }) => [blockNumber, logIndex])

test("of a range are one answer, in the chain's order, of one request with the range's last block", async () => {
  const bodies = playNode()
  expect(placesOf(await run(source().logs(1, 9)))).toEqual(places)
  expect(bodies.map((body) => requestsOf(body).map(({ method }) => method))).toEqual([
    ["eth_getBlockByNumber", "eth_getLogs", "eth_getLogs", "eth_getLogs"],
  ])
})

test("of a range that one list is refused for are refused as far as the least that is proposed", async () => {
  play([
    (body) =>
      json(
        requestsOf(body).map(({ id, method, params }) => {
          if (method !== "eth_getLogs") return { id, result: null }
          const proposed = ["0x5", "0x3", "0x7"][tokens.indexOf((params[0] as Filter).address[0] as never) / 1000]
          return { id, error: { code: -32005, message: `more than 10000 results. Try with [0x1, ${proposed}]` } }
        }),
      ),
  ])
  expect(await failureOf(source().logs(1, 9))).toMatchObject({ _tag: "RangeRefused", suggestedTo: 3 })
})

test("of a node that takes no batches are asked for beyond the last one, list by list", async () => {
  playNode()
  expect(placesOf(await run(source(1).logs(1, 9)))).toEqual(places)
  let asked = 0
  // Whoever answers first for the second list does not have block 4 yet.
  playNode((filter) => {
    const isLate = filter.address.includes(address(2000)) && asked++ === 0
    return isLate ? [logs[2]] : trueLogs(filter)
  })
  expect((await failureOf(source(1).logs(1, 9))).message).toBe(
    "eth_getLogs: blocks 3 to 9 were said to hold no token logs, then 1",
  )
})

test("of blocks are one list each, and none is left out where a node does not have the block", async () => {
  playNode()
  const hashes = [2, 3, 4].map(blockHash)
  const told = await run(source().logsOfBlocks(hashes))
  expect(told.map((one) => one && placesOf(one))).toEqual([places.slice(0, 4), [], places.slice(4)])
  const alone = await run(source(1).logsOfBlocks(hashes))
  expect(alone.map((one) => one && placesOf(one))).toEqual([places.slice(0, 4), [], places.slice(4)])
  // Its logs of the second list come empty, from somebody who does not have it.
  let asked = 0
  playNode(
    (filter) => (filter.address.includes(address(1001)) && asked++ === 0 ? [] : trueLogs(filter)),
    (name) => name !== blockHash(2),
  )
  expect(await run(source().logsOfBlocks([blockHash(2)]))).toEqual([undefined])
})

test("of a node that does not look at the addresses are none, nor where its lists are of two forks", async () => {
  playNode(() => logs)
  expect(await failureOf(source().logs(1, 9))).toMatchObject({
    _tag: "SourceUnavailable",
    message: expect.stringContaining("that was not asked for"),
  })
  playNode((filter) =>
    filter.address.includes(address(1)) ? [{ ...rawLog(2, 1, 1), blockHash: hash("another") }] : trueLogs(filter),
  )
  expect(await failureOf(source().logs(1, 9))).toMatchObject({
    kind: "fork",
    message: "eth_getLogs: two hashes of block 2 in one answer",
  })
})

test("whose order only the lists together do not tell are not put in one", async () => {
  playNode((filter) => [rawLog(2, 0, 1, 1), rawLog(2, 1, 1001, 0)].filter((log) => isAsked(log, filter)))
  expect(await failureOf(source().logs(1, 9))).toMatchObject({ _tag: "SourceUnavailable", kind: "order" })
})
