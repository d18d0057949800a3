/** Logs → what the ledger takes and what is only counted. Pure. */
import type { Log } from "../model/block.ts"
import type { EventCounts, Movement, NftMovement, TokenEvent } from "../model/event.ts"
import type { Address } from "../model/primitives.ts"
import { decode } from "./decode.ts"
import { movementOf, nftMovementsOf } from "./movements.ts"

/** Which contracts a chain's ledger follows, and which of them are wrapped native. */
export interface Contracts {
  readonly wrappedNative: ReadonlySet<Address>
  /** Absent = every token. */
  readonly tokens?: ReadonlySet<Address>
}

interface Decoded {
  readonly event: TokenEvent
  readonly log: Log
}

/** Events that move a token, in the order of their logs, and counts of those that do not. */
export interface Sorted {
  readonly moving: ReadonlyArray<Decoded>
  readonly nfts: ReadonlyArray<Decoded>
  readonly counts: EventCounts
}

export const noCounts: EventCounts = { odd: 0 }
export const addCounts = (a: EventCounts, b: EventCounts): EventCounts => ({ odd: a.odd + b.odd })

/** A log of a contract that is not followed is neither moved nor counted, whatever the node was asked for. */
export const sortLogs = (logs: ReadonlyArray<Log>, { wrappedNative, tokens }: Contracts): Sorted => {
  const moving: Array<Decoded> = []
  const nfts: Array<Decoded> = []
  let odd = 0
  for (const log of logs) {
    if (tokens !== undefined && !tokens.has(log.address)) continue
    const event = decode(log, wrappedNative)
    if (event.kind === "odd") odd++
    else if (event.kind === "nftTransfer") nfts.push({ event, log })
    else if (event.kind !== "other") moving.push({ event, log })
  }
  return { moving, nfts, counts: { odd } }
}

/** `timeOf`: the block time in seconds of a log. */
export const movementsOf = (
  { moving, nfts }: Sorted,
  { wrappedNative }: Contracts,
  timeOf: (log: Log) => number,
): { readonly movements: ReadonlyArray<Movement>; readonly nfts: ReadonlyArray<NftMovement> } => ({
  movements: moving.flatMap(({ event, log }) => movementOf(event, log, timeOf(log), wrappedNative) ?? []),
  nfts: nfts.flatMap(({ event, log }) => nftMovementsOf(event, log, timeOf(log))),
})
