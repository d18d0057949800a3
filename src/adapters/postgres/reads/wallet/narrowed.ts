/** SQL of the pairs of wallets with very many tokens: those that can be in the list are found from the few tokens that have a price or are trusted. */
import type { Fragment } from "postgres"
import type { HeldAt, HeldBy } from "../../../../ports/WalletStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"

/** Up to so many pairs each token is looked up; beyond, one walk over all tokens with a price (or trusted) costs less. */
const manyPairs = 1000

type Asked = Pick<HeldBy, "standards" | "onlyTrusted" | "minValue">

/**
 * `with` tables of table `pair` (`holder`, `token_id`, `nft_id`, `balance`, `changed`): `narrowed`, its rows that can be listed; `priced`
 * (`token_id`, `price`), of now, empty where prices are looked up; `many`, whether there are many pairs.
 */
export const narrowedTables = (
  chain: ChainSql,
  asked: Asked,
  at: Pick<HeldAt, "blockNumber"> | undefined,
): Fragment => {
  const { sql, tokenStat } = chain
  const isOfNow = at === undefined
  const chosen = asked.onlyTrusted
    ? selectTrusted(chain, asked)
    : asked.minValue === undefined
      ? undefined
      : isOfNow
        ? sql`select s.token_id from priced s`
        : selectOncePriced(chain)
  const priced = isOfNow
    ? sql`select s.token_id, s.price from ${tokenStat} s where s.price is not null and (select m.yes from many m)`
    : sql`select null::int4 as token_id, null::numeric as price where false`
  const narrowed =
    chosen === undefined
      ? sql`select p.* from pair p`
      : sql`
        select p.* from pair p where not (select m.yes from many m)
        union all
        select p.* from pair p join (${chosen}) c on c.token_id = p.token_id where (select m.yes from many m)`
  return sql`
    many as materialized (select count(*) > ${manyPairs} as yes from pair),
    priced as materialized (${priced}),
    narrowed as (${narrowed}),`
}

/** Tokens that have price points, of any hour: from one the walk goes to the next, past the points of each. */
const selectOncePriced = ({ sql, pricePoint }: ChainSql): Fragment => sql`
  with recursive once (token_id) as (
    (select p.token_id from ${pricePoint} p where (select m.yes from many m) order by p.token_id limit 1)
    union all
    select n.token_id from once o cross join lateral (
      select p.token_id from ${pricePoint} p where p.token_id > o.token_id order by p.token_id limit 1) n
  )
  select o.token_id from once o`

/** Each once: a token is one row. */
const selectTrusted = ({ sql, token, tokenNote }: ChainSql, { standards }: Asked): Fragment => {
  const isOther = standards.some((standard) => standard !== "erc20")
  const others = sql`
    union all
    select k.token_id from ${tokenNote} n cross join lateral (
      select k.token_id from ${token} k where k.address = n.address and k.standard <> ${standardNumbers.erc20} and not k.trusted offset 0
    ) k where n.trusted`
  return sql`select k.token_id from ${token} k where k.trusted ${isOther ? others : sql``}`
}
