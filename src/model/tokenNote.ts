/** What people say of a token beside the chain: whether a token list vouches for it, and its links and words. */
import type { Address } from "./primitives.ts"

/** The texts a note may have, with the names that the compatibility endpoint shows them under. */
export const noteWords = [
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
