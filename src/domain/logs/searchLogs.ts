/** Logs as the chain's node finds them, held against the ledger's transfers: a node that leaves out what the ledger has is no answer. */
import { Effect } from "effect"
import { type Address, type ChainId, zeroAddress } from "../../model/primitives.ts"
import type { Erc20Transfer, Erc721Transfer } from "../../model/transfer.ts"
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
  const mayBeTransfer = topics[0] === undefined || topics[0] === signatures.transfer
  if (address === undefined || match === "any" || !mayBeTransfer || from > to) return undefined
  const store = yield* TransferStore
  for (const standard of ["erc20", "erc721"] as const) {
    const { value } = yield* store.list({
      standard,
      chains: [chainId],
      filter: { tokenAddress: [address], blockNumberFrom: from, blockNumberTo: to },
      direction: "asc",
      page: { limit: mostRows },
      count: false,
    })
    const shown = countsOf(logs.map(({ blockNumber, txHash }) => `${blockNumber} ${txHash}`))
    const wanted = value.items.filter((row) => isSure(row) && hasTopics(row, topics))
    const missing = missingOf(wanted, shown)
    if (missing === undefined) continue
    if (standard === "erc20") return missing
    const ranges = yield* rangesOf(chainId, address, missing.blockNumber, wanted.at(-1)!.blockNumber)
    const alone = ranges && wanted.filter((row) => !ranges.has(logOf(row)))
    const sure = alone && missingOf(alone, shown)
    if (sure !== undefined) return sure
  }
  return undefined
})

type Row = Erc20Transfer | Erc721Transfer

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

/** Whether the row's log has these topics, as far as the row shows. */
const hasTopics = (row: Row, [, from, to, id]: LogFilter["topics"]): boolean =>
  isOf(row.from, from) &&
  isOf(row.to, to) &&
  (id === undefined || ("tokenId" in row && BigInt(row.tokenId) === BigInt(id)))

const isOf = (own: Address, topic: string | undefined): boolean => topic === undefined || own === addressAt(topic)

const countsOf = (places: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1)
  return counts
}
