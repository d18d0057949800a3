/** Pages of lists: which rows, and which ways lead on, when the whole list is known. */
import { differenceOf } from "../compare.ts"
import type { State } from "../oracle.ts"
import type { Part, Row } from "../records.ts"

/** A list by the question that gives it. */
export interface ListQuestion {
  readonly kind: "list"
  /** Path and query without a cursor. */
  readonly url: string
  readonly limit: number
  readonly count: boolean
  /** Chains of the list. */
  readonly chains: ReadonlyArray<string>
  /** In any order. */
  readonly rows: (states: ReadonlyArray<State>) => ReadonlyArray<Row>
  /** Of each part of the key: 1 = ascending, −1 = descending. */
  readonly signs: ReadonlyArray<1 | -1>
  /** The order is by something learned in the background: until then only the rows can be judged. */
  readonly learnedOrder?: boolean
  /** So are its rows: until then they cannot be counted. */
  readonly learnedRows?: boolean
  /** Keys are blocks, which cursors name: those are refused once a reorg replaced the block. */
  readonly namesBlocks?: boolean
  /** The block that the list is as of: refused while the chain has not reached it, pages are all of it. */
  readonly block?: number
}

/** Where a page begins; neither = at the start. */
export interface Place {
  readonly after?: ReadonlyArray<Part> | undefined
  readonly before?: ReadonlyArray<Part> | undefined
}

interface Body {
  readonly items: ReadonlyArray<Record<string, unknown>>
  readonly count?: number
  readonly countType?: string
  readonly link: {
    readonly next?: string
    readonly nextToken?: string
    readonly prev?: string
    readonly prevToken?: string
  }
}

export interface Judged {
  /** Undefined = as it must be. */
  readonly difference: string | undefined
  /** Keys of the first and the last row, where there are rows. */
  readonly first?: ReadonlyArray<Part>
  readonly last?: ReadonlyArray<Part>
}

export const judgePage = (
  { rows, signs, limit, count, learnedOrder, learnedRows }: ListQuestion,
  { after, before }: Place,
  states: ReadonlyArray<State>,
  body: Body,
  settled: boolean,
): Judged => {
  const order = (a: ReadonlyArray<Part>, b: ReadonlyArray<Part>) => compareKeys(a, b, signs)
  const all = inOrder({ rows, signs }, states)
  if (!Array.isArray(body?.items)) return { difference: "the body has no items" }
  const counted =
    count && !(learnedRows && !settled)
      ? countDifference(all.length, body)
      : count || body.count === undefined
        ? undefined
        : "count: nobody asked"
  if (counted !== undefined) return { difference: counted }
  if (learnedOrder && !settled) return { difference: rowsDifference(all, body, limit) }
  const beyond = after === undefined ? all : all.filter(({ key }) => order(key, after) > 0)
  const ahead = before === undefined ? beyond : all.filter(({ key }) => order(key, before) < 0)
  const shown = before === undefined ? ahead.slice(0, limit) : ahead.slice(-limit)
  const difference =
    differenceOf(
      shown.map(({ item }) => item()),
      body.items,
      settled,
      "items",
    ) ?? linksDifference(body, ahead.length > limit, shown.length > 0, { after, before })
  const [first, last] = [shown[0]?.key, shown.at(-1)?.key]
  return { difference, ...(first && { first }), ...(last && { last }) }
}

/** Every row of a list. */
export const inOrder = (
  { rows, signs }: Pick<ListQuestion, "rows" | "signs">,
  states: ReadonlyArray<State>,
): ReadonlyArray<Row> => [...rows(states)].sort((a, b) => compareKeys(a.key, b.key, signs))

const countDifference = (truth: number, { count, countType }: Body): string | undefined => {
  if (countType === "exact" && count === truth) return undefined
  if (countType === "lowerBound" && count !== undefined && count <= truth && count >= 10_000) return undefined
  return `count: wanted ${truth}, got ${count} (${countType})`
}

/** `more`: rows beyond the page, in the direction that was asked. */
const linksDifference = ({ link }: Body, more: boolean, any: boolean, { after, before }: Place): string | undefined => {
  const has = (name: "next" | "prev") => link[name] !== undefined && link[`${name}Token`] !== undefined
  const hasNone = (name: "next" | "prev") => link[name] === undefined && link[`${name}Token`] === undefined
  const forward = before === undefined
  const way = forward ? "next" : "prev"
  if (more ? !has(way) : !hasNone(way)) return `link.${way}: ${more ? "wanted" : "not wanted"}, got ${link[way]}`
  if (forward && after === undefined && !hasNone("prev")) return `link.prev: on the first page, got ${link.prev}`
  // Of the way back, where there are rows to go back from.
  const back = forward ? "prev" : "next"
  if ((!forward || after !== undefined) && any && !has(back)) return `link.${back}: wanted, got nothing`
  return undefined
}

/** Each row as it must be, as many as can be, none twice. */
const rowsDifference = (all: ReadonlyArray<Row>, { items }: Body, limit: number): string | undefined => {
  const keyOf = (item: unknown) => {
    const { chainId, address } = item as Record<string, unknown>
    return `${chainId} ${address}`
  }
  const byKey = new Map(all.map(({ item }) => [keyOf(item()), item()]))
  if (new Set(items.map(keyOf)).size < items.length) return "items: one comes twice"
  if (items.length > limit) return `items: ${items.length} of at most ${limit}`
  for (const item of items) {
    const difference = differenceOf(byKey.get(keyOf(item)), item, false, `items: ${keyOf(item)}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

const compareKeys = (a: ReadonlyArray<Part>, b: ReadonlyArray<Part>, signs: ReadonlyArray<number>): number => {
  for (const [place, sign] of signs.entries()) {
    const [x, y] = [a[place]!, b[place]!]
    if (x === y) continue
    // Absent values are last in both directions.
    if (x === null) return 1
    if (y === null) return -1
    return (compareParts(x, y) < 0 ? -1 : 1) * sign
  }
  return 0
}

/** Texts by their bytes in UTF-8. */
const compareParts = (a: NonNullable<Part>, b: NonNullable<Part>): number =>
  typeof a === "string" && typeof b === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1
