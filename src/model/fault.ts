/** What can be wrong with the answers of a chain's node: one word each, the same in logs, `/ready` and metrics. */
import { Schema } from "effect"

/**
 * `behind`: it has not (or no longer) what it or a peer announced. `fork`: its blocks do not fit one another, or those
 * stored. `logs`: logs are missing, or belong elsewhere. `receipts`: receipts are missing, or do not give their block's
 * root. `pruned`: it answers for an old state with another one. `order`: log indexes twice or out of order. `time`: a
 * block older than the one before it. `chain`, `genesis`: of another chain. `call`: the call failed, or what came is no
 * answer to it.
 */
export const faultKinds = [
  "behind",
  "fork",
  "logs",
  "receipts",
  "pruned",
  "order",
  "time",
  "chain",
  "genesis",
  "call",
] as const

export const FaultKind = Schema.Literals(faultKinds)
export type FaultKind = (typeof faultKinds)[number]

/** How many answers were refused, by what was wrong with them. */
export type FaultCounts = Readonly<Record<FaultKind, number>>

/** What was wrong with the newest of each kind, in plain words without secrets. */
export type FaultTexts = Readonly<Partial<Record<FaultKind, string | undefined>>>

export const noFaults = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as FaultCounts

export const subtractFaults = (a: FaultCounts, b: FaultCounts): FaultCounts =>
  Object.fromEntries(faultKinds.map((kind) => [kind, a[kind] - b[kind]])) as FaultCounts

export const sumOfFaults = (counts: FaultCounts): number => faultKinds.reduce((sum, kind) => sum + counts[kind], 0)

export const addFaults = (a: FaultCounts, b: FaultCounts): FaultCounts =>
  Object.fromEntries(faultKinds.map((kind) => [kind, a[kind] + b[kind]])) as FaultCounts
