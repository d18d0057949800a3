/** Writes prices: each call moves the revision where it changed something. */
import type { Fragment } from "postgres"
import type { Usd } from "../../../../model/price.ts"
import type { Address } from "../../../../model/primitives.ts"
import { type HourPrice, type PricedToken, type PriceGap, pointHours } from "../../../../ports/TokenPrices.ts"
import { hexArray, numberArray } from "../../database/arrays.ts"
import { type ChainSql, forEver, learnedMove, standardNumbers } from "../../database/chainSql.ts"
import type { Transaction } from "../../database/Database.ts"

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
  update ${state} set ${learnedMove(sql)} where exists (select from written)`

/** Of a token by its id. One that ends before it begins says that there is no price: it has the price 0, which none else has. */
interface Point {
  readonly id: number
  readonly hour: number
  readonly untilHour: number
  readonly price: Usd
}

const putHour = async (
  transaction: Transaction,
  chain: ChainSql,
  hour: number,
  prices: ReadonlyArray<HourPrice>,
): Promise<number> => {
  // The ids are read first: an insert that joined them would read another table (see `distributed.ts`).
  const ids = await idsOf(
    transaction,
    chain.token,
    prices.map(({ address }) => address),
  )
  const toPoints = (some: ReadonlyArray<HourPrice>) =>
    some.flatMap(({ address, price, stands }): ReadonlyArray<Point> => {
      const id = ids.get(address)
      if (id === undefined) return []
      if (price === undefined) return [{ id, hour, untilHour: hour - 1, price: 0n }]
      return [{ id, hour, untilHour: stands === true ? forEver : hour + pointHours - 1, price }]
    })
  const [firm, yielding] = [prices.filter(({ yields }) => !yields), prices.filter(({ yields }) => yields)]
  return (
    (await putPoints(transaction, chain, toPoints(firm))) +
    (await putPoints(transaction, chain, toPoints(yielding), true))
  )
}

/** How many are another than what there was. `yields`: what there was stays. */
export const putPoints = async (
  { tx, run }: Transaction,
  { pricePoint }: ChainSql,
  known: ReadonlyArray<Point>,
  yields = false,
): Promise<number> => {
  if (known.length === 0) return 0
  const put = await run(tx`
    insert into ${pricePoint} as p (token_id, hour, until_hour, price)
    select w.token_id, w.hour, w.until_hour, w.price
    from unnest(${numberArray(known.map(({ id }) => id))}::text::int4[], ${numberArray(known.map(({ hour }) => hour))}::text::int4[],
                ${numberArray(known.map(({ untilHour }) => untilHour))}::text::int4[],
                ${numberArray(known.map(({ price }) => price))}::text::numeric[])
      as w (token_id, hour, until_hour, price)
    on conflict (token_id, hour) ${
      yields
        ? tx`do nothing`
        : tx`do update set until_hour = excluded.until_hour, price = excluded.price
             where (p.until_hour, p.price) is distinct from (excluded.until_hour, excluded.price)`
    }
    returning p.token_id`)
  return put.length
}

/** Of those that are ERC-20s of the ledger. */
export const idsOf = async (
  { tx, run }: Transaction,
  token: ChainSql["token"],
  addresses: ReadonlyArray<Address>,
): Promise<ReadonlyMap<Address, number>> => {
  if (addresses.length === 0) return new Map()
  const rows = await run(tx<Array<{ address: Address; token_id: number }>>`
    select k.address, k.token_id from ${token} k
    where k.address = any(${hexArray(addresses)}::text::bytea[]) and k.standard = ${standardNumbers.erc20}`)
  return new Map(rows.map(({ address, token_id }) => [address, token_id]))
}

export const moveRevision = ({ tx, run }: Transaction, { sql, state }: ChainSql) =>
  run(tx`update ${state} set ${learnedMove(sql)}`)

/** The hour that is next never goes back: two instances may be at work. */
export const recordHour = async (
  transaction: Transaction,
  chain: ChainSql,
  hour: number,
  prices: ReadonlyArray<HourPrice>,
  nextHour: number,
): Promise<void> => {
  const { tx, run } = transaction
  // First: see `nextHourOf`.
  await run(tx`
    insert into ${chain.priceProgress} as g (next_hour) values (${nextHour})
    on conflict (only_row) do update set next_hour = excluded.next_hour where g.next_hour < excluded.next_hour`)
  const put = await putHour(transaction, chain, hour, prices)
  if (put > 0) await moveRevision(transaction, chain)
}

/** Nothing where another process has gone as far: it waits for whoever is at the same row, and sees what they wrote. */
export const recordLeap = async (
  { tx, run }: Transaction,
  { priceProgress, priceGap }: ChainSql,
  from: number,
  to: number,
): Promise<void> => {
  const moved = await run(tx`
    insert into ${priceProgress} as g (next_hour) values (${to})
    on conflict (only_row) do update set next_hour = excluded.next_hour where g.next_hour < excluded.next_hour
    returning g.next_hour`)
  if (moved.length === 0 || from >= to) return
  await run(tx`insert into ${priceGap} (from_hour, to_hour) values (${from}, ${to}) on conflict do nothing`)
}

/** The hour that is next, if any was recorded. Nobody else records an hour, or where they end, until the transaction does. */
export const nextHourOf = async (
  { tx, run }: Transaction,
  { priceProgress }: ChainSql,
): Promise<number | undefined> => {
  const [row] = await run(tx<Array<{ next_hour: number }>>`select g.next_hour from ${priceProgress} g for update`)
  return row?.next_hour
}

/**
 * What is left of a gap never grows: two instances may be at work. One that has grown since it was read is another one, of
 * tokens that came into the ledger meanwhile: it stays.
 */
export const recordGapHour = async (
  transaction: Transaction,
  chain: ChainSql,
  { from, to }: PriceGap,
  hour: number,
  prices: ReadonlyArray<HourPrice>,
): Promise<void> => {
  const { tx, run } = transaction
  const { priceGap } = chain
  await nextHourOf(transaction, chain)
  const put = await putHour(transaction, chain, hour, prices)
  await run(
    hour > from
      ? tx`update ${priceGap} g set to_hour = ${hour}
           where g.from_hour = ${from} and g.to_hour > ${hour} and g.to_hour <= ${to}`
      : tx`delete from ${priceGap} g where g.from_hour = ${from} and g.to_hour <= ${to}`,
  )
  if (put > 0) await moveRevision(transaction, chain)
}
