/** A stream of a batch: one of the ways that rows are met on, as parts of the batch's statement. */
import type { Fragment } from "postgres"
import type { TransferFilter } from "../../../domain/model/transfer.ts"
import type { Direction, Stretch } from "./bounds.ts"
import type { Drive } from "./drive.ts"

export interface Batch {
  readonly filter: TransferFilter
  readonly drive: Drive
  readonly stretch: Stretch
  readonly direction: Direction
  /** Touched blocks, mints and burns to look at, of each. */
  readonly width: number
  /** Rows wanted. */
  readonly limit: number
}

export interface Stream {
  /** Common table expressions. */
  readonly tables: Fragment
  /** Positions of rows that pass the filter. */
  readonly hits: Fragment
  /** Scalar int8, null when the stream came to its end. */
  readonly horizon: Fragment
  readonly seen: Fragment
}
