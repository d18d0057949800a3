/** What is known of a token, as statements give it → the token record. */
import type { Fragment, Sql } from "postgres"
import { type Address, type ChainId, dateTimeOf, type Hash } from "../../../domain/model/primitives.ts"
import type { Erc20Token } from "../../../domain/model/token.ts"
import { selectTokenSupply } from "../balances.ts"
import type { ChainTables } from "../tables.ts"

export interface TokenDetails {
  readonly address: Address
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  readonly created_time: number | null
  readonly created_tx: Hash | null
  readonly supply: string
  readonly holders: number
}

/** `TokenDetails` as a JSON object, of the token `k` that the condition finds. */
export const selectDetails = (sql: Sql, chain: ChainTables, condition: Fragment): Fragment => sql`
  select json_build_object(
    'address', '0x' || encode(k.address, 'hex'), 'name', k.name, 'symbol', k.symbol, 'decimals', k.decimals,
    'created_time', k.created_time, 'created_tx', '0x' || encode(k.created_tx, 'hex'),
    'supply', greatest((${selectTokenSupply(sql, chain, sql`k.token_id`)}), 0)::text,
    'holders', coalesce((select s.holders from ${chain.tokenStat} s where s.token_id = k.token_id), 0))
  from ${chain.token} k where ${condition}`

export const tokenOf = (chainId: ChainId, details: TokenDetails): Erc20Token => {
  const { address, name, symbol, decimals, created_time, created_tx, supply, holders } = details
  return {
    chainId,
    address,
    ...(name === null ? {} : { name }),
    ...(symbol === null ? {} : { symbol }),
    ...(decimals === null ? {} : { decimals }),
    totalSupply: supply,
    ...(created_time === null && created_tx === null
      ? {}
      : {
          createOperation: {
            ...(created_time === null ? {} : { timestamp: dateTimeOf(created_time) }),
            ...(created_tx === null ? {} : { txHash: created_tx }),
          },
        }),
    holdersCount: holders,
  }
}
