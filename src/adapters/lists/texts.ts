/** The words of a token list's `extensions`, and of the information file, as the texts of a note. */
import { Option, Schema, SchemaGetter } from "effect"
import { longestNoteText, type NoteTexts, type NoteWord, noteWords } from "../../model/tokenNote.ts"

/** What lists call them, beside the words themselves; the first that holds a text counts. */
const otherNames: { readonly [Word in NoteWord]?: ReadonlyArray<string> } = {
  website: ["homepage", "link"],
  blog: ["medium"],
  twitter: ["x"],
  whitepaperUrl: ["whitepaper"],
  image: ["logoURI", "logoUri", "logo"],
}

const isProse: ReadonlySet<NoteWord> = new Set(["description", "audit"])

/** An address, a handle, or a link to a page: nothing that a browser would run. */
const isHarmless = (text: string): boolean => {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/iu.exec(text)?.[1]?.toLowerCase()
  return scheme === undefined || ["http", "https", "mailto"].includes(scheme)
}

/** An absolute link that a browser shows as a picture, or that names one by its content. */
const isPicture = (text: string): boolean => /^(?:https?|ipfs):\/\/[^\s"'<>\\`]+$/iu.test(text)

const isFit = (word: NoteWord, text: string): boolean =>
  word === "image" ? isPicture(text) : isProse.has(word) || isHarmless(text)

/** Not empty, not overlong, and no link that leads anywhere but to a page. */
const noteText = (word: NoteWord) => {
  const expected = `a text of 1 to ${longestNoteText} characters, links with https://`
  const isShowable = (text: string) => text !== "" && text.length <= longestNoteText && isFit(word, text)
  return Schema.String.annotate({ expected }).pipe(
    Schema.decodeTo(Schema.String.check(Schema.makeFilter(isShowable, { expected })), {
      decode: SchemaGetter.transform((written) =>
        written
          .toWellFormed()
          .replaceAll(/\p{Cc}+/gu, " ")
          .trim(),
      ),
      encode: SchemaGetter.passthrough(),
    }),
  )
}

/** Of each word the text as it may be shown. */
export const texts = Object.fromEntries(noteWords.map((word) => [word, noteText(word)])) as {
  readonly [Word in NoteWord]: ReturnType<typeof noteText>
}
const readers = noteWords.map((word) => ({
  word,
  names: [word, ...(otherNames[word] ?? [])],
  read: Schema.decodeUnknownOption(texts[word]),
}))

/** Texts that cannot be shown are left out. */
export const textsOf = (extensions: Readonly<Record<string, unknown>>): NoteTexts => {
  const found: { [Word in NoteWord]?: string } = {}
  for (const { word, names, read } of readers) {
    for (const name of names) {
      const text = extensions[name] === undefined ? Option.none() : read(extensions[name])
      if (found[word] === undefined && Option.isSome(text)) found[word] = text.value
    }
  }
  return found
}
