/** A row at a log's place, as the statement gives it → the log. */
import { logOfEvent, type WrittenLog } from "../../../../domain/ingest/decode/eventLog.ts"
import { approvalKinds } from "../../../../model/approval.ts"
import type { TokenEvent } from "../../../../model/event.ts"
import type { Address, Hash } from "../../../../model/primitives.ts"
import type { LedgerLog } from "../../../../ports/LedgerLogs.ts"
import type { FeedKind } from "./feeds.ts"

export interface FoundRow {
  readonly kind: FeedKind
  readonly block_number: number
  readonly log_index: number
  /** null = no reorg takes the block. */
  readonly block_hash: Hash | null
  readonly row: LogRow
}

interface LogRow {
  readonly tx_index: number | null
  readonly tx_hash: Hash
  readonly address: Address
  /** Seconds; absent = the row has none. */
  readonly time?: number
  /** The holder of wrapped native, the owner of an approval. */
  readonly from?: Address
  readonly to?: Address
  readonly operator?: Address
  readonly amount?: string
  readonly is_deposit?: boolean
  /** Place in the list of kinds of approvals. */
  readonly of?: number
  /** Ids and amounts. */
  readonly units?: ReadonlyArray<readonly [string, string]>
  /** Of an odd log: null = it has no more. */
  readonly topics?: ReadonlyArray<string | null>
  readonly data?: string
}

export const logOf = ({ kind, block_number, log_index, block_hash, row }: FoundRow): LedgerLog => {
  const written = writtenOf(kind, row)
  if (written === undefined) throw new Error(`no log is to be had of ${kind} ${block_number}:${log_index}`)
  return {
    address: row.address,
    ...written,
    blockNumber: block_number,
    logIndex: log_index,
    txHash: row.tx_hash,
    ...(row.tx_index === null ? {} : { txIndex: row.tx_index }),
    ...(block_hash === null ? {} : { blockHash: block_hash }),
    ...(row.time === undefined ? {} : { time: row.time }),
  }
}

const writtenOf = (kind: FeedKind, row: LogRow): WrittenLog | undefined =>
  kind === "odd"
    ? { topics: row.topics!.filter((topic) => topic !== null), data: row.data! }
    : logOfEvent(eventOf(kind, row))

const eventOf = (kind: Exclude<FeedKind, "odd">, row: LogRow): TokenEvent => {
  const [from, to] = [row.from!, row.to!]
  const units = (row.units ?? []).map(([id, amount]) => ({ tokenId: BigInt(id), amount: BigInt(amount) }))
  switch (kind) {
    case "erc20":
      return { kind: "erc20Transfer", from, to, amount: BigInt(row.amount!) }
    case "wrap":
      return { kind: row.is_deposit ? "deposit" : "withdrawal", holder: from, amount: BigInt(row.amount!) }
    case "approval":
      return { kind: "approval", of: approvalKinds[row.of!]!, owner: from, spender: to, ...units[0]! }
    case "erc721":
    case "range":
      return { kind: "nftTransfer", standard: "erc721", from, to, units }
    default:
      return { kind: "nftTransfer", standard: "erc1155", from, to, operator: row.operator!, units }
  }
}
