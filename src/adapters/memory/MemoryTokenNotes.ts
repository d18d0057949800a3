/** The TokenNotes port in memory. */
import { Effect, Layer } from "effect"
import type { AddressedNote } from "../../model/tokenNote.ts"
import { TokenNotes } from "../../ports/TokenNotes.ts"
import { compareText } from "./rows.ts"
import { MemoryChains } from "./state.ts"

export const layer = Layer.effect(
  TokenNotes,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return TokenNotes.of({
      record: (chainId, given) =>
        Effect.sync(() => {
          const chain = chains.get(chainId)
          if (chain === undefined) return "absent"
          const notes = new Map(given.map(({ address, trusted, texts }) => [address, { trusted, texts }]))
          if (canonicalText(notes) !== canonicalText(chain.notes)) chain.revision++
          chain.notes = notes
          return "all"
        }),
    })
  }),
)

/** The same for the same notes, in whatever order. */
const canonicalText = (notes: ReadonlyMap<string, Omit<AddressedNote, "address">>): string =>
  JSON.stringify(
    [...notes]
      .map(([address, { trusted, texts }]) => [address, trusted, Object.entries(texts).sort()] as const)
      .sort(([a], [b]) => compareText(a, b)),
  )
