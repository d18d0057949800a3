/** What walks by offset have found so far: pages that lie in it are not walked to again. Blocks that came since are walked, a rollback ends it. */
import type { Fragment } from "postgres"
import type { Hash } from "../../../../model/primitives.ts"
import { makeLastUsed } from "../../../../model/time/lastUsed.ts"
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
  readonly hash: Hash
}

/** The first rows of a walk. */
export interface Walked {
  readonly ledger: WalkedLedger
  readonly keys: ReadonlyArray<PositionKey>
  /** Whether there are no more, up to the ledger's head. */
  readonly complete: boolean
}

export interface WalkedKeys {
  /** The block up to which something is remembered. */
  readonly headOf: (walk: string) => number | undefined
  /** What holds for this ledger too; undefined = nothing does. `hash`: what it has of `headOf`; absent = it is final, and its hash no more known. */
  readonly find: (walk: string, ledger: WalkedLedger, hash: Hash | undefined) => Walked | undefined
  readonly keep: (walk: string, walked: Walked) => void
}

/** Rows that are remembered in all, about 40 bytes each; the walks last used. */
const mostKeys = 500_000
/** That a walk counts for beside its rows. */
const overheadKeys = 20

/** What a walk is of: equal texts walk over the same rows of a ledger. */
export const walkName = ({ chain, kind }: TransferFeed, filter: TransferFilter, direction: Direction): string =>
  JSON.stringify([chain.chainId, kind, direction, Object.entries(filter).sort()])

export interface LedgerRow {
  readonly table: number
  readonly rollbacks: number
  /** Of the block that was asked for; null = it is none of the reorg window. */
  readonly hash: Hash | null
}

/** A scalar: `LedgerRow` as JSON. */
export const selectLedger = ({ sql, state, rollback, block }: ChainSql, head: number | undefined): Fragment => sql`
  select json_build_object('table', s.tableoid::int8,
    'rollbacks', (select coalesce(max(rollback_no), 0) from ${rollback}),
    'hash', (select '0x' || encode(b.hash, 'hex') from ${block} b where b.number = ${head ?? null}::int4))
  from ${state} s`

export const makeWalkedKeys = (most = mostKeys): WalkedKeys => {
  const walks = makeLastUsed<Walked>(most, ({ keys }) => keys.length + overheadKeys)
  return {
    headOf: (walk) => walks.look(walk)?.ledger.head,
    find: (walk, { table, rollbacks, head }, hash) => {
      const walked = walks.look(walk)
      if (walked === undefined) return undefined
      const { ledger } = walked
      // A snapshot may be older than what another has found since.
      if (ledger.table !== table || ledger.rollbacks !== rollbacks || ledger.head > head) return undefined
      // A database that was restored, and has gone on since, may have met another fork.
      if (hash !== undefined && hash !== ledger.hash) return undefined
      return walks.find(walk)
    },
    keep: (walk, walked) => {
      const before = walks.look(walk)?.ledger
      const { table, rollbacks, head } = walked.ledger
      if (before?.table === table && before.rollbacks === rollbacks && before.head > head) return
      walks.keep(walk, walked)
    },
  }
}
