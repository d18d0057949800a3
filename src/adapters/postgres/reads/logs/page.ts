/** SQL of one page of logs: places of every table up to where all of them were read, and the rows at the page's places. */
import type { Fragment } from "postgres"
import type { LedgerLogFilter } from "../../../../ports/LedgerLogs.ts"
import type { LogWindow } from "../../../../ports/LogSearch.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { unionAll } from "../../database/fragments.ts"
import { type FeedKind, feedsOf, type LogFeed } from "./feeds.ts"

export interface PageWindow extends LogWindow {
  /** Rows of a table that are read at most. */
  readonly mostRead: number
}

/** `found` of a `Row` of PostgresLedgerLogs, as JSON. */
export const selectLogs = (chain: ChainSql, filter: LedgerLogFilter, window: PageWindow): Fragment => {
  const { sql, block } = chain
  const { skip, take } = window
  const feeds = feedsOf(chain, filter)
  const seen = feeds.map((feed) => selectSeen(chain, feed, window))
  const ends = feeds.map((feed) => sql`(select s.ends from ${nameOf(chain, feed)} s where s.pos is null)`)
  const places = feeds.map(
    (feed) => sql`select ${feed.kind}::text as kind, s.pos from ${nameOf(chain, feed)} s where s.fits`,
  )
  const isLight = sql`(select w.number <= ${mostWords}::int8 from words w)`
  const rows = feeds.map(({ kind }) => sql`when ${kind} then (${rowOf(chain, kind)})`)
  return sql`
    with ${seen.reduce((all, one) => sql`${all}, ${one}`)},
    reach as materialized (select least(${ends.reduce((all, one) => sql`${all}, ${one}`)}) as pos),
    page as materialized (
      select f.kind, f.pos from (${unionAll(sql, places)}) f
      where f.pos < coalesce((select r.pos from reach r), 9223372036854775807)
      order by f.pos offset ${skip}::int8 limit ${take}::int8),
    words as materialized (select ${wordsOf(chain, feeds)} as number)
    select json_build_object(
      'whole', ${isLight} and ((select r.pos is null from reach r) or (select count(*) from page) = ${take}::int8),
      'logs', case when ${isLight} then (select coalesce(json_agg(json_build_object(
        'kind', page.kind, 'block_number', page.pos >> 24, 'log_index', page.pos & 16777215,
        'block_hash', (select '0x' || encode(b.hash, 'hex') from ${block} b where b.number = (page.pos >> 24)::int4),
        'row', case page.kind ${rows.reduce((all, one) => sql`${all} ${one}`)} end
      ) order by page.pos), '[]') from page) end)`
}

/** Units of batches and words of odd logs on one page: a log may be as long as a block has gas for. */
const mostWords = 200_000

/** No more are counted than are too many. */
const wordsOf = ({ sql, transfers, oddLog }: ChainSql, feeds: ReadonlyArray<LogFeed>): Fragment => {
  const units = sql`(select count(*) from (
    select from page join ${transfers.erc1155} n on n.pos = page.pos where page.kind = 'batch'
    limit ${mostWords + 1}::int8) counted)`
  const told = sql`(select coalesce(sum(octet_length(o.data) / 32), 0) from page join ${oddLog} o on o.pos = page.pos
    where page.kind = 'odd')`
  return feeds.some(({ kind }) => kind === "batch") ? sql`${units} + ${told}` : told
}

const nameOf = ({ sql }: ChainSql, { kind }: LogFeed) => sql(`${kind}_seen`)

