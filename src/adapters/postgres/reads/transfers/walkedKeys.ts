/** What walks by offset have found so far: pages that lie in it are not walked to again. Blocks that came since are walked, a rollback ends it. */
import type { Fragment } from "postgres"
import type { TransferFilter } from "../../../../model/transfer.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import type { Direction, TransferFeed } from "../feed/feed.ts"
import type { PositionKey } from "../feed/positionKey.ts"

/** Of which ledger a walk is true, and up to which of its blocks. */
export interface WalkedLedger {
  /** Another one where the chain was indexed anew. */
  readonly table: number
  /** Rollbacks and healings so far: nothing else changes what lies below the head. */
  readonly rollbacks: number
  readonly head: number
}

/** The first rows of a walk. */
export interface Walked {
  readonly ledger: WalkedLedger
  readonly keys: ReadonlyArray<PositionKey>
  /** Whether there are no more, up to the ledger's head. */
  readonly complete: boolean
}

export interface WalkedKeys {
  /** What holds for this ledger too; undefined = nothing does. */
  readonly find: (walk: string, ledger: WalkedLedger) => Walked | undefined
  readonly keep: (walk: string, walked: Walked) => void
}

/** Rows that are remembered in all, about 40 bytes each; the walks last used. */
const mostKeys = 500_000
/** That a walk counts for beside its rows. */
const overheadKeys = 20

/** What a walk is of: equal texts walk over the same rows of a ledger. */
export const walkName = ({ chain, kind }: TransferFeed, filter: TransferFilter, direction: Direction): string =>
  JSON.stringify([chain.chainId, kind, direction, Object.entries(filter).sort()])

/** A scalar: `WalkedLedger` without its head, as a JSON array. */
export const selectLedger = ({ sql, state, rollback }: ChainSql): Fragment => sql`
  select json_build_array(s.tableoid::int8, (select coalesce(max(rollback_no), 0) from ${rollback})) from ${state} s`

export const makeWalkedKeys = (most = mostKeys): WalkedKeys => {
  const walks = new Map<string, Walked>()
  let size = 0
  const sizeOf = ({ keys }: Walked) => keys.length + overheadKeys
  const remove = (walk: string): void => {
    const old = walks.get(walk)
    if (old === undefined) return
    walks.delete(walk)
    size -= sizeOf(old)
  }
  return {
    find: (walk, { table, rollbacks, head }) => {
      const walked = walks.get(walk)
      if (walked === undefined) return undefined
      const { ledger } = walked
      // A snapshot may be older than what another has found since.
      if (ledger.table !== table || ledger.rollbacks !== rollbacks || ledger.head > head) return undefined
      walks.delete(walk)
      walks.set(walk, walked)
      return walked
    },
    keep: (walk, walked) => {
      const before = walks.get(walk)?.ledger
      const { table, rollbacks, head } = walked.ledger
      if (before?.table === table && (before.rollbacks > rollbacks || before.head > head)) return
      remove(walk)
      walks.set(walk, walked)
      size += sizeOf(walked)
      for (const oldest of walks.keys()) {
        if (size <= most) return
        remove(oldest)
      }
    },
  }
}
