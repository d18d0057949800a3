/** How long each of several drives is through a stretch of a chain. */
import type { Fragment, Sql } from "postgres"
import type { Address } from "../../../domain/model/primitives.ts"
import type { ChainTables } from "../tables.ts"
import { blocksOf, type Stretch } from "./bounds.ts"
import type { Drive } from "./drive.ts"
import { selectPairs } from "./pairs.ts"

/** A scalar: JSON array of the touched blocks on each drive's way, counted up to `cap` of them and of pairs. */
export const selectWeights = (
  sql: Sql,
  chain: ChainTables,
  drives: ReadonlyArray<Drive>,
  tokens: ReadonlyArray<Address> | undefined,
  stretch: Stretch,
  cap: number,
): Fragment => {
  const { bottom, top } = blocksOf(stretch)
  const weights = drives.map(({ walk }, index) => {
    return sql`${index === 0 ? sql`` : sql`,`} (
      select count(*) from (
        select 1 from (${selectPairs(sql, chain, walk, tokens)} limit ${cap}) p cross join lateral (
          select p.block_number union all
          (select h.block_number from ${chain.history} h
           where h.token_id = p.token_id and h.holder_no = p.holder_no and h.block_number between ${bottom} and ${top}
           order by h.block_number limit ${cap})
        ) touched limit ${cap}
      ) counted)`
  })
  return sql`select json_build_array(${weights})`
}
