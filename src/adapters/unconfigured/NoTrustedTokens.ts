/** The TrustedTokens port where no token list is configured: lists without rows, as of the chains asked for. */
import { Effect, Layer } from "effect"
import { Freshness } from "../../ports/Freshness.ts"
import { TrustedTokens } from "../../ports/TrustedTokens.ts"
import { noRows } from "./noRows.ts"

export const layer = Layer.effect(
  TrustedTokens,
  Effect.map(Freshness, (freshness) => TrustedTokens.of({ list: (query) => noRows(freshness, query) })),
)
