/** The rows of a page far down an account's list: what was counted of it says where they lie, and only what is around them is walked. */
import type { Fragment } from "postgres"
import { type Address, zeroAddress } from "../../../../../model/primitives.ts"
import type { TransferFilter } from "../../../../../model/transfer.ts"
import { standardNumbers } from "../../../database/chainSql.ts"
import type { Direction, TransferFeed } from "../../feed/feed.ts"
import { type KeyRange, type PositionKey, positionKeyOf } from "../../feed/positionKey.ts"
import { type Walker, type WalkRequest, walkChain } from "../walk/walkChain.ts"
import { isChanged } from "./progress.ts"
import type { Segments } from "./segments.ts"

type Place = readonly [number, number, number]

/** What was counted of an account, and holds in the snapshot. */
export interface Marked {
  /** Its rows in the blocks below `next`. */
  readonly rows: number
  readonly next: number
  readonly generation: string
  readonly stride: number
  /** Numbers and places of the oldest mark, and of those around the page: block, log index, sub. */
  readonly marks: ReadonlyArray<readonly [number, Place]>
}

/** The account whose list it is, if its rows may be counted: of other filters they are not. */
export const onlyAccount = (filter: TransferFilter): Address | undefined => {
  const { address: [account, ...others] = [], blockNumberFrom: _, blockNumberTo: __, ...narrowing } = filter
  const isAlone = others.length === 0 && Object.values(narrowing).every((value) => value === undefined)
  return isAlone && account !== zeroAddress ? account : undefined
}

const placeOf = (sql: TransferFeed["sql"]): Fragment => sql`
  json_build_array((k.pos >> 24)::int4, (k.pos & 16777215)::int4, k.sub)`

/** Rows that may have come since without the marks being asked for once more. */
const slack = 1000

/** A scalar, none where nothing is counted that holds: `Marked` as JSON. `limit`: rows that are passed over, and those of the page. */
export const selectMarked = (
  { sql, chain, kind }: TransferFeed,
  account: Address,
  { direction, skip, limit }: { readonly direction: Direction; readonly skip: number; readonly limit: number },
): Fragment => {
  const { marking, markedAccount, accountMark } = chain
  const [low, high] =
    direction === "asc"
      ? [sql`${skip}::int8`, sql`${limit}::int8`]
      : [sql`a.rows - ${limit}::int8`, sql`a.rows - ${skip}::int8 + ${slack}::int8`]
  return sql`
    select json_build_object('rows', a.rows, 'next', m.next_block, 'generation', m.generation::text, 'stride', m.stride,
      'marks', (
        select coalesce(json_agg(json_build_array(k.mark, ${placeOf(sql)})), '[]') from ${accountMark} k
        where k.account = a.account and k.standard = a.standard
          and (k.mark = 0 or k.mark between (${low}) / m.stride - 1 and (${high}) / m.stride + 1)))
    from ${marking} m
    join ${markedAccount} a on a.account = ${account}::bytea and a.standard = ${standardNumbers[kind]}::int2
    where a.rows > 0 and not ${isChanged(chain)}`
}

/** Rows of the counted ones, by their number from the oldest: from `low` on and below `high`. */
export interface Numbers {
  readonly low: number
  readonly high: number
}

/**
 * Which counted rows, and how many of those that came since before them, a page has: rows `skip` to `skip + limit` of the
 * list. `since`: rows that came since.
 */
export const numbersOf = (
  direction: Direction,
  counted: number,
  since: number,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Numbers => {
  if (direction === "asc") return { low: Math.min(skip, counted), high: Math.min(skip + limit, counted) }
  const high = counted - Math.min(Math.max(skip - since, 0), counted)
  const low = counted - Math.min(Math.max(skip + limit - since, 0), counted)
  return { low, high }
}

/** The counted rows of these numbers, oldest first. Undefined where they are not those that were counted. */
export const readNumbers = async (
  walker: Walker,
  feed: TransferFeed,
  { account, marked, segments, budget }: MarkedAccount,
  { low, high }: Numbers,
): Promise<ReadonlyArray<PositionKey> | undefined> => {
  if (low >= high) return []
  const { stride, generation, rows } = marked
  const [first, last] = [Math.floor(low / stride), Math.floor((high - 1) / stride)]
  const nameOf = (segment: number) => `${feed.chain.chainId} ${feed.kind} ${account} ${generation} ${segment}`
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  let found = numbers.map((segment) => segments.find(nameOf(segment)))
  if (found.some((it) => it === undefined)) {
    const range = await findRange(walker, feed, { account, marked }, { first, end: last + 1 })
    if (range === undefined) return undefined
    const wanted = Math.min((last + 1) * stride, rows) - first * stride
    const request: WalkRequest = { range, direction: "asc", limit: wanted + 1, budget }
    const { positionKeys } = await walkChain(walker, feed, request)
    if (positionKeys.length !== wanted) return undefined
    found = numbers.map((_, index) => positionKeys.slice(index * stride, (index + 1) * stride))
    // The last one may grow.
    for (const [index, keys] of found.entries()) {
      if (keys?.length === stride) segments.keep(nameOf(first + index), keys)
    }
  }
  return found.flatMap((keys) => keys ?? []).slice(low - first * stride, high - first * stride)
}

export interface MarkedAccount {
  readonly account: Address
  readonly marked: Marked
  readonly segments: Segments
  readonly budget: WalkRequest["budget"]
}

/** From one mark to another; where there is none yet, to the end of what is counted. */
const findRange = async (
  walker: Walker,
  feed: TransferFeed,
  { account, marked }: Pick<MarkedAccount, "account" | "marked">,
  { first, end }: { readonly first: number; readonly end: number },
): Promise<KeyRange | undefined> => {
  const isLast = end * marked.stride >= marked.rows
  const wanted = isLast ? [first] : [first, end]
  const isKnown = wanted.every((number) => marked.marks.some(([mark]) => mark === number))
  const marks = isKnown ? marked.marks : await readMarks(walker, feed, account, wanted)
  const keyOf = (number: number) => {
    const place = marks.find(([mark]) => mark === number)?.[1]
    return place && positionKeyOf(feed.kind, ...place)
  }
  const low = keyOf(first)
  const high = isLast ? positionKeyOf(feed.kind, marked.next) : keyOf(end)
  return low === undefined || high === undefined ? undefined : { low, high }
}

const readMarks = async (
  { transaction, run, prepared }: Walker,
  { sql, chain, kind }: TransferFeed,
  account: Address,
  wanted: ReadonlyArray<number>,
): Promise<Marked["marks"]> => {
  const statement = transaction<Array<{ mark: number; place: Place }>>`
    select k.mark, ${placeOf(sql)} as place from ${chain.accountMark} k
    where k.account = ${account}::bytea and k.standard = ${standardNumbers[kind]}::int2
      and k.mark = any(${[...wanted]}::int4[])`
  const marks = await run(prepared([chain], statement))
  return marks.map(({ mark, place }) => [mark, place])
}
