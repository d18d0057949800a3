/** Equality of whole keys that no planner can read as anything but a look-up in the key's own index. */
import type { Fragment, Sql } from "postgres"

/**
 * `key` = `wanted`, columns of a key in its order. Written as two bounds of a row: an index that begins with another column of
 * the key (the rank of a token's holders) is of no use for it. With `=` column by column, statistics of a young table, or
 * a plan kept from when it was empty, take that one, and read all holders of a token for each pair.
 */
export const isKey = (sql: Sql, key: Fragment, wanted: Fragment): Fragment =>
  sql`(${key}) >= (${wanted}) and (${key}) <= (${wanted})`
