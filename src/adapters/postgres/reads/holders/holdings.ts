/** SQL of what an address holds, and a row of it → the holding. */
import type { Fragment } from "postgres"
import type { Holding } from "../../../../model/holder.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import type { HoldingsQuery, Window } from "../../../../ports/HolderStore.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"
import { holderTable, unitTable } from "./rankedTable.ts"
import { balanceAt } from "./versions.ts"

/** Contract, name, symbol, decimals, balance. As an object its JSON would be half names. */
export type HoldingRow = readonly [Address, string | null, string | null, number | null, balance: string]

/** Of an address, or of a column of addresses. */
interface HoldingsOf extends Pick<HoldingsQuery, "window" | "blockNumber"> {
  readonly holder: Address | Fragment
}

/**
 * `HoldingRow`s of the standard's tokens that an address holds, by contract address. No index has an address's pairs in
 * that order, so there are two ways: sort all its pairs, or go through the standard's tokens by address until the
 * window is full. The second is for who holds so many that few tokens have to be passed over (the zero address has a
 * share of every pool of a kind: hundreds of thousands).
 */
export const selectHoldings = (
  chain: ChainSql,
  standard: Standard,
  { holder, window: { page, offset }, blockNumber }: HoldingsOf,
): Fragment => {
  const { sql, token } = chain
  const most = page * offset
  const held = (condition: Fragment) => selectHeld(chain, holder, blockNumber, condition)
  return sql`
    with way as materialized (select (${holdsMany(chain, standard, holder, most)}) as by_token)
    ${selectRows(
      chain,
      { page, offset },
      sql`
        (${selectKnown(chain, standard, held(sql`and not (select by_token from way)`))} order by known.address limit ${most})
        union all
        (select ${known(chain)}, pair.balance
        from ${token} k cross join lateral (
          select b.balance from (${held(sql`and b.token_id = k.token_id`)}) b limit 1
        ) pair
        where k.standard = ${standardNumbers[standard]} and (select by_token from way)
        order by k.address limit ${most})`,
    )}`
}

/** Pairs of an address, and rows up to the end of a window, up to which they take no longer than a page of as many rows. More rows are costly. */
export const mostForetold = 200

/** The same as of now of an address that has few pairs; null = it has more, and they were not looked through. */
export const selectFewHoldings = (
  chain: ChainSql,
  standard: Standard,
  { holder, window }: Omit<HoldingsOf, "blockNumber">,
): Fragment => {
  const { sql, balance } = chain
  return sql`
    with own as materialized (
      select b.token_id, b.balance from ${balance} b where b.holder = ${holder}::bytea limit ${mostForetold + 1})
    select case when (select count(*) from own) <= ${mostForetold} then (${selectRows(
      chain,
      window,
      selectKnown(chain, standard, sql`select * from own where balance > 0`),
    )}) end`
}

const known = ({ sql }: ChainSql): Fragment => sql`k.standard, k.address, k.name, k.symbol, k.decimals`

/** The tokens of pairs, those of the standard. */
const selectKnown = (chain: ChainSql, standard: Standard, pairs: Fragment): Fragment => {
  const { sql, token } = chain
  return sql`
    select known.*, b.balance
    from (${pairs}) b
      cross join lateral (
        select ${known(chain)} from ${token} k
        where k.token_id = b.token_id and k.standard = ${standardNumbers[standard]} limit 1
      ) known`
}

/** `HoldingRow`s of the window, of what `held` gives. */
const selectRows = ({ sql }: ChainSql, { page, offset }: Window, held: Fragment): Fragment => sql`
    select coalesce(json_agg(json_build_array('0x' || encode(held.address, 'hex'), held.name, held.symbol,
      case held.standard when 20 then held.decimals end, held.balance::text)), '[]') from (
      select * from (${held}) held order by held.address limit ${offset} offset ${(page - 1) * offset}
    ) held`

/** `token_id`, `balance` of the pairs of an address that hold something (after a block), of those that pass the condition on `b`. */
const selectHeld = (
  chain: ChainSql,
  holder: Address | Fragment,
  blockNumber: number | undefined,
  condition: Fragment,
): Fragment => {
  const { sql } = chain
  return blockNumber === undefined
    ? sql`select b.token_id, b.balance from ${chain.balance} b
        where b.holder = ${holder}::bytea and b.balance > 0 ${condition}`
    : sql`select p.token_id, p.balance from (
          select b.token_id, ${balanceAt(holderTable(chain), blockNumber)} as balance from ${chain.balance} b
          where b.holder = ${holder}::bytea ${condition} offset 0
        ) p where p.balance > 0`
}

/**
 * Whether at least m = ½ √(rows wanted × tokens of the standard) tokens of the standard are held: then 4 m at most are
 * passed on the way to the rows wanted, by and large. Looks at no more than the address's first 4 m pairs.
 */
const holdsMany = (
  { sql, balance, token, state }: ChainSql,
  standard: Standard,
  holder: Address | Fragment,
  wanted: number,
): Fragment => {
  const pairs = (count: Fragment) =>
    sql`select b.token_id, b.balance from ${balance} b where b.holder = ${holder}::bytea limit ${count}`
  return sql`
    select case when (select count(*) from (${pairs(sql`many.m`)}) b) < many.m then false else (
      select count(*) from (
        select from (${pairs(sql`4 * many.m`)}) b cross join lateral (
          select from ${token} k where k.token_id = b.token_id and k.standard = ${standardNumbers[standard]} limit 1
        ) k where b.balance > 0 limit many.m
      ) found
    ) >= many.m end
    from (select ceil(sqrt(${wanted}::float8 * s.${sql(`${standard}_tokens`)}) / 2)::int8 + 1 as m from ${state} s) many`
}

/** The ids of an ERC-1155 contract that an address holds something of (after a block), as pairs of texts: in the order of the primary key. */
export const selectUnits = (
  chain: ChainSql,
  contract: Address,
  holder: Address | Fragment,
  { page, offset }: Window,
  blockNumber: number | undefined,
): Fragment => {
  const { sql, token, unitBalance } = chain
  return sql`
  select coalesce(json_agg(json_build_array(u.nft_id::text, u.balance::text) order by u.nft_id), '[]') from (
    select b.nft_id, held.balance from ${unitBalance} b
      cross join lateral (select ${balanceAt(unitTable(chain), blockNumber)} as balance offset 0) held
    where b.holder = ${holder}::bytea and held.balance > 0 and b.token_id = (
      select k.token_id from ${token} k where k.address = ${contract}::bytea and k.standard = ${standardNumbers.erc1155})
    order by b.nft_id limit ${offset} offset ${(page - 1) * offset}
  ) u`
}

export const holdingOf = ([tokenAddress, name, symbol, decimals, balance]: HoldingRow): Holding => {
  const holding: { -readonly [Name in keyof Holding]: Holding[Name] } = { tokenAddress, balance }
  if (name !== null) holding.name = name
  if (symbol !== null) holding.symbol = symbol
  if (decimals !== null) holding.decimals = decimals
  return holding
}
