/** The tables of one chain, as names for statements. */
import type { Helper, Sql } from "postgres"
import type { ChainId } from "../../domain/model/primitives.ts"

type Name = Helper<string>

export interface ChainTables {
  readonly chainId: ChainId
  readonly state: Name
  readonly clock: Name
  readonly token: Name
  readonly tokenStat: Name
  readonly transfer: Name
  readonly balance: Name
  readonly history: Name
}

export const tablesOf = (sql: Sql, chainId: ChainId, schema: string): ChainTables => {
  const table = (name: string): Name => sql(`${schema}.${name}`) as unknown as Name
  return {
    chainId,
    state: table("state"),
    clock: table("clock"),
    token: table("token"),
    tokenStat: table("token_stat"),
    transfer: table("erc20_transfer"),
    balance: table("balance"),
    history: table("balance_history"),
  }
}
