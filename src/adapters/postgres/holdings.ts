/** SQL of what an address holds, and a row of it → the holding. */
import type { Fragment, Sql } from "postgres"
import type { Holding } from "../../domain/model/holder.ts"
import type { Address } from "../../domain/model/primitives.ts"
import type { HeldStandard, Window } from "../../ports/HolderStore.ts"
import { type ChainTables, standardNumbers } from "./tables.ts"

export interface HoldingRow {
  readonly address: Address
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  readonly balance: string
}

/** `HoldingRow`s of the standard's tokens that an address holds, by contract address. */
export const selectHoldings = (
  sql: Sql,
  { balance, token }: ChainTables,
  standard: HeldStandard,
  holder: Address,
  { page, offset }: Window,
): Fragment => sql`
  select coalesce(json_agg(json_build_object('address', '0x' || encode(held.address, 'hex'), 'name', held.name,
    'symbol', held.symbol, 'decimals', case held.standard when 20 then held.decimals end,
    'balance', held.balance::text)), '[]') from (
    select known.*, b.balance from ${balance} b cross join lateral (
      select k.standard, k.address, k.name, k.symbol, k.decimals from ${token} k
      where k.token_id = b.token_id and k.standard = ${standardNumbers[standard]} limit 1
    ) known
    where b.holder = ${holder}::bytea and b.balance > 0
    order by known.address limit ${offset} offset ${(page - 1) * offset}
  ) held`

export const holdingOf = ({ address, name, symbol, decimals, balance }: HoldingRow): Holding => ({
  tokenAddress: address,
  ...(name === null ? {} : { name }),
  ...(symbol === null ? {} : { symbol }),
  ...(decimals === null ? {} : { decimals }),
  balance,
})
