/** The SyncStatus port in memory: it speaks of this process only. */
import { Layer } from "effect"
import { noFaults } from "../../model/fault.ts"
import { type ChainId, compareChainIds } from "../../model/primitives.ts"
import { type ChainSyncStatus, SyncStatus } from "../../ports/SyncStatus.ts"

/** A configured chain: its START_BLOCK, MAX_LAG and POLL_MS. */
export interface SyncedChain {
  readonly chainId: ChainId
  readonly startBlock: number
  readonly maxLag: number
  readonly pollMs: number
}

/** Every chain begins `waiting`. Updates of a chain that is not configured are defects. */
export const layer = (chains: ReadonlyArray<SyncedChain>) =>
  Layer.sync(SyncStatus, () => {
    const sorted = [...chains].sort((a, b) => compareChainIds(a.chainId, b.chainId))
    const states = new Map(sorted.map((chain) => [chain.chainId, initial(chain)]))
    return SyncStatus.of({
      list: () => [...states.values()],
      find: (chainId) => states.get(chainId),
      update: (chainId, patch) => {
        const state = states.get(chainId)
        if (state === undefined) throw new Error(`chain ${chainId} is not configured`)
        const entries = Object.entries({ ...state, ...patch }).filter(([, value]) => value !== undefined)
        states.set(chainId, Object.fromEntries(entries) as unknown as ChainSyncStatus)
      },
    })
  })

const initial = ({ chainId, startBlock, maxLag, pollMs }: SyncedChain): ChainSyncStatus => ({
  chainId,
  phase: "waiting",
  firstBlock: startBlock,
  logs: 0,
  logsPerSecond: 0,
  blocksPerSecond: 0,
  skipped: { malformed: 0, unknownPool: 0 },
  reorgs: { count: 0, blocks: 0, deepest: 0 },
  healed: 0,
  faults: noFaults,
  maxLag,
  pollMs,
})
