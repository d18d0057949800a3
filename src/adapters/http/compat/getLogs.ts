/** `logs/getLogs`: every log that matches, from the ledger where that is exact, else from the chain's own node, else from the upstream. */
import { Effect, Result } from "effect"
import { findLedgerLogs } from "../../../domain/logs/ledgerLogs.ts"
import { searchLogs } from "../../../domain/logs/searchLogs.ts"
import { lacksNode } from "../../../domain/turns/nodeWait.ts"
import { addressOf } from "../../../model/primitives.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { Freshness } from "../../../ports/Freshness.ts"
import type { LedgerLogFilter } from "../../../ports/LedgerLogs.ts"
import type { FoundLog, LogFilter, LogsRefused } from "../../../ports/LogSearch.ts"
import { SyncStatus } from "../../../ports/SyncStatus.ts"
import { Upstream } from "../../../ports/Upstream.ts"
import type { CompatFault } from "../contract/faults.ts"
import type { ParameterDoc, ParameterDocs } from "../contract/parameter.ts"
import { firstValue, type Query } from "../contract/query.ts"
import { sampleContracts } from "../contract/samples.ts"
import { loadingRefusal } from "../pipeline/loading.ts"
import type { NodeAction } from "./action.ts"
import { envelopeOf } from "./dialect.ts"
import { forward } from "./outside/forward.ts"
import { isNewest, isOpenEnd, refusal, windowTooLarge } from "./parameters.ts"

const mostRows = 1000
const mostWindow = 10_000

const places = [0, 1, 2, 3] as const
const pairs = places.flatMap((a) => places.filter((b) => b > a).map((b) => [a, b] as const))

const text = (description: string, example: unknown, more = {}): ParameterDoc => ({
  description,
  schema: { type: "string", ...more },
  example,
})

const query: ParameterDocs = {
  address: text("The contract; this or a topic must be given", sampleContracts.erc20),
  fromblock: text("First block, decimal or 0x-hex", "0", { default: "0" }),
  toblock: text("Last block; `latest`, 100000000 or eight nines and more = the newest", "latest", {
    default: "latest",
  }),
  ...Object.fromEntries(
    places.map((place) => [`topic${place}`, text("A topic, 64 hex digits", `0x${"0".repeat(64)}`)]),
  ),
  ...Object.fromEntries(
    pairs.map(([a, b]) => [
      `topic${a}_${b}_opr`,
      text("`and` or `or`", "and", { enum: ["and", "or"], default: "and" }),
    ]),
  ),
  page: text("Which page, from 1", 1, { type: "integer", minimum: 1, maximum: mostWindow, default: 1 }),
  offset: text(`Logs of a page, ${mostRows} at most`, mostRows, {
    type: "integer",
    minimum: 1,
    maximum: mostWindow,
    default: mostRows,
  }),
}

export const getLogs: NodeAction = {
  of: "node",
  module: "logs",
  action: "getLogs",
  doc: { summary: "Logs of a contract, of topics, or both", query },
  cost: () => "node",
  newness: "told",
  answer: Effect.fnUntraced(function* ({ chainId, dialect, query }) {
    const begin = (firstValue(query, "fromblock") ?? "").trim()
    const newest = isNewest(begin) ? yield* (yield* Freshness).newest(chainId) : undefined
    const asked = yield* Effect.fromResult(questionOf(query, newest?.blockNumber))
    const { filter, ofLedger, page, offset } = asked
    const window = { skip: (page - 1) * offset, take: offset }
    // A ledger that is being loaded has no indexes yet.
    const isReadable = loadingRefusal([chainId], yield* SyncStatus) === undefined
    const own = isReadable && ofLedger ? yield* findLedgerLogs(chainId, ofLedger, window) : undefined
    if (own !== undefined) {
      return { asOf: own.asOf, body: envelopeOf(dialect, own.logs.map(shown), "records"), ofNode: true }
    }
    const upstream = (yield* Upstream).serves(chainId)
    const other = forward(chainId, { module: "logs", action: "getLogs" }, query)
    if (filter === undefined) {
      return yield* upstream ? other : refusal("Error! Three topics or more need the same operator between all of them")
    }
    const found = yield* Effect.result(searchLogs(chainId, filter, window))
    if (Result.isSuccess(found)) {
      return { ...byNode, body: envelopeOf(dialect, found.success.logs.map(shown), "records") }
    }
    const { failure } = found
    if (failure._tag !== "SourceUnavailable" && failure._tag !== "LogsRefused") return yield* failure
    yield* Effect.logDebug(`logs/getLogs: ${failure.message}`)
    if (upstream) return yield* other
    return { ...byNode, body: { status: "0", ...whyNot(failure) } }
  }),
}

/** Clients ask for fewer blocks where `message` begins with these words of Etherscan's and there is no result; other texts end their work. */
const tooMuch = {
  message:
    "Query Timeout occurred. Please select a smaller result dataset: the chain's node cannot search so many blocks at once, narrow fromBlock and toBlock",
  result: null,
}
const notWhole = { message: "NOTOK", result: "Error! The chain's node does not give a whole answer at the moment" }
const whyNot = (failure: LogsRefused | SourceUnavailable) => {
  if (failure._tag === "LogsRefused") return tooMuch
  return lacksNode(failure) ? { message: "NOTOK", result: `Error! ${failure.message}` } : notWhole
}

/** A refusal of the node is an answer too: a failure would be asked for again where a block is wanted. */
const byNode = { asOf: [], outside: "node", fleeting: true } as const

