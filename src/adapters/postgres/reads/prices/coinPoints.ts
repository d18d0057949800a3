/** SQL of a stablecoin's price points beside an hour: four look-ups of an index each. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import type { CoinPoints, HourPoint } from "../../../../ports/TokenPrices.ts"
import { hexArray } from "../../database/arrays.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"

type PointRow = readonly [hour: number, untilHour: number, price: string]

export type CoinRow = readonly [
  address: Address,
  before: PointRow | null,
  at: PointRow | null,
  hasNext: boolean,
  first: number | null,
  isPegged: boolean,
]

/** JSON: a row for each of the tokens that is an ERC-20 of the ledger. */
export const selectCoinPoints = (
  { sql, token, pricePoint }: ChainSql,
  tokens: ReadonlyArray<Address>,
  hour: number,
  next: number | undefined,
): Fragment => {
  const point = sql`json_build_array(p.hour, p.until_hour, p.price::text)`
  const ofToken = sql`from ${pricePoint} p where p.token_id = k.token_id and`
  return sql`
    select coalesce(json_agg(json_build_array('0x' || encode(k.address, 'hex'),
      (select ${point} ${ofToken} p.hour < ${hour}::int4 order by p.hour desc limit 1),
      (select ${point} ${ofToken} p.hour = ${hour}::int4),
      exists (select ${ofToken} p.hour = ${next ?? null}::int4),
      (select p.hour ${ofToken} p.hour > 0 order by p.hour limit 1),
      exists (select ${ofToken} p.hour = 0))), '[]')
    from ${token} k where k.address = any(${hexArray(tokens)}::text::bytea[]) and k.standard = ${standardNumbers.erc20}`
}

export const coinPointsOf = ([address, before, at, hasNext, first, isPegged]: CoinRow): CoinPoints => ({
  address,
  hasNext,
  isPegged,
  ...(before === null ? {} : { before: pointOf(before) }),
  ...(at === null ? {} : { at: pointOf(at) }),
  ...(first === null ? {} : { first }),
})

const pointOf = ([hour, untilHour, price]: PointRow): HourPoint => ({ hour, untilHour, price: BigInt(price) })
