/** Reads that go on for long: every list read from one snapshot, while blocks and reorgs go on arriving. */
import { Context, type Effect, type Scope } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { ApprovalStore } from "./ApprovalStore.ts"
import type { HolderStore } from "./HolderStore.ts"
import type { NftStore } from "./NftStore.ts"
import type { SwapStore } from "./SwapStore.ts"
import type { TokenHistories } from "./TokenHistories.ts"
import type { TokenStore } from "./TokenStore.ts"
import type { TransferStore } from "./TransferStore.ts"
import type { TrustedTokens } from "./TrustedTokens.ts"
import type { WalletStore } from "./WalletStore.ts"

/** The stores of lists. */
export type ListStores =
  | ApprovalStore
  | HolderStore
  | NftStore
  | SwapStore
  | TokenStore
  | TransferStore
  | TrustedTokens
  | WalletStore
  | TokenHistories

/** So many are open at once; who comes then waits. As many streams have a turn at once. */
export const mostSnapshots = 8

export class Snapshots extends Context.Service<
  Snapshots,
  {
    /** The stores as of now, for as long as the scope lives: whatever they are asked, and whenever, is of one snapshot. */
    readonly open: Effect.Effect<Context.Context<ListStores>, StoreError, Scope.Scope>
  }
>()("cowry/Snapshots") {}
