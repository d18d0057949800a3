/** The words of a token list's `extensions`, and of the information file, as the texts of a note. */
import { longestNoteText, type NoteTexts, type NoteWord, noteWords } from "../../model/tokenNote.ts"

/** What lists call them, beside the words themselves; the first that holds a text counts. */
const otherNames: { readonly [Word in NoteWord]?: ReadonlyArray<string> } = {
  website: ["homepage", "link"],
  blog: ["medium"],
  twitter: ["x"],
  whitepaperUrl: ["whitepaper"],
}

const prose: ReadonlySet<NoteWord> = new Set(["description", "audit"])

/** Texts that cannot be shown are left out: empty or overlong ones, and links that lead anywhere but to a page. */
export const textsOf = (extensions: unknown): NoteTexts => {
  if (typeof extensions !== "object" || extensions === null || Array.isArray(extensions)) return {}
  const given = new Map<string, unknown>(Object.entries(extensions))
  return Object.fromEntries(
    noteWords.flatMap((word) => {
      const names = [word, ...(otherNames[word] ?? [])]
      const text = names.map((name) => textOf(word, given.get(name))).find((it) => it !== undefined)
      return text === undefined ? [] : [[word, text]]
    }),
  )
}

/** The text as it may be shown; undefined where it may not. */
export const textOf = (word: NoteWord, given: unknown): string | undefined => {
  if (typeof given !== "string") return undefined
  const text = given
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
  if (text === "" || text.length > longestNoteText) return undefined
  return prose.has(word) || isHarmless(text) ? text : undefined
}

/** An address, a handle, or a link to a page: nothing that a browser would run. */
const isHarmless = (text: string): boolean => {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/iu.exec(text)?.[1]?.toLowerCase()
  return scheme === undefined || ["http", "https", "mailto"].includes(scheme)
}
