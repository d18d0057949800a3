/** Mints and burns as a stream: what the zero address sends and receives has indexes of its own. */
import type { Sql } from "postgres"
import type { ChainTables } from "../tables.ts"
import { selectPositions } from "./positions.ts"
import type { Batch, Stream } from "./stream.ts"

/**
 * The next `width` mints or burns, all of which pass the filter (see `Drive`), off their own index. The predicate is
 * literal, as the index is partial, and positions are all that is read, as the index holds no more.
 */
export const zeroStream = (
  sql: Sql,
  chain: ChainTables,
  { filter, stretch, direction, width }: Batch,
  which: "mints" | "burns",
): Stream => {
  const zero =
    which === "mints"
      ? sql`t.from_addr = '\\x0000000000000000000000000000000000000000'`
      : sql`t.to_addr = '\\x0000000000000000000000000000000000000000'`
  const bounds = [sql`and ${zero} and t.pos >= ${String(stretch.low)}::int8 and t.pos < ${String(stretch.high)}::int8`]
  const table = which === "mints" ? sql`mint` : sql`burn`
  return {
    tables: sql`${table} as materialized (${selectPositions(sql, chain, filter.tokenAddress, bounds, direction, width)})`,
    hits: sql`(select pos from ${table})`,
    horizon: sql`(select case when count(*) >= ${width}::int8 then ${
      direction === "desc" ? sql`min(pos)` : sql`max(pos) + 1`
    } end from ${table})`,
    seen: sql`(select count(*) from ${table})`,
  }
}
