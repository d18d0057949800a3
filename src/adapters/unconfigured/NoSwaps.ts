/** The SwapStore port where no source of swaps is configured: feeds without rows, as of the chains asked for. */
import { Effect, Layer } from "effect"
import { Freshness } from "../../ports/Freshness.ts"
import { SwapStore } from "../../ports/SwapStore.ts"
import { noRows } from "./noRows.ts"

export const layer = Layer.effect(
  SwapStore,
  Effect.map(Freshness, (freshness) => SwapStore.of({ list: (query) => noRows(freshness, query) })),
)
