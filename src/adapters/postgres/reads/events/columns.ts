/** SQL of a slice of a ledger's events: the lists' own pages from one place on, side by side, and where the ledger stands. */
import type { Fragment } from "postgres"
import { type EventFilter, wantsKind, wantsStandard } from "../../../../model/events/filter.ts"
import type { EventPlace } from "../../../../model/events/place.ts"
import type { Standard } from "../../../../model/token.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { blockOf } from "../common/atBlock.ts"
import { within } from "../feed/bounds.ts"
import { type Feed, type FeedSlice, swapFeed, transferFeed } from "../feed/feed.ts"
import { positionKeyOf } from "../feed/positionKey.ts"
import { selectPositions } from "../feed/positions.ts"
import { listsOf } from "../swaps/lists.ts"
import * as Swaps from "../swaps/page.ts"
import { selectPositions as selectSwapPositions } from "../swaps/positions.ts"
import { isSupplyKnown, selectDetails } from "../tokens/record.ts"
import * as Transfers from "../transfers/page.ts"

export interface SliceQuery {
  readonly from: EventPlace
  readonly onlyFinal: boolean
  readonly limit: number
  readonly filter: EventFilter
}

/** Where the ledger stands, as JSON. Settings that change no row of a list do not count. */
export const selectMark = ({ sql, state, rollback, block }: ChainSql): Fragment => sql`
  select json_build_object(
    'finalized', least(s.finalized_block, s.next_block - 1),
    'finalized_hash', (select '0x' || encode(b.hash, 'hex') from ${block} b
                       where b.number = least(s.finalized_block, s.next_block - 1)),
    'settings', left(md5((s.settings::jsonb - 'approvals')::text), 6), 'birth', left(s.birth, 6),
    'corrections', (select coalesce(max(r.rollback_no), 0) from ${rollback} r))
  from ${state} s`

export const selectHashAt = ({ sql, block }: ChainSql, { from }: SliceQuery): Fragment => sql`
  select '0x' || encode(b.hash, 'hex') from ${block} b where b.number = ${blockOf(sql, from.block)}`

const sliceOf = (feed: Feed, { from, onlyFinal, limit }: SliceQuery): FeedSlice => {
  const { sql, kind, chain } = feed
  const isMulti = kind === "erc721" || kind === "erc1155"
  const low = isMulti
    ? positionKeyOf(kind, from.block, from.logIndex, Math.max(0, from.place - 1))
    : positionKeyOf(kind, from.block, from.logIndex) + (from.place > 1 ? 1n : 0n)
  const highs = onlyFinal ? [sql`(${selectEnd(chain)})`] : []
  return {
    bounds: within(feed, { lows: [from.block < 0 ? positionKeyOf(kind, 0) : low], highs }),
    direction: "asc",
    limit,
  }
}

/** Behind the newest final block. */
const selectEnd = ({ sql, state }: ChainSql): Fragment =>
  sql`select (least(s.finalized_block, s.next_block - 1)::int8 + 1) << 24 from ${state} s`

export const selectTransfers = (chain: ChainSql, standard: Standard, query: SliceQuery): Fragment => {
  const { sql } = chain
  const { filter, limit } = query
  if (!wantsKind(filter, "transfer") || !wantsStandard(filter, standard)) return sql`select '[]'::json`
  const feed = transferFeed(chain, standard, ["blockHash"])
  const slice = sliceOf(feed, query)
  const { tokenAddress } = filter
  const branch =
    tokenAddress === undefined
      ? Transfers.selectRows(feed, slice)
      : Transfers.selectRowsAt(feed, selectPositions(feed, { tokenAddress }, slice))
  return Transfers.selectPage(sql, [chain], {
    standard,
    branches: [branch],
    direction: "asc",
    limit,
    include: feed.include,
    wraps: false,
  })
}

export const selectSwaps = (chain: ChainSql, query: SliceQuery): Fragment => {
  const { sql, block } = chain
  const { filter, limit } = query
  if (!wantsKind(filter, "swap") || !wantsStandard(filter, "erc20")) return sql`select '[]'::json`
  const slice = sliceOf(swapFeed(chain), query)
  const { tokenAddress: token } = filter
  const lists = token === undefined ? undefined : listsOf({ token })
  const branch =
    lists === undefined
      ? Swaps.selectRows(chain, slice)
      : Swaps.selectRowsAt(chain, selectSwapPositions(chain, { lists }, slice))
  return sql`
    select coalesce(json_agg(json_build_object('row', r.row, 'block_hash', (
      select '0x' || encode(b.hash, 'hex') from ${block} b where b.number = (r.row ->> 'block_number')::int4))), '[]')
    from json_array_elements((${Swaps.selectPage(sql, [chain], { branches: [branch], direction: "asc", limit })})) r (row)`
}

/** Contracts by the places at which they were seen first. */
export const selectTokens = (chain: ChainSql, { from, onlyFinal, limit, filter }: SliceQuery): Fragment => {
  const { sql, block, token } = chain
  if (!wantsKind(filter, "token")) return sql`select '[]'::json`
  const { standard, tokenAddress } = filter
  const low = positionKeyOf("swap", from.block, from.logIndex) + (from.place > 0 ? 1n : 0n)
  const bound = from.block < 0 ? 0n : low
  const wanted = standard?.map((each) => standardNumbers[each])
  const conditions = sql`
    k.first_pos >= ${String(bound)}::int8 ${onlyFinal ? sql`and k.first_pos < (${selectEnd(chain)})` : sql``}
    ${wanted === undefined ? sql`` : sql`and k.standard = any(${wanted}::int4[])`}`
  const source =
    tokenAddress === undefined
      ? sql`${token}`
      : sql`(select * from ${token} k where k.address = any(${[...tokenAddress]}::bytea[]) offset 0)`
  return sql`
    select coalesce(json_agg(json_build_object(
      'block_number', t.first_pos >> 24, 'log_index', t.first_pos & 16777215,
      'tx_hash', '0x' || encode(coalesce(t.first_tx, '\\x'), 'hex'),
      'block_hash', (select '0x' || encode(b.hash, 'hex') from ${block} b where b.number = (t.first_pos >> 24)::int4),
      'details', (${selectDetails(chain, sql`k.token_id = t.token_id`, sql`k.standard = 20 and ${isSupplyKnown(chain)}`)})
    ) order by t.first_pos, t.standard), '[]')
    from (select k.token_id, k.standard, k.first_pos, k.first_tx from ${source} k where ${conditions}
          order by k.first_pos limit ${limit}) t`
}
