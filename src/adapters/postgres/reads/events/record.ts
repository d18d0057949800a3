/** Rows of the lists' statements → events, in one order. */
import type { LedgerEvent } from "../../../../model/events/event.ts"
import { comparePlaces, type EventPlace } from "../../../../model/events/place.ts"
import type { ChainId, Hash } from "../../../../model/primitives.ts"
import { type Standard, standards } from "../../../../model/token.ts"
import { standardNumbers } from "../../database/chainSql.ts"
import { type SwapRow, swapOf } from "../swaps/record.ts"
import { type TokenDetails, tokenOf } from "../tokens/record.ts"
import { type TransferRow, transferOf } from "../transfers/record.ts"

export interface SwapEventRow {
  readonly row: SwapRow
  readonly block_hash: Hash | null
}

export interface TokenEventRow {
  readonly block_number: number
  readonly log_index: number
  readonly tx_hash: Hash
  readonly block_hash: Hash | null
  readonly details: TokenDetails
}

const hashOf = (hash: Hash | null | undefined) => (hash === null || hash === undefined ? {} : { blockHash: hash })

export const transferEvent = (standard: Standard, row: TransferRow): LedgerEvent => {
  const { block_hash, ...shown } = row
  return {
    kind: "transfer",
    standard,
    at: { block: row.block_number, logIndex: row.log_index, place: (row.sub ?? 0) + 1 },
    txHash: row.tx_hash,
    ...hashOf(block_hash),
    tokens: [row.token[0]],
    from: row.from_addr,
    to: row.to_addr,
    record: transferOf(standard, shown),
  }
}

export const swapEvent = ({ row, block_hash }: SwapEventRow): LedgerEvent => {
  const record = swapOf(row)
  return {
    kind: "swap",
    standard: "erc20",
    at: { block: row.block_number, logIndex: row.log_index, place: 1 },
    txHash: row.tx_hash,
    ...hashOf(block_hash),
    tokens: [record.tokenIn, record.tokenOut],
    record,
  }
}

export const tokenEvent = (chainId: ChainId, row: TokenEventRow): LedgerEvent => ({
  kind: "token",
  standard: standards.find((each) => standardNumbers[each] === row.details.standard)!,
  at: { block: row.block_number, logIndex: row.log_index, place: 0 },
  txHash: row.tx_hash,
  ...hashOf(row.block_hash),
  tokens: [row.details.address],
  record: tokenOf(chainId, row.details),
})

/** Of lists that were each read up to `limit` rows: all in order, as far as every one of them was read. */
export const merged = (
  lists: ReadonlyArray<ReadonlyArray<LedgerEvent>>,
  limit: number,
): { readonly events: ReadonlyArray<LedgerEvent>; readonly last?: EventPlace } => {
  const events = lists.flat().sort((a, b) => comparePlaces(a.at, b.at))
  const ends = lists.flatMap((list) => (list.length < limit ? [] : [list.at(-1)!.at])).sort(comparePlaces)
  const [last] = ends
  return last === undefined ? { events } : { events: events.filter(({ at }) => comparePlaces(at, last) <= 0), last }
}
