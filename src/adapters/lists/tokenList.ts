/** Reads a token list of the tokenlists.org format. Pure. */
import { type Address, addressOf, type ChainId, chainIdOfNumber } from "../../model/primitives.ts"
import type { NoteTexts } from "../../model/tokenNote.ts"
import { textsOf } from "./texts.ts"

export interface ListedToken {
  readonly chainId: ChainId
  readonly address: Address
  readonly texts: NoteTexts
}

export interface TokenList {
  readonly name: string
  /** Each (chain, address) once: the first that stands in the list. */
  readonly tokens: ReadonlyArray<ListedToken>
  /** Entries that are no tokens or are blacklisted, left out. */
  readonly leftOut: number
}

/** More tokens than any list of trusted ones has. */
const mostTokens = 100_000

/** The list, or why the text is none. One bad entry is left out; where most are bad it is no token list. */
export const readTokenList = (text: string): TokenList | { readonly problem: string } => {
  const list = parse(text)
  if (!isObject(list)) return { problem: "it is not a JSON object" }
  const { name, tokens, version } = list
  if (typeof name !== "string" || name.trim() === "") return { problem: "it has no name" }
  if (version !== undefined && !isVersion(version)) return { problem: "its version is none" }
  if (!Array.isArray(tokens) || tokens.length === 0) return { problem: "it lists no tokens" }
  if (tokens.length > mostTokens) return { problem: `it lists more than ${mostTokens} tokens` }
  const found = new Map<string, ListedToken>()
  let leftOut = 0
  for (const entry of tokens) {
    const token = readEntry(entry)
    if (token === undefined) {
      leftOut++
      continue
    }
    const key = `${token.chainId}:${token.address}`
    if (!found.has(key)) found.set(key, token)
  }
  if (2 * leftOut > tokens.length) return { problem: `${leftOut} of its ${tokens.length} entries are no tokens` }
  return { name: name.trim().slice(0, 100), tokens: [...found.values()], leftOut }
}

const readEntry = (entry: unknown): ListedToken | undefined => {
  if (!isObject(entry)) return undefined
  const { chainId, address, name, symbol, decimals, extensions, standard = entry.type } = entry
  if (!isWhole(chainId, 1, Number.MAX_SAFE_INTEGER)) return undefined
  const key = typeof address === "string" ? addressOf(address) : undefined
  if (key === undefined) return undefined
  if (typeof name !== "string" || !isTextOrNothing(symbol)) return undefined
  // Lists of collections have no decimals, and say of what standard they are.
  const ofCollection = decimals === undefined && typeof standard === "string" && standard.toLowerCase() !== "erc20"
  if (!ofCollection && !isWhole(decimals, 0, 255)) return undefined
  if (extensions !== undefined && extensions !== null && !isObject(extensions)) return undefined
  // Some lists also say whom not to trust.
  if (extensions?.blacklist === true) return undefined
  return { chainId: chainIdOfNumber(chainId), address: key, texts: textsOf(extensions) }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isWhole = (value: unknown, least: number, most: number): value is number =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most

const isTextOrNothing = (value: unknown): boolean => value === null || value === undefined || typeof value === "string"

const isVersion = (value: unknown): boolean =>
  isObject(value) && ["major", "minor", "patch"].every((part) => isWhole(value[part], 0, Number.MAX_SAFE_INTEGER))
