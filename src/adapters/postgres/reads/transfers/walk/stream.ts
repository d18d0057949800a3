/** A stream of a batch: one of the ways that rows are met on, as parts of the batch's statement. */
import type { Fragment } from "postgres"
import type { TransferFilter } from "../../../../../model/transfer.ts"
import type { Direction } from "../../feed/feed.ts"
import type { KeyRange } from "../../feed/positionKey.ts"
import type { AccessPath } from "./accessPath.ts"

export interface Batch {
  readonly filter: TransferFilter
  readonly accessPath: AccessPath
  readonly range: KeyRange
  readonly direction: Direction
  /** Touched blocks to look at, and rows of each other stream. */
  readonly width: number
  /** Rows wanted. */
  readonly limit: number
}

export interface Stream {
  /** Common table expressions. */
  readonly tables: Fragment
  /** Positions of rows that pass the filter. */
  readonly hits: Fragment
  /** Scalar position key, null when the stream came to its end. */
  readonly horizon: Fragment
  readonly seen: Fragment
}
