/** Logs as the chain's node finds them, held against the ledger's transfers: a node that leaves out what the ledger has is no answer. */
import { Effect } from "effect"
import { type Address, type BigIntString, type ChainId, zeroAddress } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import type { Erc20Transfer, Erc721Transfer, Erc1155Transfer, TransferFilter } from "../../model/transfer.ts"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { LedgerLogs } from "../../ports/LedgerLogs.ts"
import { type FoundLogs, type LogFilter, LogSearch, type LogWindow } from "../../ports/LogSearch.ts"
import { TransferStore } from "../../ports/TransferStore.ts"
import { addressAt } from "../ingest/decode/abi.ts"
import { topics as signatures } from "../ingest/decode/topics.ts"

/** Rows that one answer is held against. */
const mostRows = 1000

export const searchLogs = Effect.fn("searchLogs")(function* (chainId: ChainId, filter: LogFilter, window: LogWindow) {
  const found = yield* (yield* LogSearch).find(chainId, filter, window)
  const missing = yield* firstMissing(chainId, filter, coveredBlocks(filter, window, found), found)
  if (missing !== undefined) {
    const { blockNumber, txHash } = missing
    return yield* new SourceUnavailable({ message: `the node leaves out a log of ${txHash} in block ${blockNumber}` })
  }
  return found
})

interface Covered {
  readonly from: number
  readonly to: number
}

/** Blocks of which the window shows every log that matches: a first and a last block may be shown in part. */
const coveredBlocks = (
  { fromBlock }: LogFilter,
  { skip, take }: LogWindow,
  { logs, searchedTo }: FoundLogs,
): Covered => ({
  from: skip === 0 ? fromBlock : (logs[0]?.blockNumber ?? searchedTo) + 1,
  to: logs.length < take ? searchedTo : (logs.at(-1)?.blockNumber ?? fromBlock) - 1,
})

const firstMissing = Effect.fnUntraced(function* (
  chainId: ChainId,
  filter: LogFilter,
  { from, to }: Covered,
  { logs }: FoundLogs,
) {
  const { address, topics, match } = filter
  if (address === undefined || match === "any" || from > to) return undefined
  const store = yield* TransferStore
  for (const standard of ["erc20", "erc721", "erc1155"] as const) {
    const narrowed = narrowedTo(standard, topics)
    if (narrowed === undefined) continue
    const { value } = yield* store
      .list({
        standard,
        chains: [chainId],
        filter: { tokenAddress: [address], blockNumberFrom: from, blockNumberTo: to, ...narrowed },
        direction: "asc",
        page: { limit: mostRows },
        count: false,
      })
      .pipe(
        // Rows of those parties that lie too far apart cannot be looked for in time: of that standard nothing is held against it.
        Effect.catchTag("QueryTooSlow", () => Effect.succeed({ value: { items: [] as ReadonlyArray<never> } })),
      )
    const shown = countsOf(logs.map(({ blockNumber, txHash }) => `${blockNumber} ${txHash}`))
    const wanted = standard === "erc1155" ? eachLog(value.items) : value.items.filter(isSure)
    const missing = missingOf(wanted, shown)
    if (missing === undefined) continue
    if (standard !== "erc721") return missing
    const ranges = yield* rangesOf(chainId, address, missing.blockNumber, wanted.at(-1)!.blockNumber)
    const alone = ranges && wanted.filter((row) => !ranges.has(logOf(row)))
    const sure = alone && missingOf(alone, shown)
    if (sure !== undefined) return sure
  }
  return undefined
})

type Row = Erc20Transfer | Erc721Transfer | Erc1155Transfer

/**
 * What rows of a standard have whose logs match these topics, so that the first of them are among the first logs that match;
 * undefined = none does, or rows do not show which. An ERC-1155's do not show whether one id was moved or several, and old ones nobody's operator.
 */
const narrowedTo = (
  standard: Standard,
  [signature, ...words]: LogFilter["topics"],
): Pick<TransferFilter, "from" | "to" | "tokenId"> | undefined => {
  const isMulti = standard === "erc1155"
  if (signature !== undefined && (isMulti || signature !== signatures.transfer)) return undefined
  if (isMulti && words[0] !== undefined) return undefined
  const [from, to] = isMulti ? words.slice(1) : words
  const id = isMulti ? undefined : words[2]
  // ERC-20 has no third topic, and who is asked for may be no address.
  if (standard === "erc20" && id !== undefined) return undefined
  const parties = [from, to].map(addressAt)
  if ([from, to].some((topic, index) => topic !== undefined && parties[index] === undefined)) return undefined
  return {
    ...(parties[0] === undefined ? {} : { from: [parties[0]] }),
    ...(parties[1] === undefined ? {} : { to: [parties[1]] }),
    ...(id === undefined ? {} : { tokenId: [String(BigInt(id)) as BigIntString] }),
  }
}

/** One row of each log: a batch has one an id. */
const eachLog = <R extends Row>(rows: ReadonlyArray<R>): ReadonlyArray<R> => [
  ...new Map(rows.map((row) => [logOf(row), row])).values(),
]

/** The first row of a transaction of which fewer logs are shown than it has rows. */
const missingOf = (rows: ReadonlyArray<Row>, shown: ReadonlyMap<string, number>): Row | undefined => {
  const stored = countsOf(rows.map(placeOf))
  return rows.find((row) => stored.get(placeOf(row))! > (shown.get(placeOf(row)) ?? 0))
}

const logOf = ({ blockNumber, logIndex }: { readonly blockNumber: number; readonly logIndex: number }): string =>
  `${blockNumber} ${logIndex}`

/** Logs that move a range of ids at once (ERC-2309): their rows, one an id, are no logs of their own. Absent = not all are known. */
const rangesOf = Effect.fnUntraced(function* (chainId: ChainId, address: Address, fromBlock: number, toBlock: number) {
  const signature = signatures.consecutiveTransfer
  const filter = { signature, address, topics: [], match: "all", fromBlock, toBlock } as const
  const { value } = yield* (yield* LedgerLogs).find(chainId, filter, { skip: 0, take: mostRows })
  return value.logs && new Set(value.logs.map(logOf))
})

const placeOf = ({ blockNumber, txHash }: Row): string => `${blockNumber} ${txHash}`

/** A mint or a burn may be a Deposit or a Withdrawal, of another signature. */
const isSure = ({ from, to }: Row): boolean => from !== zeroAddress && to !== zeroAddress

const countsOf = (places: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1)
  return counts
}
