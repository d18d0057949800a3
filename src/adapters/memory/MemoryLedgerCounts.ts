/** The LedgerCounts port in memory. */
import { Effect, Layer } from "effect"
import { type Standard, standards } from "../../model/token.ts"
import { LedgerCounts } from "../../ports/LedgerCounts.ts"
import { MemoryChains, storedChains } from "./state.ts"

export const layer = Layer.effect(
  LedgerCounts,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return LedgerCounts.of({
      list: (ids) =>
        Effect.sync(() =>
          storedChains(chains, ids).map(({ settings, tokens, transfers, swaps }) => ({
            chainId: settings.chainId,
            tokens: byStandard([...tokens.values()]),
            transfers: byStandard(transfers),
            swaps: swaps.length,
          })),
        ),
    })
  }),
)

const byStandard = (items: ReadonlyArray<{ readonly standard: Standard }>): Readonly<Record<Standard, number>> =>
  Object.fromEntries(
    standards.map((standard) => [standard, items.filter((item) => item.standard === standard).length]),
  ) as Record<Standard, number>
