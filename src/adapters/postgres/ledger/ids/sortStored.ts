/** What an append touched, in the order of the key: rows that are new, and rows that are stored. */

export interface Sorted<Row> {
  readonly created: ReadonlyArray<Row>
  readonly changed: ReadonlyArray<Row>
}

export const sortStored = <Row extends { readonly stored: boolean }>(
  touched: Array<Row>,
  byKey: (a: Row, b: Row) => number,
): Sorted<Row> => {
  touched.sort(byKey)
  return { created: touched.filter(({ stored }) => !stored), changed: touched.filter(({ stored }) => stored) }
}