/** The rows that were read, and one without a place that says before which place all were; null = all there are. */
const selectSeen = (chain: ChainSql, feed: LogFeed, { skip, take, mostRead }: PageWindow): Fragment => {
  const { sql } = chain
  const limit = feed.isPlain ? Math.min(mostRead, skip + take + 1) : mostRead
  const order = feed.isUnordered ? sql`` : sql`order by ${feed.order}`
  const end = feed.isUnordered ? sql`0::int8` : sql`max(r.pos)`
  const name = nameOf(chain, feed)
  const read = sql(`${feed.kind}_read`)
  return sql`
    ${read} as materialized (
      select t.pos, (${feed.fits}) as fits from ${feed.from} where ${feed.where} ${order} limit ${limit}::int8),
    ${name} as materialized (
      select r.pos, r.fits, null::int8 as ends from ${read} r where r.fits
      union all
      select null, false, case when count(*) = ${limit}::int8 then ${end} end from ${read} r)`
}

const hex = ({ sql }: ChainSql, column: Fragment): Fragment => sql`'0x' || encode(${column}, 'hex')`

/** A `LogRow` of the place `page.pos`. */
const rowOf = (chain: ChainSql, kind: FeedKind): Fragment => {
  const { sql, token, transfers, wrap, approval, oddLog } = chain
  const transaction = sql`'tx_index', t.tx_index, 'tx_hash', ${hex(chain, sql`t.tx_hash`)}`
  const address = sql`'address', (select ${hex(chain, sql`k.address`)} from ${token} k where k.token_id = t.token_id)`
  const parties = sql`'from', ${hex(chain, sql`t.from_addr`)}, 'to', ${hex(chain, sql`t.to_addr`)}`
  switch (kind) {
    case "erc20":
      return sql`select json_build_object(${transaction}, ${address}, ${parties}, 'time', t.time,
        'amount', t.amount::text) from ${transfers.erc20} t where t.pos = page.pos`
    case "erc721":
      return sql`select json_build_object(${transaction}, ${address}, ${parties}, 'time', t.time,
        'units', json_build_array(json_build_array(t.nft_id::text, '1')))
        from ${transfers.erc721} t where t.pos = page.pos and t.sub = 0`
    case "range":
      // The first id and the last say all of it.
      return sql`select json_build_object(${transaction}, ${address}, ${parties}, 'time', t.time,
        'units', json_build_array(json_build_array(t.nft_id::text, '1'), (
          select json_build_array(n.nft_id::text, '1') from ${transfers.erc721} n where n.pos = page.pos
          order by n.sub desc limit 1)))
        from ${transfers.erc721} t where t.pos = page.pos and t.sub = 0`
    case "single":
    case "batch":
      return sql`select json_build_object(${transaction}, ${address}, ${parties}, 'time', t.time,
        'operator', ${hex(chain, sql`t.operator`)}, 'units', (
        select json_agg(json_build_array(n.nft_id::text, n.amount::text) order by n.sub)
        from ${transfers.erc1155} n where n.pos = page.pos))
        from ${transfers.erc1155} t where t.pos = page.pos and t.sub = 0`
    case "wrap":
      return sql`select json_build_object(${transaction}, ${address}, 'from', ${hex(chain, sql`t.holder`)},
        'is_deposit', t.is_deposit, 'amount', abs(t.amount)::text) from ${wrap} t where t.pos = page.pos`
    case "approval":
      return sql`select json_build_object(${transaction}, 'address', ${hex(chain, sql`t.contract`)}, 'time', t.time,
        'from', ${hex(chain, sql`t.owner`)},
        'to', case when t.kind = 1 then ${hex(chain, sql`t.approved`)} else ${hex(chain, sql`t.spender`)} end,
        'of', t.kind, 'units', json_build_array(json_build_array(t.nft_id::text, t.amount::text)))
        from ${approval} t where t.pos = page.pos`
    case "odd":
      return sql`select json_build_object(${transaction}, 'address', ${hex(chain, sql`t.contract`)}, 'time', t.time,
        'topics', json_build_array(${hex(chain, sql`t.topic0`)}, ${hex(chain, sql`t.topic1`)},
          ${hex(chain, sql`t.topic2`)}, ${hex(chain, sql`t.topic3`)}), 'data', ${hex(chain, sql`t.data`)})
        from ${oddLog} t where t.pos = page.pos`
  }
}
