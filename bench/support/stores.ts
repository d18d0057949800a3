/** The read stores on PostgreSQL as the service has them, over a client that remembers every statement it sends. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { makeClient, readerParameters } from "../../src/adapters/postgres/database/client.ts"
import { Database } from "../../src/adapters/postgres/database/Database.ts"
import { databaseOf } from "../../src/adapters/postgres/database/databaseOf.ts"
import * as PostgresApprovals from "../../src/adapters/postgres/reads/approvals/PostgresApprovals.ts"
import * as PostgresBlockTimes from "../../src/adapters/postgres/reads/chains/PostgresBlockTimes.ts"
import * as PostgresFreshness from "../../src/adapters/postgres/reads/chains/PostgresFreshness.ts"
import * as PostgresHolders from "../../src/adapters/postgres/reads/holders/PostgresHolders.ts"
import * as PostgresSupply from "../../src/adapters/postgres/reads/holders/PostgresSupply.ts"
import * as PostgresLedgerLogs from "../../src/adapters/postgres/reads/logs/PostgresLedgerLogs.ts"
import * as PostgresNfts from "../../src/adapters/postgres/reads/nfts/PostgresNfts.ts"
import * as PostgresTokenPrices from "../../src/adapters/postgres/reads/prices/PostgresTokenPrices.ts"
import * as PostgresSwapHistory from "../../src/adapters/postgres/reads/swaps/PostgresSwapHistory.ts"
import * as PostgresSwaps from "../../src/adapters/postgres/reads/swaps/PostgresSwaps.ts"
import * as PostgresTokens from "../../src/adapters/postgres/reads/tokens/PostgresTokens.ts"
import * as PostgresTrustedTokens from "../../src/adapters/postgres/reads/tokens/PostgresTrustedTokens.ts"
import * as PostgresTransfers from "../../src/adapters/postgres/reads/transfers/PostgresTransfers.ts"
import type { ApprovalStore } from "../../src/ports/ApprovalStore.ts"
import type { BlockTimes } from "../../src/ports/BlockTimes.ts"
import type { Freshness } from "../../src/ports/Freshness.ts"
import type { HolderStore } from "../../src/ports/HolderStore.ts"
import type { LedgerLogs } from "../../src/ports/LedgerLogs.ts"
import type { NftStore } from "../../src/ports/NftStore.ts"
import type { SupplyStore } from "../../src/ports/SupplyStore.ts"
import type { SwapHistory } from "../../src/ports/SwapHistory.ts"
import type { SwapStore } from "../../src/ports/SwapStore.ts"
import type { TokenPrices } from "../../src/ports/TokenPrices.ts"
import type { TokenStore } from "../../src/ports/TokenStore.ts"
import type { TransferStore } from "../../src/ports/TransferStore.ts"
import type { TrustedTokens } from "../../src/ports/TrustedTokens.ts"
import type { Statement } from "./plan.ts"

export type ReadPorts =
  | TransferStore
  | TokenStore
  | HolderStore
  | NftStore
  | SupplyStore
  | SwapStore
  | SwapHistory
  | TokenPrices
  | TrustedTokens
  | Freshness
  | ApprovalStore
  | BlockTimes
  | LedgerLogs

export interface Stores {
  readonly run: <A, E>(effect: Effect.Effect<A, E, ReadPorts>) => Promise<A>
  /** The statements sent since the last call. */
  readonly sent: () => ReadonlyArray<Statement>
  readonly close: () => Promise<void>
}

export const openStores = async (url: string, schema: string): Promise<Stores> => {
  const client = makeClient({ url, max: 1, parameters: readerParameters })
  const sent: Array<Statement> = []
  const options = client.options as unknown as { debug: unknown }
  options.debug = (_connection: number, text: string, parameters: ReadonlyArray<unknown>) => {
    sent.push({ text, parameters })
  }
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(
      PostgresTransfers.layer,
      PostgresTokens.layer,
      PostgresTrustedTokens.layer,
      PostgresHolders.layer,
      PostgresNfts.layer,
      PostgresSupply.layer,
      PostgresSwaps.layer,
      PostgresSwapHistory.layer,
      PostgresTokenPrices.layer,
      PostgresFreshness.layer,
      PostgresApprovals.layer,
      PostgresBlockTimes.layer,
      PostgresLedgerLogs.layer,
    ).pipe(Layer.provide(Layer.succeed(Database, databaseOf(client, { url, schema })))),
  )
  await runtime.runPromise(Effect.void)
  return {
    run: (effect) => runtime.runPromise(effect),
    sent: () => sent.splice(0).filter(({ text }) => /^\s*(?:select|with)\b/i.test(text)),
    close: async () => {
      await runtime.dispose()
      await client.end()
    },
  }
}