interface Question {
  /** Absent = what no node can be asked in one way. */
  readonly filter: LogFilter | undefined
  /** Absent = what the ledger cannot be asked. */
  readonly ofLedger: LedgerLogFilter | undefined
  readonly page: number
  readonly offset: number
}

/** `newest`: the block at which a range from `latest` begins. */
const questionOf = (query: Query, newest: number | undefined): Result.Result<Question, CompatFault> => {
  const given = (name: string): string => firstValue(query, name)?.trim() ?? ""
  const [address, page, offset] = [given("address"), positive(given("page"), 1), positive(given("offset"), mostRows)]
  const wrongWord = pairs.map(([a, b]) => `topic${a}_${b}_opr`).find((name) => !/^(?:and|or)?$/i.test(given(name)))
  if (wrongWord !== undefined) return Result.fail(refusal(`Error! Invalid ${wrongWord}: expected and, or`))
  const topics = places.map((place) => given(`topic${place}`).toLowerCase() || undefined)
  if (address !== "" && addressOf(address) === undefined) return Result.fail(refusal("Error! Invalid address format"))
  if (topics.some((topic) => topic !== undefined && !/^0x[0-9a-f]{64}$/.test(topic)))
    return Result.fail(refusal("Error! Invalid topic format"))
  if (address === "" && topics.every((topic) => topic === undefined))
    return Result.fail(refusal("Error! Missing address or topic0: at least one is needed"))
  const [fromBlock, toBlock] = [
    blockOf(given("fromblock"), 0) ?? newest,
    isOpenEnd(given("toblock")) ? undefined : blockOf(given("toblock"), undefined),
  ]
  if (fromBlock === "wrong" || toBlock === "wrong" || fromBlock === undefined)
    return Result.fail(refusal("Error! Invalid block number"))
  if (page * offset > mostWindow) return Result.fail(windowTooLarge)
  // Not in those words: clients would ask for half of the blocks again and again, and get a refusal each time.
  if (offset > mostRows)
    return Result.fail(
      refusal(`Error! Result window is too large: offset is ${mostRows} at most, page times offset ${mostWindow}`),
    )
  const match = matchOf(topics, given)
  const own = addressOf(address)
  const where = { fromBlock, ...(toBlock !== undefined && { toBlock }), ...(own && { address: own }) }
  const filter = match && { ...where, topics: topics as unknown as LogFilter["topics"], match }
  const [signature, ...others] = topics
  const matchOfOthers = match === "all" ? match : matchBehindFirst(topics, given)
  const ofLedger = signature !== undefined &&
    matchOfOthers && {
      ...where,
      signature,
      topics: others as unknown as LedgerLogFilter["topics"],
      match: matchOfOthers,
    }
  return Result.succeed({ filter, ofLedger: ofLedger || undefined, page, offset })
}

/** Where the first topic must be as given, and one of the others: each pair says so. */
const matchBehindFirst = (
  topics: ReadonlyArray<string | undefined>,
  given: (name: string) => string,
): "any" | undefined => {
  const present = pairs.filter((pair) => pair.every((place) => topics[place] !== undefined))
  const isSaid = ([a, b]: (typeof pairs)[number]) =>
    given(`topic${a}_${b}_opr`).toLowerCase() === (a === 0 ? "and" : "or")
  return present.length > 1 && present.every(isSaid) ? "any" : undefined
}

/** Operators stand between two topics each, `and` where none is given. Of three, "a and b or c" has two meanings: then undefined. */
const matchOf = (
  topics: ReadonlyArray<string | undefined>,
  given: (name: string) => string,
): LogFilter["match"] | undefined => {
  const present = places.filter((place) => topics[place] !== undefined)
  const word = (a: number, b: number) => given(`topic${a}_${b}_opr`).toLowerCase()
  const between = present.slice(1).map((place, index) => word(present[index]!, place))
  const words = pairs.filter((pair) => pair.every((place) => present.includes(place))).map(([a, b]) => word(a, b))
  if (words.every((it) => it === "" || it === "and")) return "all"
  const isAny = between.every((it) => it === "or") && words.every((it) => it === "" || it === "or")
  return isAny ? "any" : undefined
}

const positive = (text: string, otherwise: number): number =>
  /^\d{1,15}$/.test(text) && Number(text) > 0 ? Number(text) : otherwise

/** undefined = the newest; so is a number that no chain reaches. */
const blockOf = (text: string, otherwise: number | undefined): number | undefined | "wrong" => {
  const word = text.toLowerCase()
  if (word === "") return otherwise
  if (isNewest(word)) return undefined
  if (word === "earliest") return 0
  if (!/^(?:\d+|0x[0-9a-f]+)$/.test(word)) return "wrong"
  return Number(word) <= Number.MAX_SAFE_INTEGER ? Number(word) : undefined
}

const hex = (value: number | bigint): string => `0x${value.toString(16)}`

/** In Etherscan's order. It writes 0 as `0x`, which few parsers take: that is `0x0` here. */
const shown = ({ address, topics, data, ...log }: FoundLog) => ({
  address,
  topics,
  data,
  blockNumber: hex(log.blockNumber),
  blockHash: log.blockHash,
  timeStamp: hex(log.time),
  gasPrice: hex(log.gasPrice),
  gasUsed: hex(log.gasUsed),
  logIndex: hex(log.logIndex),
  transactionHash: log.txHash,
  transactionIndex: hex(log.txIndex),
})
