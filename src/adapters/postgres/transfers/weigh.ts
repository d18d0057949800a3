/** Which of several drives is the shorter way through a chain. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../domain/model/primitives.ts"
import type { ChainTables } from "../tables.ts"
import type { Drive } from "./drive.ts"
import { selectTokenIds } from "./positions.ts"

/** Beyond this many touched blocks a way is simply long. */
const weightCap = 2000

/** A scalar: JSON array of each drive's touched blocks, counted up to a cap (blocks outside a filter's range too). */
export const selectWeights = (
  sql: Sql,
  chain: ChainTables,
  drives: ReadonlyArray<Drive>,
  tokens: ReadonlyArray<Address> | undefined,
): Fragment => {
  const ofTokens =
    tokens === undefined ? sql`` : sql`and b.token_id = any(array(${selectTokenIds(sql, chain, tokens)}))`
  const weights = drives.map(({ walk }, index) => {
    const pairs = sql`select b.token_id, b.holder_no from ${chain.balance} b
      where b.holder = any(${walk as Array<Address>}::bytea[]) ${ofTokens} limit ${weightCap}`
    return sql`${index === 0 ? sql`` : sql`,`} (
      select count(*) from (
        select 1 from (${pairs}) p cross join lateral (
          select null union all
          (select null from ${chain.history} h
           where h.token_id = p.token_id and h.holder_no = p.holder_no order by h.block_number limit ${weightCap})
        ) touched limit ${weightCap}
      ) counted)`
  })
  return sql`select json_build_array(${weights})`
}
