/** Rows by their whole key, so that no planner can go another way than the key's own index. */
import type { Fragment, Sql } from "postgres"

/**
 * Joins each row of `wanted` with the row of `table` that has its key, as `row`; `key`: the columns in the key's order, in both.
 *
 * The first row from the key on, in the key's order: only the key's index gives that without sorting the table. A
 * comparison leaves a choice. With `=` column by column, statistics of a young table take the index that begins with another
 * column, and all holders of a token are read for each pair; with two bounds of a row a table of twelve million pairs did,
 * and that index was read whole for each.
 */
export const joinByKey = (sql: Sql, table: string, key: ReadonlyArray<string>): Fragment => {
  const of = (name: string) => sql.unsafe(key.map((column) => `${name}.${column}`).join(", "))
  return sql`
    join lateral (
      select * from ${sql(table)} k where (${of("k")}) >= (${of("wanted")}) order by ${of("k")} limit 1
    ) row on (${of("row")}) = (${of("wanted")})`
}
