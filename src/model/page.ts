/** Pages and cursors: what a list is asked for, what it gives, and the token that names a place in it. */
import type { AsOf } from "./block.ts"

/** At most one of `after` and `before`. Rows come in display order, whichever way the page was asked for. */
export interface PageRequest<Key> {
  /** 1 to 1000. */
  readonly limit: number
  /** Rows strictly after this place. */
  readonly after?: Key
  /** The `limit` rows just before this place. */
  readonly before?: Key
  /** What the page that the place was read on said in its `Pin`. */
  readonly rollbacks?: number
}

/** Rows as a store gives them: each with its key, in display order. */
export interface Rows<Item, Key> {
  readonly items: ReadonlyArray<Item>
  /** One key per item; it may have more than a cursor takes of it. */
  readonly keys: ReadonlyArray<Key>
  /** Whether more rows follow in the direction asked (behind the last item, or with `before` ahead of the first). */
  readonly hasMore: boolean
  readonly count?: Count
  /** Of rows as of a block. */
  readonly pin?: Pin
}

/**
 * What the pages of a walk as of one block hang on. A stored block changes by rollbacks, by healing (LedgerWriter.heal)
 * and where tokens are found to burn nothing (LedgerWriter.letZeroAddressHold) alone.
 * A ledger that takes another's place has begun with a rollback of everything. So a page whose block neither reached since the
 * page before speaks of the same block.
 */
export interface Pin {
  /** The number of the ledger's last rollback, 0 before the first; a healing has one too, and so has what is found of burns. */
  readonly rollbacks: number
  /** Whether the block was taken back or changed since the ledger had the request's `rollbacks`. */
  readonly replaced: boolean
}

/** A total over all pages. `lowerBound`: counting stopped at a cap. */
export interface Count {
  readonly count: number
  readonly countType: "exact" | "lowerBound" | "approx"
}

/** A list answer: rows, the places to go on from (absent = nothing there), and the blocks it speaks of. */
export interface ListPage<Item, Key> {
  readonly asOf: ReadonlyArray<AsOf>
  readonly items: ReadonlyArray<Item>
  readonly next?: Key
  readonly prev?: Key
  /** What was before the place is not there any more: behind this page is the list's first. */
  readonly nextIsFirst?: true
  readonly count?: Count
  /** To be given back with `next` or `prev`. */
  readonly rollbacks?: number
}

/** Value read together with the blocks it speaks of, in one snapshot. Chains without a stored block are left out. */
export interface Snapshot<Value> {
  readonly asOf: ReadonlyArray<AsOf>
  readonly value: Value
}

/** Where filtered feeds stop counting and say `lowerBound`. */
export const countCap = 10_000

/** `total`: rows counted until one beyond the cap at least. `isExact`: all of them were, or the ledger keeps their number. */
export const countUpTo = (total: number, isExact = false): Count =>
  isExact || total <= countCap ? { count: total, countType: "exact" } : { count: countCap, countType: "lowerBound" }

/** Turns a store's rows into a page: which ways lead on from here. */
export const toListPage = <Item, Key>(
  request: PageRequest<Key>,
  { asOf, value }: Snapshot<Rows<Item, Key>>,
): ListPage<Item, Key> => {
  const backward = request.before !== undefined
  const first = value.keys[0]
  const last = value.keys[value.keys.length - 1]
  const hasNext = backward || value.hasMore
  const hasPrev = backward ? value.hasMore : request.after !== undefined
  return {
    asOf,
    items: value.items,
    ...(hasNext && last !== undefined ? { next: last } : {}),
    ...(hasPrev && first !== undefined ? { prev: first } : {}),
    ...(backward && last === undefined ? { nextIsFirst: true as const } : {}),
    ...(value.count === undefined ? {} : { count: value.count }),
    ...(value.pin?.rollbacks === undefined ? {} : { rollbacks: value.pin.rollbacks }),
  }
}
