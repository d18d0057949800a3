/** What people say of a token beside the chain: whether a token list vouches for it, its links, its words and its logo. */
import type { Address } from "./primitives.ts"

/** Texts that the compatibility endpoint shows on every path, by these names. */
export const commonWords = [
  "description",
  "website",
  "email",
  "blog",
  "reddit",
  "slack",
  "facebook",
  "twitter",
  "bitcointalk",
  "github",
  "telegram",
  "wechat",
  "linkedin",
  "discord",
  "whitepaperUrl",
  "audit",
] as const

/** The texts a note may have. `image`: the URL of the logo (http, https or ipfs), which is shown as `image` or `logoUri`. */
export const noteWords = [...commonWords, "image"] as const
export type CommonWord = (typeof commonWords)[number]
export type NoteWord = (typeof noteWords)[number]

/** Absent = nobody said it; never empty. */
export type NoteTexts = { readonly [Word in NoteWord]?: string }

/** Longest text of a note, in UTF-16 units. */
export const longestNoteText = 2000

export interface TokenNote {
  /** Stands on a configured token list. */
  readonly trusted: boolean
  readonly texts: NoteTexts
}

/** A note with the contract it is about. */
export interface AddressedNote extends TokenNote {
  readonly address: Address
}
