/** Tokens by words, in memory: every place of every token, sorted. */
import { countUpTo, type Rows } from "../../model/page.ts"
import { compareChainIds } from "../../model/primitives.ts"
import {
  foldSymbol,
  foldText,
  furtherWords,
  type SearchKey,
  type SearchText,
  searchPlaces,
} from "../../model/search/searchText.ts"
import type { TokenSearch } from "../../ports/TokenStore.ts"
import { compareText, pageOf } from "./rows.ts"
import type { MemoryChain, MemoryToken } from "./state.ts"

interface FoundToken {
  readonly chain: MemoryChain
  readonly token: MemoryToken
}

export const foundTokens = (
  stored: ReadonlyArray<MemoryChain>,
  { standard, text, trusted, page, count }: Omit<TokenSearch, "chains">,
): Rows<FoundToken, SearchKey> => {
  const found = stored.flatMap((chain) =>
    [...chain.tokens.values()].flatMap((token) => {
      const key = token.standard === standard ? keyOf(chain, token, text) : undefined
      return key === undefined || (trusted === true && key.run >= searchPlaces.length) ? [] : [{ chain, token, key }]
    }),
  )
  const rows = pageOf(found, ({ key }) => key, compareKeys, page)
  return { ...rows, ...(count ? { count: countUpTo(found.length) } : {}) }
}

const keyOf = (
  chain: MemoryChain,
  token: MemoryToken,
  { fold, symbol: letters, digits }: SearchText,
): SearchKey | undefined => {
  const { name, symbol } = token.description ?? {}
  const named = foldText(name ?? "")
  const texts = [foldSymbol(symbol ?? ""), named, ...furtherWords(named)]
  const worded = fold === "" ? -1 : texts.findIndex((text, place) => text.startsWith(place === 0 ? letters : fold))
  const isAddress = digits !== undefined && token.address.startsWith(`0x${digits}`)
  const place = worded !== -1 ? worded : isAddress ? searchPlaces.indexOf("address") : -1
  if (place === -1) return undefined
  const { chainId } = chain.settings
  // As PostgreSQL has it: of ERC-20 tokens alone.
  const isTrusted = token.standard === "erc20" && chain.notes.get(token.address)?.trusted === true
  return {
    run: place + (isTrusted ? 0 : searchPlaces.length),
    text: worded === -1 ? token.address.slice(2) : texts[worded]!,
    chainId,
    firstPos: String((BigInt(token.firstBlock) << 24n) | BigInt(token.firstLogIndex)),
  }
}

const compareKeys = (a: SearchKey, b: SearchKey): number =>
  a.run - b.run ||
  compareText(a.text, b.text) ||
  compareChainIds(a.chainId, b.chainId) ||
  Number(BigInt(a.firstPos) - BigInt(b.firstPos))
