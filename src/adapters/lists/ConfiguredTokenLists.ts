/** The TokenLists port over configured files and URLs. */
import { Effect, Layer } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { AddressedNote, TokenNote } from "../../model/tokenNote.ts"
import { KeptCopies } from "../../ports/KeptCopies.ts"
import { type ChainNotes, TokenLists } from "../../ports/TokenLists.ts"
import { WebDocuments } from "../../ports/WebDocuments.ts"
import type { Information } from "./informationFile.ts"
import { makeSource } from "./source.ts"
import type { TokenList } from "./tokenList.ts"

export interface ListSettings {
  /** URLs with http: or https:, and files; earlier ones' words stand over later ones'. */
  readonly tokenLists: ReadonlyArray<string>
  /** Between two looks at a list. */
  readonly tokenListsIntervalMs: number
  /** The operator's own words; they stand over those of the lists. */
  readonly tokenInformation?: Information
}

export const layer = ({ tokenLists, tokenListsIntervalMs: intervalMs, tokenInformation = new Map() }: ListSettings) =>
  Layer.effect(
    TokenLists,
    Effect.gen(function* () {
      const web = yield* WebDocuments
      const copies = yield* KeptCopies
      const sources = tokenLists.map((place) => makeSource({ place, intervalMs, web, copies }))
      let used: ReadonlyArray<TokenList | undefined> | undefined
      let notes: ChainNotes = new Map()
      return TokenLists.of({
        read: Effect.gen(function* () {
          const lists = yield* Effect.forEach(sources, ({ read }) => read, { concurrency: 4 })
          if (used === undefined || lists.some((list, index) => list !== used?.[index]))
            notes = notesOf(lists, tokenInformation)
          used = lists
          return notes
        }),
      })
    }),
  )

const notesOf = (lists: ReadonlyArray<TokenList | undefined>, own: Information): ChainNotes => {
  const chains = new Map<ChainId, Map<Address, TokenNote>>()
  const ofChain = (chainId: ChainId) => {
    const found = chains.get(chainId) ?? new Map<Address, TokenNote>()
    chains.set(chainId, found)
    return found
  }
  for (const list of lists) {
    for (const { chainId, address, texts } of list?.tokens ?? []) {
      const notes = ofChain(chainId)
      notes.set(address, { trusted: true, texts: { ...texts, ...notes.get(address)?.texts } })
    }
  }
  for (const [chainId, tokens] of own) {
    const notes = ofChain(chainId)
    for (const [address, texts] of tokens) {
      const note = notes.get(address)
      notes.set(address, { trusted: note?.trusted ?? false, texts: { ...note?.texts, ...texts } })
    }
  }
  return new Map(
    [...chains].map(([chainId, notes]) => [
      chainId,
      [...notes].map(([address, note]): AddressedNote => ({ address, ...note })),
    ]),
  )
}
