/** Parts of statements put together. */
import type { Fragment, Sql } from "postgres"

/** Fragments with `glue` between them. */
export const joined = (fragments: ReadonlyArray<Fragment>, glue: Fragment): Array<Fragment> =>
  fragments.flatMap((fragment, index) => (index === 0 ? [fragment] : [glue, fragment]))

/** Branches joined by `union all`. Each must be a plain select, or be in brackets if it ends in `order by` or `limit`. */
export const unionAll = (sql: Sql, branches: ReadonlyArray<Fragment>): Array<Fragment> =>
  joined(branches, sql`union all`)
