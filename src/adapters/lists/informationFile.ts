/** Reads the file of token information: texts by chain and address, the operator's own word. Pure. */
import { type Address, addressOf, type ChainId, chainIdOf } from "../../model/primitives.ts"
import { type NoteTexts, type NoteWord, noteWords } from "../../model/tokenNote.ts"
import { textOf } from "./texts.ts"

export type Information = ReadonlyMap<ChainId, ReadonlyMap<Address, NoteTexts>>

/** `{"<chain id>": {"<address>": {"website": "https://…", …}}}`, or every problem there is with it. */
export const readInformation = (text: string): Information | { readonly problems: ReadonlyArray<string> } => {
  const problems: Array<string> = []
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    return { problems: ["it is not JSON"] }
  }
  const chains = new Map<ChainId, Map<Address, NoteTexts>>()
  for (const [id, tokens] of entriesOf("the file", file, problems)) {
    const chainId = chainIdOf(id)
    if (chainId === undefined) problems.push(`${shown(id)}: expected a chain id`)
    const ofChain = new Map<Address, NoteTexts>()
    if (chainId !== undefined) chains.set(chainId, ofChain)
    const seen = new Set<string>()
    for (const [written, words] of entriesOf(id, tokens, problems)) {
      const at = `${id}.${shown(written)}`
      const address = addressOf(written)
      if (address === undefined) problems.push(`${at}: expected an address of 40 hex digits`)
      if (seen.has(written.toLowerCase())) problems.push(`${at}: expected each address once`)
      seen.add(written.toLowerCase())
      const texts = readTexts(at, words, problems)
      if (address !== undefined) ofChain.set(address, texts)
    }
  }
  return problems.length === 0 ? chains : { problems }
}

const readTexts = (at: string, words: unknown, problems: Array<string>): NoteTexts => {
  const texts: { [Word in NoteWord]?: string } = {}
  for (const [name, value] of entriesOf(at, words, problems)) {
    const word = noteWords.find((known) => known === name)
    if (word === undefined) {
      problems.push(`${at}.${shown(name)}: no such word; expected one of ${noteWords.join(", ")}`)
      continue
    }
    const text = textOf(word, value)
    if (text === undefined) problems.push(`${at}.${word}: expected a text of 1 to 2000 characters, links with https://`)
    else texts[word] = text
  }
  return texts
}

const entriesOf = (at: string, value: unknown, problems: Array<string>): ReadonlyArray<[string, unknown]> => {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return Object.entries(value)
  problems.push(`${at}: expected an object`)
  return []
}

const shown = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name)
