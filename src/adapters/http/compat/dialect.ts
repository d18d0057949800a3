/** Two families of paths answer in two wordings: as Etherscan's own API does to the letter, and as those that stand below a chain's network do. */

export type Dialect = "etherscan" | "routescan"

/** A list without a row, where the family has words for it. Clients of Etherscan's read them. */
const emptyLists = {
  transactions: { message: "No transactions found" },
  records: { message: "No records found" },
} as const

/** What a list is of, where that decides how an empty one is worded. */
export type ListKind = keyof typeof emptyLists

/** The body of an answer. */
export interface Envelope {
  readonly status: "0" | "1"
  readonly message: string
  readonly result: unknown
}

const isEmptyList = (result: unknown): boolean => Array.isArray(result) && result.length === 0

/** `list`: absent = what an empty list is, is no matter of words. */
export const envelopeOf = (dialect: Dialect, result: unknown, list?: ListKind): Envelope =>
  dialect === "etherscan" && list !== undefined && isEmptyList(result)
    ? { status: "0", ...emptyLists[list], result }
    : { status: "1", message: "OK", result }
