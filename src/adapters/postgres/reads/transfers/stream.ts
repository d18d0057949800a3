/** A stream of a batch: one of the ways that rows are met on, as parts of the batch's statement. */
import type { Fragment } from "postgres"
import type { TransferFilter } from "../../../../model/transfer.ts"
import type { AccessPath } from "./accessPath.ts"
import type { Direction } from "./bounds.ts"
import type { Stretch } from "./positionKey.ts"

export interface Batch {
  readonly filter: TransferFilter
  readonly accessPath: AccessPath
  readonly stretch: Stretch
  readonly direction: Direction
  /** Touched blocks to look at, and rows of each other way. */
  readonly width: number
  /** Rows wanted. */
  readonly limit: number
}

export interface Stream {
  /** Common table expressions. */
  readonly tables: Fragment
  /** Places of rows that pass the filter. */
  readonly hits: Fragment
  /** Scalar position key, null when the stream came to its end. */
  readonly horizon: Fragment
  readonly seen: Fragment
}
