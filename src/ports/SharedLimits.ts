/** What processes on one store tell each other of the calls that callers made. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"

/** Calls of a caller in one window. */
export interface LimitUse {
  /** Seconds: 60 or 86,400. */
  readonly period: number
  /** The window's number: seconds since 1970 divided by the period. */
  readonly began: number
  readonly caller: string
  /** Since they were last told; 0 = only the total is wanted. */
  readonly calls: number
}

export interface LimitTotals {
  /** Of each use, in order: the calls of all processes in its window. */
  readonly totals: ReadonlyArray<number>
  /** Processes that exchanged within the last half minute, this one included; at least 1. */
  readonly processes: number
  /** The store's clock, milliseconds since 1970. */
  readonly now: number
}

export class SharedLimits extends Context.Service<
  SharedLimits,
  {
    /** Adds the calls and gives the totals. `process`: a name of the one that asks. At most 5,000 uses at once. */
    exchange(process: string, uses: ReadonlyArray<LimitUse>): Effect.Effect<LimitTotals, StoreError>
  }
>()("cowry/SharedLimits") {}
