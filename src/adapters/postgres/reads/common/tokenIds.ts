/** The token_id of a contract, as a statement. */
import type { Fragment } from "postgres"
import type { Address } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import { type ChainSql, standardNumbers } from "../../database/chainSql.ts"

/** The id of the standard's token at an address; no row if there is none. */
export const selectTokenId = ({ sql, token }: ChainSql, standard: Standard, address: Address | Fragment): Fragment =>
  sql`select k.token_id from ${token} k where k.address = ${address}::bytea and k.standard = ${standardNumbers[standard]}`

/** The id of what a contract is where no standard is named: of those it emits, the first. */
export const selectFirstTokenId = ({ sql, token }: ChainSql, address: Address | Fragment): Fragment =>
  sql`select k.token_id from ${token} k where k.address = ${address}::bytea order by k.standard limit 1`

/** As `selectFirstTokenId`; no row for an ERC-1155, which has no supply, whatever its reserved accounts hold. */
export const selectFirstSuppliedId = ({ sql, token }: ChainSql, address: Address | Fragment): Fragment => sql`
  select f.token_id from (
    select k.token_id, k.standard from ${token} k where k.address = ${address}::bytea order by k.standard limit 1
  ) f where f.standard <> 1155`

/** JSON: the numbers of the standards that a contract emits, ascending. */
export const selectStandards = ({ sql, token }: ChainSql, address: Address): Fragment => sql`
  select coalesce(json_agg(k.standard order by k.standard), '[]') from ${token} k where k.address = ${address}::bytea`
