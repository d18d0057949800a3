/** What goes in and what comes out, by operation: the document's own types, with whole numbers beside their texts. */
import type { AsOf } from "./asOf.ts"
import type { operations } from "./generated/operations.ts"
import type { operations as Documented } from "./generated/schema.ts"

export type Operation = keyof typeof operations

type Body<O extends Operation> = Documented[O]["responses"][200]["content"]["application/json"]

export type Query<O extends Operation> = NonNullable<Documented[O]["parameters"]["query"]>

/** A row of a list, or the record that is answered, as it came. */
export type Item<O extends Operation> =
  Body<O> extends { items: ReadonlyArray<infer Row>; link: unknown } ? Row : Body<O>

type Integers<O extends Operation> = (typeof operations)[O]["integers"][number]

/** The fields that are whole numbers, as bigint. What the row does not have is absent here too. */
export type Raw<T, Names extends string> = { readonly [Name in keyof T as Name extends Names ? Name : never]: bigint }

/**
 * A row, and its whole numbers as bigint in `raw`. That one is made when it is asked for and not enumerable: JSON, copies and
 * comparisons of a row are of what the service said.
 */
export type Row<O extends Operation> = Item<O> & { readonly raw: Raw<Item<O>, Integers<O>> }

export interface CallOptions {
  /** The answer must not be older than this block: a number, or one a chain by id. */
  readonly minBlock?: number | Readonly<Record<string, number>>
  readonly signal?: AbortSignal
}

/** What an answer says of itself. */
export interface About {
  /** The block that it speaks of, one a chain. */
  readonly asOf: ReadonlyArray<AsOf>
  /** How true the figures of the token are: `exact`, `drift`, `rebasing` or `unverified`; absent = it is not about one. */
  readonly auditState?: string
  /** Where figures in doubt come from: `node` or `ledger`; absent = none is in doubt. */
  readonly balanceSource?: string
  /**
   * The block that `timestamp`, `blockHash` or `finality: "finalized"` came to mean; absent = none of them was asked, or of
   * several chains: each one's is in `asOf`.
   */
  readonly atBlock?: number
  /** Parameters that the service does not know. */
  readonly ignored: ReadonlyArray<string>
}

export interface Answer<O extends Operation> extends About {
  readonly data: Row<O>
}

export interface Page<O extends Operation> extends About {
  readonly items: ReadonlyArray<Row<O>>
  /** Of all pages together, with `count: true`. */
  readonly count?: number
  readonly countType?: "exact" | "lowerBound" | "approx"
  /** The cursor of the next page; absent = this is the last. */
  readonly next?: string
  /** Of the one before. */
  readonly prev?: string
}

/** All rows of a list, read page by page as they are wanted. */
export interface List<O extends Operation> extends AsyncIterable<Row<O>> {
  /** All pages, from `next` of the query on. */
  pages(): AsyncIterable<Page<O>>
  /** One page: that of a cursor, or the first. */
  page(next?: string): Promise<Page<O>>
  /**
   * All rows as of one moment, however many, in one answer: blocks and reorgs that come meanwhile change nothing of it.
   * Lists without such a stream are refused with `UNEXPECTED_ANSWER`.
   */
  whole(): Promise<About & { readonly rows: AsyncIterable<Row<O>> }>
}
