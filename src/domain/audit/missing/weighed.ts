/** Which logs that the ledger lacks are in a block, whoever shows it: in what words that is said, and how much of it the ledger can lack. Pure. */
import type { Log } from "../../../model/block.ts"
import type { StoredRow } from "../../../ports/AuditStore.ts"
import type { Contracts } from "../../ingest/decode/sorting.ts"
import { contentOf, rowsOfLogs } from "./compareRows.ts"

export interface Weighed {
  readonly believed: ReadonlyArray<Log>
  /** The ledger has them, at other places. */
  readonly known: ReadonlyArray<Log>
  /** The receipts do not hold them. */
  readonly disproved: ReadonlyArray<Log>
  /** Why others are not believed; undefined = all are, or are known. */
  readonly denial: string | undefined
}

export const notInReceipts = "its receipts, which fit its header, do not hold them"
export const nodesDiffer = "nodes tell of them at different places of the block"
export const noNode = "no node gives them by its hash"

/** Logs of one contract in one block, at places of which the ledger has nothing. */
export interface Lacked {
  readonly logs: ReadonlyArray<Log>
  /** What the ledger has of the contract in the block. */
  readonly stored: ReadonlyArray<StoredRow>
  readonly contracts: Contracts
}

/**
 * So much of each content as `told`, which is of the whole block, has beside what is stored, whatever the places: nodes
 * count differently, and a log at another place than the ledger's may be the ledger's own.
 */
export const roomBeside = (told: ReadonlyArray<Log>, { logs, stored, contracts }: Lacked) => {
  const contentsOf = (of: ReadonlyArray<Log>) => rowsOfLogs(of, contracts).map(contentOf)
  const room = countsOf(contentsOf(told.filter(({ address }) => address === logs[0]?.address)))
  const roomOf = (content: string) => room.get(content) ?? 0
  const take = (contents: ReadonlyArray<string>) => {
    for (const content of contents) room.set(content, roomOf(content) - 1)
  }
  take(stored.map(contentOf))
  return {
    has: (log: Log): boolean => contentsOf([log]).every((content) => roomOf(content) > 0),
    /** Those of `some` that are more than there is room for, and all that are alike. */
    crowded: (some: ReadonlyArray<Log>): ReadonlySet<Log> => {
      const counts = countsOf(contentsOf(some))
      const isCrowded = (log: Log) => contentsOf([log]).some((content) => counts.get(content)! > roomOf(content))
      return new Set(some.filter(isCrowded))
    },
    take: (log: Log): void => take(contentsOf([log])),
  }
}

/** Of whatever place in its block. */
export const eventText = ({ address, topics, data, txHash }: Log): string => [address, ...topics, data, txHash].join()

export const heldBy = (all: ReadonlyArray<Log>) => {
  const known = new Set(all.map(placedText))
  return (log: Log): boolean => known.has(placedText(log))
}

const placedText = (log: Log): string => `${log.logIndex} ${eventText(log)}`

export const countsOf = (texts: ReadonlyArray<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
