/** What processes on one store tell each other of chains: who follows one writes, who answers for one reads. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { ChainId } from "../model/primitives.ts"
import type { Chain } from "./Networks.ts"
import type { ChainSyncStatus } from "./SyncStatus.ts"

/** What answers of a chain depend on beside its ledger. */
export interface ServedChain extends Chain {
  readonly startBlock: number
  readonly maxLag: number
  readonly pollMs: number
}

export interface RegisteredChain {
  readonly chainId: ChainId
  /** Absent = nobody has told it yet. */
  readonly served?: ServedChain
  /** How its ingestion was doing, and milliseconds since that was told: from the second word on by this process's own clock. */
  readonly status?: ChainSyncStatus
  readonly toldMs?: number
  /** Which word that was: another one has another number. */
  readonly word?: number
  /** Milliseconds since word came from its node, by what was told. */
  readonly statusAgeMs?: number
  /** Why its ledger cannot be read by this version, in plain words; absent = it can. */
  readonly problem?: string
}

export interface RegistryLook {
  /** Why the registry cannot be read by this version, in plain words: there are no chains then. */
  readonly problem?: string
  /** In no order. */
  readonly chains: ReadonlyArray<RegisteredChain>
}

export class ChainRegistry extends Context.Service<
  ChainRegistry,
  {
    /** How it stands now. Reads no more than what has changed since the look before. */
    readonly look: Effect.Effect<RegistryLook, StoreError>
    /** Of a chain whose ledger is open here. A chain that is not registered changes nothing. */
    publish(chain: ServedChain): Effect.Effect<void, StoreError>
    /** The same where nobody has told anything of the chain yet. */
    publishFirst(chain: ServedChain): Effect.Effect<void, StoreError>
    /**
     * How chains are doing; those that are not registered are left out. `unlessToldFor`: milliseconds, only where nobody
     * has told it for so long.
     */
    tell(statuses: ReadonlyArray<ChainSyncStatus>, unlessToldFor?: number): Effect.Effect<void, StoreError>
  }
>()("cowry/ChainRegistry") {}
