/** The ports that ask a chain's nodes, where there is none. */
import { Effect, Layer } from "effect"
import { AccountCodes } from "../../ports/AccountCodes.ts"
import { ChainSource, type ChainSourceClient, SourceUnavailable } from "../../ports/ChainSource.ts"
import { NativeBalances } from "../../ports/NativeBalances.ts"
import { NativeHistories } from "../../ports/NativeHistories.ts"
import * as NoTokenViews from "./NoTokenViews.ts"
import * as NoTransactions from "./NoTransactions.ts"

/** A chain of which nothing can be asked, for the reason that `none` fails with. */
export const noSource = (none: Effect.Effect<never, SourceUnavailable>): ChainSourceClient => ({
  chainId: none,
  head: none,
  headers: () => none,
  logs: () => none,
  logsOfBlocks: () => none,
  crossCheck: (hashes) => Effect.succeed(hashes.map(() => ({}))),
  failover: Effect.void,
})

const none = Effect.fail(new SourceUnavailable({ message: "there is no node to ask", noNode: true }))

export const layer = Layer.mergeAll(
  NoTokenViews.layer,
  NoTransactions.layer,
  Layer.succeed(AccountCodes, { areContracts: () => none }),
  Layer.succeed(NativeBalances, { of: () => none }),
  Layer.succeed(NativeHistories, { through: (_, __, moments) => Effect.succeed(moments.map(() => undefined)) }),
  Layer.succeed(ChainSource, { of: () => noSource(none) }),
)
