/** Reads a token list of the tokenlists.org format. Pure. */
import { Option, Schema, SchemaGetter } from "effect"
import { type Address, ChainId } from "../../model/primitives.ts"
import type { NoteTexts } from "../../model/tokenNote.ts"
import { parseJson } from "../../model/userFiles/decode.ts"
import { address, isObject, whole } from "../../model/userFiles/shapes.ts"
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

const natural = whole(0, Number.MAX_SAFE_INTEGER)
const version = Schema.Struct({ major: natural, minor: natural, patch: natural })

const isNamed = Schema.is(Schema.Struct({ name: Schema.String.check(Schema.isPattern(/\S/u)) }))
const isVersioned = Schema.is(Schema.Struct({ version: Schema.optionalKey(version) }))
const isListing = Schema.is(Schema.Struct({ tokens: Schema.NonEmptyArray(Schema.Unknown) }))

const Entry = Schema.Struct({
  chainId: whole(1, Number.MAX_SAFE_INTEGER).pipe(
    Schema.decodeTo(ChainId, { decode: SchemaGetter.String(), encode: SchemaGetter.Number() }),
  ),
  address,
  name: Schema.String,
  symbol: Schema.optionalKey(Schema.NullOr(Schema.String)),
  decimals: Schema.optionalKey(whole(0, 255)),
  standard: Schema.optionalKey(Schema.Unknown),
  type: Schema.optionalKey(Schema.Unknown),
  logoURI: Schema.optionalKey(Schema.Unknown),
  logoUri: Schema.optionalKey(Schema.Unknown),
  extensions: Schema.optionalKey(Schema.NullOr(Schema.declare(isObject))),
}).check(
  // Lists of collections have no decimals, and say of what standard they are.
  Schema.makeFilter(
    ({ decimals, type, standard = type }) =>
      decimals !== undefined || (typeof standard === "string" && standard.toLowerCase() !== "erc20"),
  ),
  // Some lists also say whom not to trust.
  Schema.makeFilter(({ extensions }) => extensions?.blacklist !== true),
)
const decodeEntry = Schema.decodeUnknownOption(Entry)

/** The list, or why the text is none. One bad entry is left out; where most are bad it is no token list. */
export const readTokenList = (text: string): TokenList | { readonly problem: string } => {
  const list = Option.getOrUndefined(parseJson(text))
  if (!isObject(list)) return { problem: "it is not a JSON object" }
  if (!isNamed(list)) return { problem: "it has no name" }
  if (!isVersioned(list)) return { problem: "its version is none" }
  if (!isListing(list)) return { problem: "it lists no tokens" }
  const { name, tokens } = list
  if (tokens.length > mostTokens) return { problem: `it lists more than ${mostTokens} tokens` }
  const entries = tokens.flatMap((entry) => Option.toArray(decodeEntry(entry)))
  const leftOut = tokens.length - entries.length
  if (2 * leftOut > tokens.length)
    return { problem: `${leftOut} of its ${tokens.length} entries are no tokens or blacklisted` }
  const found = new Map<string, ListedToken>()
  for (const { chainId, address, extensions, logoURI, logoUri } of entries) {
    const key = `${chainId}:${address}`
    const image = logoURI ?? logoUri
    const words = image === undefined ? { ...extensions } : { ...extensions, image }
    if (!found.has(key)) found.set(key, { chainId, address, texts: textsOf(words) })
  }
  return { name: name.trim().slice(0, 100), tokens: [...found.values()], leftOut }
}
