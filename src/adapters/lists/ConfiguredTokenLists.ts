/** The TokenLists port over configured files and URLs. */
import { Effect, Layer, Schema } from "effect"
import type { Address, ChainId } from "../../domain/model/primitives.ts"
import type { AddressedNote, TokenNote } from "../../domain/model/tokenNote.ts"
import { KeptCopies } from "../../ports/KeptCopies.ts"
import { type ChainNotes, TokenLists } from "../../ports/TokenLists.ts"
import { WebDocuments } from "../../ports/WebDocuments.ts"
import { type Information, readInformation } from "./informationFile.ts"
import { readLocal } from "./localFile.ts"
import { makeSource, mostBytes } from "./source.ts"
import type { TokenList } from "./tokenList.ts"

export interface ListSettings {
  /** URLs with http: or https:, and files; earlier ones' words stand over later ones'. */
  readonly places: ReadonlyArray<string>
  /** Between two looks at a place, in milliseconds. */
  readonly interval: number
  /** A file of token information, read at the start; its words stand over those of the lists. */
  readonly information?: string
}

/** The file of token information cannot be used; the message says all that is wrong with it. */
export class InformationRefused extends Schema.TaggedError<InformationRefused>()("InformationRefused", {
  message: Schema.String,
}) {}

export const layer = ({ places, interval, information }: ListSettings) =>
  Layer.effect(
    TokenLists,
    Effect.gen(function* () {
      const web = yield* WebDocuments
      const copies = yield* KeptCopies
      const own = information === undefined ? new Map() : yield* readOwn(information)
      const sources = places.map((place) => makeSource({ place, interval, web, copies }))
      let used: ReadonlyArray<TokenList | undefined> | undefined
      let notes: ChainNotes = new Map()
      return TokenLists.of({
        read: Effect.gen(function* () {
          const lists = yield* Effect.forEach(sources, ({ read }) => read, { concurrency: 4 })
          if (used === undefined || lists.some((list, index) => list !== used?.[index])) notes = notesOf(lists, own)
          used = lists
          return notes
        }),
      })
    }),
  )

const readOwn = Effect.fnUntraced(function* (path: string) {
  const refused = (problems: ReadonlyArray<string>) =>
    new InformationRefused({ message: `TOKEN_INFO ${path}: ${problems.join("; ")}` })
  const { text } = yield* readLocal(path, mostBytes).pipe(
    Effect.mapError(({ message }) => new InformationRefused({ message: `TOKEN_INFO: ${message}` })),
  )
  const read = readInformation(text)
  return "problems" in read ? yield* refused(read.problems) : read
})

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
