/** The Snapshots port in memory: a copy of everything. */
import { Effect, Layer } from "effect"
import { Snapshots } from "../../ports/Snapshots.ts"
import * as MemoryApprovals from "./MemoryApprovals.ts"
import * as MemoryHolders from "./MemoryHolders.ts"
import * as MemoryNfts from "./MemoryNfts.ts"
import * as MemorySwaps from "./MemorySwaps.ts"
import * as MemoryTokenHistories from "./MemoryTokenHistories.ts"
import * as MemoryTokens from "./MemoryTokens.ts"
import * as MemoryTransfers from "./MemoryTransfers.ts"
import * as MemoryTrustedTokens from "./MemoryTrustedTokens.ts"
import * as MemoryWallet from "./MemoryWallet.ts"
import { type MemoryChain, MemoryChains } from "./state.ts"

const stores = Layer.mergeAll(
  MemoryApprovals.layer,
  MemoryHolders.layer,
  MemoryNfts.layer,
  MemorySwaps.layer,
  MemoryTokens.layer,
  MemoryTransfers.layer,
  MemoryTrustedTokens.layer,
  MemoryWallet.layer,
  MemoryTokenHistories.layer,
)

export const layer = Layer.effect(
  Snapshots,
  Effect.map(MemoryChains, (chains) =>
    Snapshots.of({
      open: Effect.gen(function* () {
        const copy = new Map([...chains].map(([id, chain]) => [id, copyOf(chain)]))
        const held = stores.pipe(Layer.provide(Layer.succeed(MemoryChains, copy)))
        // Not the layers that this process has built already: those read what changes.
        return yield* Layer.buildWithMemoMap(held, yield* Layer.makeMemoMap, yield* Effect.scope)
      }),
    }),
  ),
)

/** The lock stays the original's: nobody writes to a copy. */
const copyOf = ({ writerLock, ...chain }: MemoryChain): MemoryChain => ({ ...structuredClone(chain), writerLock })
