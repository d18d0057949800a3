/** The LogSearch port over `eth_getLogs`: range after range from below, until the window is full or the range is searched. */
import { Effect, Layer } from "effect"
import type { Log } from "../../../model/block.ts"
import { RangeRefused, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { type FoundLog, type LogFilter, LogSearch, LogsRefused, type LogWindow } from "../../../ports/LogSearch.ts"
import type { RpcClient } from "../transport/client.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { blockCall, gasPriceCall, rangeCalls, receiptCall } from "./searchCalls.ts"

/** Blocks of the first range; after one with few logs the next is four times as long. */
const firstLength = 100_000
const fewLogs = 1000
/** Ranges of one search. */
const mostRanges = 60
const usualTimeoutMs = 15_000
/** Behind one address nodes are apart by no more than so many blocks, nor by so long: a fast chain makes those blocks in a second. */
const mostApart = { blocks: 64, seconds: 600 }

export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    LogSearch,
    Effect.map(RpcClients.RpcClients, (clients) =>
      LogSearch.of({ find: (chainId, filter, window) => findLogs(clients.of(chainId).hasty, filter, window) }),
    ),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Exported for tests, which bring a client of their own. */
export const findLogs = (client: RpcClient, filter: LogFilter, window: LogWindow, timeoutMs = usualTimeoutMs) =>
  Effect.gen(function* () {
    const { logs, searchedTo } = yield* search(client, filter, window.skip + window.take)
    return { searchedTo, logs: yield* withFacts(client, logs.slice(window.skip)) }
  }).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () =>
        Effect.fail(new LogsRefused({ message: `the node takes more than ${timeoutMs / 1000} s: narrow the blocks` })),
    }),
    Effect.withSpan("RpcLogSearch.find"),
  )

const search = Effect.fnUntraced(function* (client: RpcClient, filter: LogFilter, wanted: number) {
  const [head] = yield* client.batch([blockCall("latest")])
  if (head === undefined) return yield* unsure(client, "it has no newest block")
  const end = Math.min(filter.toBlock ?? head.number, head.number)
  let found: ReadonlyArray<Log> = []
  let from = filter.fromBlock
  let length = firstLength
  for (let ranges = 0; from <= end && found.length < wanted; ranges++) {
    if (ranges === mostRanges) return yield* tooWide(`after ${mostRanges} questions block ${from} is reached`)
    const to = Math.min(end, from + length - 1)
    const logs = yield* range(client, filter, { from, to, head })
    if (logs instanceof RangeRefused) {
      if (to === from) return yield* tooWide(`it does not tell the logs of block ${from}`)
      length = Math.max(
        1,
        logs.suggestedTo === undefined ? Math.ceil((to - from + 1) / 4) : logs.suggestedTo - from + 1,
      )
      continue
    }
    found = [...found, ...logs]
    if (logs.length < fewLogs && to - from + 1 === length) length *= 4
    from = to + 1
  }
  return { logs: found.slice(0, wanted), searchedTo: found.length > wanted ? found[wanted - 1]!.blockNumber : from - 1 }
})

type Header = NonNullable<ReturnType<ReturnType<typeof blockCall>["read"]>>

interface Range {
  readonly from: number
  readonly to: number
  readonly head: Header
}

/** The last block comes with the logs, from the same node: one that has it not yet knows none of its logs. */
const range = Effect.fnUntraced(function* (client: RpcClient, filter: LogFilter, asked: Range) {
  const { from, to, head } = asked
  const calls = rangeCalls(filter, from, to)
  const { values, whole, tellers } = yield* client.together<unknown>([...calls, blockCall(to)])
  const answers = values.slice(0, -1) as ReadonlyArray<ReadonlyArray<Log> | RangeRefused>
  const refused = answers.find((it) => it instanceof RangeRefused)
  if (refused !== undefined) return refused
  const lists = answers as ReadonlyArray<ReadonlyArray<Log>>
  const last = values.at(-1) as Header | undefined
  if (last === undefined) return yield* unsure(client, `it does not have block ${to} yet`)
  if (!whole) {
    const isDeep = to <= head.number - mostApart.blocks && last.time <= head.time - mostApart.seconds
    if (!isDeep || tellers.some((teller) => teller !== tellers[0]))
      return yield* unsure(client, `it does not tell block ${to} and its logs in one answer`)
    yield* checkApart(client, filter, { ...asked, last, lists })
  }
  return lists.length === 1 ? lists[0]! : merged(lists)
})

interface Apart extends Range {
  readonly last: Header
  readonly lists: ReadonlyArray<ReadonlyArray<Log>>
}

/** Asked apart, the logs may be of a node that is behind the one with the last block, and end early: what comes after the last of them is asked again. */
const checkApart = Effect.fnUntraced(function* (
  client: RpcClient,
  filter: LogFilter,
  { from, to, last, lists }: Apart,
) {
  const behind = lists.flatMap((logs, place) => {
    const next = (logs.at(-1)?.blockNumber ?? from - 1) + 1
    return next > to ? [] : [rangeCalls(filter, next, to)[place]!]
  })
  const [[again], more] = yield* Effect.all([client.batch([blockCall(to)]), client.batch(behind)])
  if (again?.hash !== last.hash) return yield* unsure(client, `it has block ${to}, and has it not`)
  if (more.some((it) => it instanceof RangeRefused || it.length > 0))
    return yield* unsure(client, `it left out logs of the blocks up to ${to}`)
})

/** Each once, ascending. */
const merged = (lists: ReadonlyArray<ReadonlyArray<Log>>): ReadonlyArray<Log> => {
  const byPlace = new Map(lists.flat().map((log) => [`${log.blockNumber} ${log.logIndex}`, log]))
  return [...byPlace.values()].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}

const withFacts = Effect.fnUntraced(function* (client: RpcClient, logs: ReadonlyArray<Log>) {
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const hashes = [...new Set(logs.map(({ txHash }) => txHash))]
  const headers = new Map(
    (yield* client.batch(numbers.map(blockCall))).map((header, place) => [numbers[place], header]),
  )
  const receipts = new Map((yield* client.batch(hashes.map(receiptCall))).map((it, place) => [hashes[place]!, it]))
  const unpriced = hashes.filter((hash) => receipts.get(hash)?.gasPrice === undefined)
  const prices = yield* client.batch(unpriced.map(gasPriceCall))
  const priced = new Map(prices.map((price, place) => [unpriced[place]!, price]))
  const found: Array<FoundLog> = []
  for (const log of logs) {
    const header = headers.get(log.blockNumber)
    const { blockHash, txIndex, gasUsed, gasPrice = priced.get(log.txHash)! } = receipts.get(log.txHash)!
    const isOne = header?.hash === log.blockHash && blockHash === log.blockHash && (log.txIndex ?? txIndex) === txIndex
    if (!isOne) return yield* unsure(client, `block ${log.blockNumber} was replaced meanwhile`)
    found.push({ ...log, txIndex, gasUsed, gasPrice, time: header.time })
  }
  return found
})

const unsure = ({ label }: RpcClient, why: string) =>
  Effect.fail(new SourceUnavailable({ message: `${label}: ${why}` }))

const tooWide = (why: string) =>
  Effect.fail(new LogsRefused({ message: `the range is too wide, ${why}: narrow the blocks` }))
