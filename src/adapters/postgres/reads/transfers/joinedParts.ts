/** Pages of single chains brought together to one: each of them speaks of its own block. */
import type { Count, Snapshot } from "../../../../model/page.ts"
import type { TransfersQuery } from "../../../../ports/TransferStore.ts"
import { seekOf } from "../common/page.ts"
import { compareFeedRows } from "../feed/order.ts"
import { countOf } from "./count.ts"
import type { TransferRow } from "./record.ts"

export type Page = Snapshot<{ readonly rows: ReadonlyArray<TransferRow>; readonly count?: Count }>

export const joinedParts = ({ page, direction, filter }: TransfersQuery, parts: ReadonlyArray<Page>): Page => {
  const rows = parts
    .flatMap(({ value }) => value.rows)
    .sort(compareFeedRows(seekOf(page, direction).reading))
    .slice(0, page.limit + 1)
  const counts = parts.flatMap(({ value }) => value.count ?? [])
  const total = countOf(
    counts.reduce((sum, { count }) => sum + count, 0),
    filter,
  )
  const isLower = counts.some(({ countType }) => countType === "lowerBound")
  const count: Count = isLower ? { ...total, countType: "lowerBound" } : total
  return {
    asOf: parts.flatMap(({ asOf }) => asOf),
    value: { rows, ...(counts.length > 0 ? { count } : {}) },
  }
}
