/** What a contract is run against: a store's layer, and helpers that seed it through the Ledger port. */
import { Effect, Exit, type Layer, ManagedRuntime, Scope } from "effect"
import type { Segment } from "../../src/model/event.ts"
import { type ChainId, chainIdOfNumber } from "../../src/model/primitives.ts"
import type { AccountMarks } from "../../src/ports/AccountMarks.ts"
import type { ApprovalStore } from "../../src/ports/ApprovalStore.ts"
import type { AuditStore } from "../../src/ports/AuditStore.ts"
import type { BlockTimes } from "../../src/ports/BlockTimes.ts"
import type { CodeStore } from "../../src/ports/CodeStore.ts"
import type { EventStore } from "../../src/ports/EventStore.ts"
import type { Freshness } from "../../src/ports/Freshness.ts"
import type { HolderStore } from "../../src/ports/HolderStore.ts"
import type { KeptCopies } from "../../src/ports/KeptCopies.ts"
import type { KeptTransactions } from "../../src/ports/KeptTransactions.ts"
import { Ledger, type LedgerSettings, type LedgerWriter } from "../../src/ports/Ledger.ts"
import type { LedgerCounts } from "../../src/ports/LedgerCounts.ts"
import type { LedgerLogs } from "../../src/ports/LedgerLogs.ts"
import type { NftStore } from "../../src/ports/NftStore.ts"
import type { ReadServers } from "../../src/ports/ReadServers.ts"
import type { Snapshots } from "../../src/ports/Snapshots.ts"
import type { SupplyStore } from "../../src/ports/SupplyStore.ts"
import type { SwapHistory } from "../../src/ports/SwapHistory.ts"
import type { SwapStore } from "../../src/ports/SwapStore.ts"
import type { TokenHistories } from "../../src/ports/TokenHistories.ts"
import type { TokenNotes } from "../../src/ports/TokenNotes.ts"
import type { TokenPrices } from "../../src/ports/TokenPrices.ts"
import type { TokenStore } from "../../src/ports/TokenStore.ts"
import type { TransferStore } from "../../src/ports/TransferStore.ts"
import type { TrustedTokens } from "../../src/ports/TrustedTokens.ts"
import type { WalletStore } from "../../src/ports/WalletStore.ts"
import type { WantedCodes } from "../../src/ports/WantedCodes.ts"
import type { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { hash, type TestChain } from "../support/chain/testChain.ts"

export type StorePorts =
  | Ledger
  | AccountMarks
  | ApprovalStore
  | CodeStore
  | TokenStore
  | TransferStore
  | HolderStore
  | NftStore
  | SupplyStore
  | SwapStore
  | Freshness
  | LedgerCounts
  | LedgerLogs
  | TrustedTokens
  | TokenNotes
  | BlockTimes
  | KeptCopies
  | KeptTransactions
  | SwapHistory
  | TokenPrices
  | AuditStore
  | EventStore
  | Snapshots
  | WantedCodes
  | WebhookStore
  | ReadServers
  | WalletStore
  | TokenHistories
/** How much of the contracts is gone through: stores that differ little from another need not repeat all of it. */
export interface ContractScope {
  /** Random histories. */
  readonly replays: number
  /** Whole lists are walked by one size of page, filtered ones by two pages: the statements are those of a store that is walked by more. */
  readonly oneStep?: boolean
}
/** The page sizes by which a list is walked. */
export const stepsOf = ({ oneStep = false }: ContractScope, steps: ReadonlyArray<number>): ReadonlyArray<number> =>
  oneStep ? steps.slice(1, 2) : steps

/** Those of a filtered list with so many rows. */
export const filteredStepsOf = (
  { oneStep = false }: ContractScope,
  steps: ReadonlyArray<number>,
  rows: number,
): ReadonlyArray<number> => (oneStep ? [Math.max(1, Math.ceil(rows / 2))] : steps)

/** Makes the layer of an empty store. */
export type MakeStore = () => Promise<Layer.Layer<StorePorts, unknown>>

export interface TestStore {
  readonly run: <A, E>(effect: Effect.Effect<A, E, StorePorts>) => Promise<A>
  /** Opens a chain's writer, held until the store is closed. */
  readonly open: (settings: Partial<LedgerSettings> & { chainId: ChainId }) => Promise<LedgerWriter>
  readonly close: () => Promise<void>
}

export const openStore = async (makeStore: MakeStore): Promise<TestStore> => {
  const runtime = ManagedRuntime.make(await makeStore())
  const scope = Effect.runSync(Scope.make())
  const run: TestStore["run"] = (effect) => runtime.runPromise(effect)
  return {
    run,
    open: (settings) =>
      run(Ledger.use((ledger) => ledger.open(settingsOf(settings))).pipe(Effect.provideService(Scope.Scope, scope))),
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await runtime.dispose()
    },
  }
}

export const settingsOf = (settings: Partial<LedgerSettings> & { chainId: ChainId }): LedgerSettings => ({
  genesisHash: hash("genesis"),
  firstBlock: 0,
  wrappedNative: [],
  swaps: true,
  poolManagers: [],
  ...settings,
})

/** A chain id no other test of the same store uses. */
export const freshChainId = (): ChainId => chainIdOfNumber(++lastChainId)
let lastChainId = 100

/** Opens a fresh chain and appends a whole test chain as one segment. */
export const seed = async (
  store: TestStore,
  chain: TestChain,
  chainId: ChainId = freshChainId(),
  finalizedBlock = -1,
): Promise<ChainId> => {
  const { firstBlock, wrappedNative, poolManagers } = chain
  const writer = await store.open({
    chainId,
    firstBlock,
    wrappedNative: [...wrappedNative],
    poolManagers: [...poolManagers],
  })
  await store.run(writer.append(chain.segment(chain.firstBlock, undefined, { finalizedBlock })))
  return chainId
}

export const append = (store: TestStore, writer: LedgerWriter, segment: Segment) => store.run(writer.append(segment))
