/** Texts as they are searched: letters of one case and width, without accents, words one blank apart. What is stored and what is asked are folded alike. */
import type { BigIntString, ChainId } from "../primitives.ts"

/** Longer texts are found by their beginning. */
export const longestFold = 64

/** Another number where texts are folded another way: what is stored is then folded anew. */
export const foldVersion = 2

/** ASCII but letters and digits, every kind of blank, a pattern of Braille without dots, and the last code point, which is no character: what parts words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they part words too
const between = /[\u0000-/:-@[-`{-\u007f\s\u2800\u{10ffff}]+/gu

/** Accents of Latin, Greek and Cyrillic letters, and what is no glyph: joiners, marks of direction, fillers, selectors of a variant. Signs of other scripts are letters of theirs. */
const unseen = /[\u0300-\u036f\p{Default_Ignorable_Code_Point}]/gu

/** As Unicode's compatible letters, so that those of full width, in circles or of mathematics are the usual ones; by way of capitals, where ß is SS and ς is Σ. */
const lettersOf = (text: string): string =>
  text.normalize("NFKD").replace(unseen, "").normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ")

/** Without blanks around it; `""` for a text without a word. */
export const foldText = (text: string): string => {
  const folded = lettersOf(text).replace(between, " ").trim()
  return [...folded].slice(0, longestFold).join("").trimEnd()
}

/** A symbol, or what is looked for among symbols: its words are one, so that `univ2`, `uni v2` and `UNI-V2` are the same. */
export const foldSymbol = (text: string): string => foldText(text).replaceAll(" ", "")

/** What a name is found by beside its beginning: the beginnings of its next words, each to the end of the name. */
export const furtherWords = (fold: string): ReadonlyArray<string> => {
  const words = fold.split(" ")
  return [1, 2, 3].flatMap((word) => (word < words.length ? [words.slice(word).join(" ")] : []))
}

/** What is looked for. */
export interface SearchText {
  /** Folded; a word of a name begins with it. */
  readonly fold: string
  /** As symbols are folded; a symbol begins with it. */
  readonly symbol: string
  /** The beginning of an address, hex digits in lower case. Absent = it is none. */
  readonly digits?: string
}

/** Hex digits of an address that are enough to look for it. */
const leastDigits = 6

export const searchTextOf = (text: string): SearchText => {
  const digits = new RegExp(`^0x([0-9a-f]{${leastDigits},40})$`).exec(text.trim().toLowerCase())?.[1]
  return { fold: foldText(text), symbol: foldSymbol(text), ...(digits === undefined ? {} : { digits }) }
}

/** Where a token is found: in its symbol, its name from a word on, or its address. Of several the first. */
export const searchPlaces = ["symbol", "name", "name2", "name3", "name4", "address"] as const

/** The lists that a search is made of, one after the other: places of trusted tokens, then of all others. */
export const searchRuns = 2 * searchPlaces.length

export type SearchPlace = (typeof searchPlaces)[number]
/** What a run is found by. */
export const placeOf = (run: number): SearchPlace => searchPlaces[run % searchPlaces.length]!

/**
 * A row's place among what was found: by run, then by the text there in byte order (the closest first), then by chain, then
 * by the token's first event: who copies a name comes later.
 */
export interface SearchKey {
  /** 0 to `searchRuns` − 1. */
  readonly run: number
  /** Of an address 40 hex digits. */
  readonly text: string
  readonly chainId: ChainId
  /** Block × 2²⁴ + log index. */
  readonly firstPos: BigIntString
}
