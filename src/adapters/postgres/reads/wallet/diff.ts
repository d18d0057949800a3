/** SQL of whose balance of an ERC-20 is another after one block than after another. */
import type { Fragment } from "postgres"
import type { DiffQuery } from "../../../../ports/TokenHistories.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { blockOf, endOf } from "../common/atBlock.ts"
import { seekOf } from "../common/page.ts"
import { selectPartiality } from "../common/partial.ts"
import { selectTokenId } from "../common/tokenIds.ts"
import { isWrapped } from "../holders/parties.ts"

/** Rows of the range that are followed at least, before all of the token's pairs are. */
const fewRows = 1000

/**
 * JSON: `rows`, `[address, before, after]` by address in the order read, one more than the limit, `total` where it is asked
 * for, and whether the token is `partial`. Parties of the range's rows where these are fewer than half of the token's pairs; else every pair that was touched since.
 */
export const selectDiff = (chain: ChainSql, { token, from, to = 2 ** 31 - 2, page, count }: DiffQuery): Fragment => {
  const { sql, balance, history, tokenStat, wrap } = chain
  const { key, reading } = seekOf(page, "asc")
  const way = reading === "asc" ? sql`asc` : sql`desc`
  const { erc20 } = chain.transfers
  const inRange = sql`t.pos >= ${endOf(sql, from)} and t.pos < ${endOf(sql, to)}`
  const ofToken = sql`t.token_id = (select token_id from span) and ${inRange}`
  const mostRows = sql`(select most from span)`
  const wraps = sql`${ofToken} and (${isWrapped(chain, sql`select token_id from span`)})`
  const at = (block: number) => sql`coalesce(case when b.block_number <= ${blockOf(sql, block)} then b.balance else (
    select h.balance from ${history} h where h.token_id = b.token_id and h.holder_no = b.holder_no
      and h.block_number <= ${blockOf(sql, block)} order by h.block_number desc limit 1) end, 0)`
  const beyond =
    key === undefined
      ? sql``
      : reading === "asc"
        ? sql`where p.holder > ${key.address}::bytea`
        : sql`where p.holder < ${key.address}::bytea`
  return sql`
    with span as materialized (
      select s.token_id, greatest(${fewRows}, s.holder_seq / 2)::int8 as most from ${tokenStat} s
      where s.token_id = (${selectTokenId(chain, "erc20", token)})
    ),
    way as materialized (
      select (select count(*) from (
        (select from ${erc20} t where ${ofToken} limit ${mostRows} + 1)
        union all (select from ${wrap} t where ${wraps} limit ${mostRows} + 1)
      ) seen) <= ${mostRows} as by_rows
    ),
    party as materialized (
      select distinct x.holder from (
        select t.from_addr as holder from ${erc20} t where ${ofToken} and (select by_rows from way)
        union all select t.to_addr from ${erc20} t where ${ofToken} and (select by_rows from way)
        union all select t.holder from ${wrap} t where ${wraps} and (select by_rows from way)
        union all select b.holder from ${balance} b
          where b.token_id = (select token_id from span) and b.block_number > ${blockOf(sql, from)}
            and octet_length(b.holder) = 20 and not (select by_rows from way)
      ) x
    ),
    changed as materialized (
      select p.holder, p.before, p.after from (
        select b.holder, ${at(from)} as before, ${at(to)} as after from party
        cross join lateral (
          select * from ${balance} b where b.holder = party.holder and b.token_id = (select token_id from span) offset 0) b
        offset 0
      ) p where p.before <> p.after
    )
    select json_build_object(
      'partial', (select ${selectPartiality(chain)} from ${chain.token} k where k.token_id = (select token_id from span)),
      'rows', (
        select coalesce(json_agg(json_build_array('0x' || encode(p.holder, 'hex'), p.before::text, p.after::text)
          order by p.holder ${way}), '[]')
        from (select * from changed p ${beyond} order by p.holder ${way} limit ${page.limit + 1}) p)
      ${count ? sql`, 'total', (select count(*) from changed)` : sql``})`
}
