/** SQL that writes prices: each statement moves the revision where it changed something. */
import type { Fragment } from "postgres"
import type { Usd } from "../../../../model/price.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { PricedToken, PriceGap } from "../../../../ports/TokenPrices.ts"
import { hexArray, numberArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"

const addressArray = (items: ReadonlyArray<{ readonly address: Address }>): string =>
  hexArray(items.map(({ address }) => address))

/** Neither waits for the ledger's writer nor makes it wait: rows that it is at work on are left out. */
export const recordPrices = (
  { sql, tokenStat, token, state }: ChainSql,
  tokens: ReadonlyArray<PricedToken>,
): Fragment => sql`
  with differing as materialized (
    select s.token_id, w.price, w.market_cap
    from unnest(${addressArray(tokens)}::text::bytea[],
                ${tokens.map(({ price }) => price?.toString() ?? null)}::text[]::numeric[],
                ${tokens.map(({ marketCap }) => marketCap?.toString() ?? null)}::text[]::numeric[])
      as w (address, price, market_cap)
    join ${token} k on k.address = w.address and k.standard = ${standardNumbers.erc20}
    join ${tokenStat} s on s.token_id = k.token_id
    where (s.price, s.market_cap) is distinct from (w.price, w.market_cap)
  ), free as (
    select s.token_id, d.price, d.market_cap from differing d join ${tokenStat} s on s.token_id = d.token_id
    for no key update of s skip locked
  ), written as (
    update ${tokenStat} s set price = f.price, market_cap = f.market_cap from free f where s.token_id = f.token_id
    returning s.token_id
  )
  update ${state} set revision = revision + 1 where exists (select from written)`

interface Point {
  readonly address: Address
  readonly hour: number
  readonly untilHour: number
  readonly price: Usd
}

const putPoints = ({ sql, token, pricePoint }: ChainSql, points: ReadonlyArray<Point>): Fragment => sql`
  insert into ${pricePoint} as p (token_id, hour, until_hour, price)
  select k.token_id, w.hour, w.until_hour, w.price
  from unnest(${addressArray(points)}::text::bytea[], ${numberArray(points.map(({ hour }) => hour))}::text::int4[],
              ${numberArray(points.map(({ untilHour }) => untilHour))}::text::int4[],
              ${numberArray(points.map(({ price }) => price))}::text::numeric[])
    as w (address, hour, until_hour, price)
  join ${token} k on k.address = w.address and k.standard = ${standardNumbers.erc20}
  on conflict (token_id, hour) do update set until_hour = excluded.until_hour, price = excluded.price
    where (p.until_hour, p.price) is distinct from (excluded.until_hour, excluded.price)
  returning p.token_id`

/** The hour that is next never goes back: two instances may be at work. */
export const recordPoints = (chain: ChainSql, points: ReadonlyArray<Point>, nextHour: number): Fragment => {
  const { sql } = chain
  return sql`
    with put as (
      ${putPoints(chain, points)}
    ), progress as (
      insert into ${chain.priceProgress} as g (next_hour) values (${nextHour})
      on conflict (only_row) do update set next_hour = excluded.next_hour where g.next_hour < excluded.next_hour
    )
    update ${chain.state} set revision = revision + 1 where exists (select from put)`
}

/** Nothing where another process has gone as far. */
export const recordLeap = ({ sql, priceProgress, priceGap }: ChainSql, from: number, to: number): Fragment => sql`
  with moved as (
    insert into ${priceProgress} as g (next_hour) values (${to})
    on conflict (only_row) do update set next_hour = excluded.next_hour where g.next_hour < excluded.next_hour
    returning g.next_hour
  )
  insert into ${priceGap} (from_hour, to_hour) select ${from}::int4, ${to}::int4 from moved where ${from}::int4 < ${to}::int4
  on conflict do nothing`

/** What is left of a gap never grows: two instances may be at work. */
export const recordGapPoints = (
  chain: ChainSql,
  { from }: PriceGap,
  points: ReadonlyArray<Point>,
  hour: number,
): Fragment => {
  const { sql, priceGap } = chain
  return sql`
    with put as (
      ${putPoints(chain, points)}
    ), shrunk as (
      update ${priceGap} g set to_hour = ${hour} where g.from_hour = ${from} and g.to_hour > ${hour} and ${hour}::int4 > ${from}::int4
    ), filled as (
      delete from ${priceGap} g where g.from_hour = ${from} and ${hour}::int4 <= ${from}::int4
    )
    update ${chain.state} set revision = revision + 1 where exists (select from put)`
}

export const recordPegs = (chain: ChainSql, tokens: ReadonlyArray<Address>, price: Usd): Fragment => {
  const { sql } = chain
  const points = tokens.map((address) => ({ address, hour: 0, untilHour: 2 ** 31 - 1, price }))
  const pegged = sql`select k.token_id from ${chain.token} k
    where k.address = any(${addressArray(points)}::text::bytea[]) and k.standard = ${standardNumbers.erc20}`
  return sql`
    with gone as (
      delete from ${chain.pricePoint} p where p.hour = 0 and p.token_id not in (${pegged}) returning p.token_id
    ), put as (
      ${putPoints(chain, points)}
    )
    update ${chain.state} set revision = revision + 1 where exists (select from put) or exists (select from gone)`
}
