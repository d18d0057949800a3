/** SQL of the first correction above a number, and its rows as events. */
import type { Fragment } from "postgres"
import type { LedgerEvent } from "../../../../model/events/event.ts"
import type { Address, ChainId, Hash } from "../../../../model/primitives.ts"
import { type Standard, standards } from "../../../../model/token.ts"
import type { Correction } from "../../../../ports/EventStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { transferFeed } from "../feed/feed.ts"
import { selectPage, selectRowsAt } from "../transfers/page.ts"
import type { TransferRow } from "../transfers/record.ts"
import { transferEvent } from "./record.ts"

export interface CorrectedRow {
  readonly block_number: number
  readonly log_index: number
  readonly place: number
  readonly added: boolean
  readonly kind: number
  readonly standard: number
  readonly block_hash: Hash | null
  readonly tx_hash: Hash
  readonly token: Address
  readonly token_out: Address | null
  readonly from_addr: Address | null
  readonly to_addr: Address | null
  readonly nft_id: string | null
  readonly amount: string | null
  readonly amount_out: string | null
}

export interface CorrectionRow {
  readonly number: number
  readonly is_heal: boolean
  readonly forgotten: boolean
  readonly from_block: number
  readonly rows: ReadonlyArray<CorrectedRow>
  /** Of each standard, the rows of the feed at the places of rows that came. */
  readonly late: ReadonlyArray<ReadonlyArray<TransferRow>>
}

/** A `CorrectionRow` as JSON, or no row. */
export const selectCorrection = (chain: ChainSql, since: number): Fragment => {
  const { sql, correction, correctedRow, rollback } = chain
  const hex = (column: string) => sql`'0x' || encode(w.${sql(column)}, 'hex')`
  const first = sql`(select min(o.rollback_no) from ${correction} o where o.rollback_no > ${since}::int4)`
  const late = (standard: Standard) => {
    const feed = transferFeed(chain, standard, ["blockHash"])
    const places = sql`
      select w.pos, w.place - 1 as sub from ${correctedRow} w
      where w.rollback_no = ${first} and w.added and w.kind = 1 and w.standard = ${standardNumbers[standard]}`
    const branches = [selectRowsAt(feed, places)]
    return selectPage(sql, [chain], {
      standard,
      branches,
      direction: "asc",
      limit: mostLate,
      include: feed.include,
      wraps: false,
    })
  }
  return sql`
    select json_build_object('number', c.rollback_no, 'is_heal', c.is_heal, 'forgotten', c.forgotten,
      'from_block', r.from_block,
      'rows', (
        select coalesce(json_agg(json_build_object(
          'block_number', w.pos >> 24, 'log_index', w.pos & 16777215, 'place', w.place, 'added', w.added,
          'kind', w.kind, 'standard', w.standard, 'block_hash', ${hex("block_hash")}, 'tx_hash', ${hex("tx_hash")},
          'token', ${hex("token")}, 'token_out', ${hex("token_out")}, 'from_addr', ${hex("from_addr")},
          'to_addr', ${hex("to_addr")}, 'nft_id', w.nft_id::text, 'amount', w.amount::text,
          'amount_out', w.amount_out::text) order by w.pos, w.place), '[]')
        from ${correctedRow} w where w.rollback_no = c.rollback_no),
      'late', case when c.is_heal then json_build_array(
        (${late("erc20")}), (${late("erc721")}), (${late("erc1155")})) else '[]'::json end)
    from ${correction} c, ${rollback} r where c.rollback_no = ${first} and r.rollback_no = c.rollback_no`
}

/** More rows than any heal brings. */
const mostLate = 1_000_000

export const correctionOf = (chainId: ChainId, row: CorrectionRow): Correction => {
  const late = row.late.flatMap((rows, index) => rows.map((each) => transferEvent(standards[index]!, each)))
  const stored = new Map(late.map((event) => [nameOf(event), event]))
  const eventOf = (each: CorrectedRow): LedgerEvent => {
    const said = saidEvent(chainId, each)
    return stored.get(nameOf(said)) ?? said
  }
  return {
    number: row.number,
    isForgotten: row.forgotten,
    isHeal: row.is_heal,
    fromBlock: row.from_block,
    removed: row.rows.filter(({ added }) => !added).map((each) => saidEvent(chainId, each)),
    added: row.rows.filter(({ added }) => added).map(eventOf),
  }
}

const nameOf = ({ kind, standard, at, txHash }: LedgerEvent): string =>
  `${kind} ${standard} ${at.block} ${at.logIndex} ${at.place} ${txHash}`

const kinds = ["token", "transfer", "swap"] as const

/** As the log said. */
const saidEvent = (chainId: ChainId, row: CorrectedRow): LedgerEvent => {
  const standard = standards.find((each) => standardNumbers[each] === row.standard)!
  const kind = kinds[row.kind]!
  return {
    kind,
    standard,
    at: { block: row.block_number, logIndex: row.log_index, place: row.place },
    txHash: row.tx_hash,
    ...(row.block_hash === null ? {} : { blockHash: row.block_hash }),
    tokens: row.token_out === null ? [row.token] : [row.token, row.token_out],
    ...(row.from_addr === null ? {} : { from: row.from_addr }),
    ...(row.to_addr === null ? {} : { to: row.to_addr }),
    record: { chainId, ...saidRecord(kind, row) },
  }
}

const saidRecord = (kind: LedgerEvent["kind"], row: CorrectedRow): object => {
  const { block_number: blockNumber, log_index: logIndex, tx_hash: txHash, token } = row
  if (kind === "token") return { address: token }
  if (kind === "swap")
    return { txHash, tokenIn: token, tokenOut: row.token_out, tokenInQty: row.amount, tokenOutQty: row.amount_out }
  const place = { blockNumber, txHash, logIndex, from: row.from_addr, to: row.to_addr, tokenAddress: token }
  return {
    ...place,
    ...(row.nft_id === null ? {} : { tokenId: row.nft_id }),
    ...(row.amount === null || row.standard === 721 ? {} : { amount: row.amount }),
  }
}
