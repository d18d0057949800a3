/** Which rows of a table a search goes through, by conditions that an index gives in the order of places. */
import type { Fragment } from "postgres"
import { addressAt } from "../../../../domain/ingest/decode/abi.ts"
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import type { LedgerLogFilter } from "../../../../ports/LedgerLogs.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { bytesOf } from "../../database/client.ts"

export const placesOf = ({ sql }: ChainSql, filter: LedgerLogFilter): Fragment => sql`
  t.pos >= ${placeOf(filter.fromBlock)}::int8 and t.pos < ${endOf(filter)}::int8`

const endOf = ({ toBlock = mostBlock }: LedgerLogFilter): string => placeOf(toBlock + 1)
const mostBlock = 2 ** 31 - 1
const placeOf = (block: number): string => String(BigInt(Math.min(block, mostBlock + 1)) << 24n)

export const tokenAt = ({ sql, token }: ChainSql, address: Address, standard: number): Fragment => sql`
  (select k.token_id from ${token} k where k.address = ${bytesOf(address)} and k.standard = ${standard}::int2)`

/**
 * Rows within the bounds, of the token if one is asked for, and their order. Token and place are compared as one, and not the
 * token by `=`: else the planner may go through the places of all tokens, which have the same order then.
 */
export const rowsOf = (chain: ChainSql, filter: LedgerLogFilter, standard: number) => {
  const { sql } = chain
  const { address, fromBlock } = filter
  if (address === undefined) return { where: placesOf(chain, filter), order: sql`t.pos` }
  const id = tokenAt(chain, address, standard)
  const where = sql`(t.token_id, t.pos) >= (${id}, ${placeOf(fromBlock)}::int8)
    and (t.token_id, t.pos) < (${id}, ${endOf(filter)}::int8)`
  return { where, order: sql`t.token_id, t.pos` }
}

/** Mints and burns have indexes of their own, which want the zero address in so many letters. `first`: the topic that is the sender. */
export const ends = ({ sql }: ChainSql, { topics: asked, match }: LedgerLogFilter, first: 0 | 1): Fragment => {
  const isZero = (topic: string | undefined) => addressAt(topic) === zeroAddress
  const zero = sql`'\\x0000000000000000000000000000000000000000'`
  if (match !== "all") return sql``
  return sql`${isZero(asked[first]) ? sql`and t.from_addr = ${zero}` : sql``}
    ${isZero(asked[first + 1]) ? sql`and t.to_addr = ${zero}` : sql``}`
}
