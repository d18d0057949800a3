/** Which contracts further blocks had rows of: of no other did a figure change. */
import { Effect } from "effect"
import type { Fragment } from "postgres"
import type { AsOf } from "../../../../model/block.ts"
import type { StoreError } from "../../../../model/errors.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { Touched } from "../../../../ports/Freshness.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import { bytesOf } from "../../database/client.ts"
import { unionAll } from "../../database/fragments.ts"
import type { AcrossChains } from "../common/acrossChains.ts"

/** With more rows than these it is no longer told: a chain that is far behind moves everything. */
const mostRows = 4096

export const makeTouched =
  ({ probe }: Pick<AcrossChains["Service"], "probe">) =>
  (since: AsOf): Effect.Effect<Touched | undefined, StoreError> => {
    const none: { readonly tokens: ReadonlyArray<Address> | null } = { tokens: null }
    const read = probe(
      undefined,
      [since.chainId],
      none,
      (sql, [chain]) => sql`(${selectTouched(chain, since)}) as tokens`,
    )
    return Effect.map(read, ({ asOf: [point], value: { tokens } }) =>
      point?.rewrites === since.rewrites && tokens ? { point, tokens: new Set(tokens) } : undefined,
    )
  }

/** Scalar: their addresses as JSON, since parts of one long text would keep all of it; null where there are too many rows, or where the block is another one now, as in a database that was restored. */
const selectTouched = ({ sql, block, token, transfers, wrap }: ChainSql, since: AsOf): Fragment => {
  const { blockNumber, hash } = since
  const tables = [transfers.erc20, transfers.erc721, transfers.erc1155, wrap]
  const rows = tables.map(
    (table) =>
      sql`(select token_id from ${table} where pos >= ${blockNumber + 1}::int8 << 24 order by pos limit ${mostRows + 1}::int4)`,
  )
  return sql`
    with moved as materialized (select token_id from (${unionAll(sql, rows)}) r)
    select case when (select count(*) from moved) <= ${mostRows}::int4
      and not exists (select from ${block} where number = ${blockNumber}::int4 and hash <> ${bytesOf(hash)}::bytea)
    then coalesce(
      (select json_agg('0x' || encode(k.address, 'hex'))
       from ${token} k where k.token_id = any(array(select distinct token_id from moved))), '[]') end`
}
