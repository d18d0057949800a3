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
  const [own, wanted, found] = ["k", "wanted", "row"].map((of) => sql(key.map((column) => `${of}.${column}`)))
  return sql`
    join lateral (
      select * from ${sql(table)} k where (${own!}) >= (${wanted!}) order by ${own!} limit 1
    ) row on (${found!}) = (${wanted!})`
}
