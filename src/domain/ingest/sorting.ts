/** Logs → what the ledger takes and what is only counted. Pure. */
import type { Log } from "../model/block.ts"
import type { EventCounts, Movement, TokenEvent } from "../model/event.ts"
import type { Address } from "../model/primitives.ts"
import { decode } from "./decode.ts"
import { movementOf } from "./movements.ts"

/** Which contracts a chain's ledger follows, and which of them are wrapped native. */
export interface Contracts {
  readonly wrappedNative: ReadonlySet<Address>
  /** Absent = every token. */
  readonly tokens?: ReadonlySet<Address>
}

/** Events that move an ERC-20, in the order of their logs, and counts of those that do not. */
export interface Sorted {
  readonly moving: ReadonlyArray<{ readonly event: TokenEvent; readonly log: Log }>
  readonly counts: EventCounts
}

export const noCounts: EventCounts = { erc721: 0, erc1155: 0, odd: 0 }
export const addCounts = (a: EventCounts, b: EventCounts): EventCounts => ({
  erc721: a.erc721 + b.erc721,
  erc1155: a.erc1155 + b.erc1155,
  odd: a.odd + b.odd,
})

/** A log of a contract that is not followed is neither moved nor counted, whatever the node was asked for. */
export const sortLogs = (logs: ReadonlyArray<Log>, { wrappedNative, tokens }: Contracts): Sorted => {
  const moving: Array<{ event: TokenEvent; log: Log }> = []
  const counts = { ...noCounts }
  for (const log of logs) {
    if (tokens !== undefined && !tokens.has(log.address)) continue
    const event = decode(log, wrappedNative)
    switch (event.kind) {
      case "erc721Transfer":
        counts.erc721++
        break
      case "erc1155Transfer":
        counts.erc1155++
        break
      case "odd":
        counts.odd++
        break
      case "other":
        break
      default:
        moving.push({ event, log })
    }
  }
  return { moving, counts }
}

/** `timeOf`: the block time in seconds of a log. */
export const movementsOf = (
  { moving }: Sorted,
  { wrappedNative }: Contracts,
  timeOf: (log: Log) => number,
): ReadonlyArray<Movement> =>
  moving.flatMap(({ event, log }) => movementOf(event, log, timeOf(log), wrappedNative) ?? [])
