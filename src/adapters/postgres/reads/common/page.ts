/** A page of a list by keys: statements seek to its place, ask for one row more than the limit, and read backwards for `before`. */
import type { PageRequest } from "../../../../model/page.ts"

type Direction = "asc" | "desc"

/** The key a page starts beyond, and the way it is read: against the display order for `before`. */
export const seekOf = <Key>(
  { after, before }: Omit<PageRequest<Key>, "limit">,
  direction: Direction,
): { readonly key: Key | undefined; readonly reading: Direction } =>
  before === undefined
    ? { key: after, reading: direction }
    : { key: before, reading: direction === "desc" ? "asc" : "desc" }

/** From its beginning. */
export const isFirst = ({ after, before, rollbacks }: PageRequest<unknown>): boolean =>
  after === undefined && before === undefined && rollbacks === undefined

/** The same, and not of very many rows. */
export const isFirstPage = (page: PageRequest<unknown>): boolean => isFirst(page) && page.limit <= mostJoinedRows

/** Of a page that is read together with others: of larger ones a group would be large. */
const mostJoinedRows = 100

/** Rows in the order read (limit + 1 at most) → rows in display order, and whether more follow. */
export const cut = <Row>(
  { limit, before }: PageRequest<unknown>,
  rows: ReadonlyArray<Row>,
): { readonly rows: ReadonlyArray<Row>; readonly hasMore: boolean } => {
  const page = rows.slice(0, limit)
  return { rows: before === undefined ? page : page.reverse(), hasMore: rows.length > limit }
}
