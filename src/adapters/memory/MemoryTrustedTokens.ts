/** The TrustedTokens port in memory. */
import { Effect, Layer } from "effect"
import type { Erc20Token } from "../../model/token.ts"
import { TrustedTokens } from "../../ports/TrustedTokens.ts"
import { pageOfTokens } from "./MemoryTokens.ts"
import { type MemoryChain, MemoryChains, type MemoryToken, snapshotOf, storedChains } from "./state.ts"

export const layer = Layer.effect(
  TrustedTokens,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return TrustedTokens.of({
      list: ({ chains: ids, ...query }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, ids)
          return snapshotOf(stored, pageOfTokens<Erc20Token>(stored, isTrusted, query))
        }),
    })
  }),
)

const isTrusted = ({ notes }: MemoryChain, { standard, address }: MemoryToken): boolean =>
  standard === "erc20" && notes.get(address)?.trusted === true
