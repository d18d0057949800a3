/** Token contracts of a chain, or of all: one list per standard, sorted, of some contracts alone, or by words. */
import { Effect, Result } from "effect"
import { listPage } from "../../../domain/reads/listPage.ts"
import type { ListPage, PageRequest } from "../../../model/page.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { type SearchKey, type SearchText, searchTextOf } from "../../../model/search/searchText.ts"
import {
  Erc20Token,
  erc20SortFields,
  NftContract,
  type Standard,
  type TokenKey,
  type TokenRecords,
  tokenSortFields,
} from "../../../model/token.ts"
import { TokenStore } from "../../../ports/TokenStore.ts"
import { TrustedTokens } from "../../../ports/TrustedTokens.ts"
import { costlyWhenCounted } from "../contract/cost.ts"
import { standardNames } from "../contract/documentation.ts"
import { defined } from "../contract/parameter.ts"
import { firstValue, type Query } from "../contract/query.ts"
import { sampleContracts } from "../contract/samples.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { type CursorShape, searchCursor, tokenCursor } from "./cursors.ts"
import { addresses } from "./filters.ts"
import { listOfChains } from "./list.ts"
import { limit, type NativeParameter, onlyTrue, tokenSort } from "./parameters.ts"

/** Characters of a text that is looked for: code points, as the document's `maxLength` counts. */
const longestSearch = 64

type Sort = NativeParameter<{ readonly field: string; readonly direction: "asc" | "desc" }>

const search = (example: string, sort: Sort): NativeParameter<SearchText | undefined> => ({
  bound: "given",
  isCostly: costlyWhenCounted,
  doc: {
    description:
      "Tokens whose symbol, or a word of whose name (its first four), begins with this text, in any letter case and width, with or without accents, and whatever parts its words (`univ2`, `uni v2` and `UNI-V2` are one symbol); or whose address does (`0x` and 6 digits at least). Trusted ones first, then by symbol before name, the closest and the oldest first; `sort` is not taken beside it",
    schema: { type: "string", minLength: 1, maxLength: longestSearch },
    example,
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    return text.length === 0 || isLonger(text, longestSearch) || !text.isWellFormed() || text.includes("\0")
      ? Result.fail(invalidParameter(name, text, `a text of 1 to ${longestSearch} characters`))
      : Result.flatMap(refuseSort(sort, query), () => Result.succeed(searchTextOf(text)))
  },
})

/** What is found has an order of its own. The usual one of the list may be named. */
const refuseSort = (sort: Sort, query: Query) =>
  Result.flatMap(sort.decode(query, "sort"), ({ field, direction }) =>
    field === tokenSortFields[0] && direction === "desc"
      ? Result.succeed(undefined)
      : Result.fail(invalidParameter("sort", firstValue(query, "sort") ?? "", "no value beside search")),
  )

const isLonger = (text: string, most: number) =>
  text.length > most && (text.length > 2 * most || [...text].length > most)

const searchExamples: Readonly<Record<Standard, string>> = { erc20: "gold", erc721: "card", erc1155: "goods" }

const trusted = onlyTrue("`true`: only tokens that stand on a configured token list")

/** Where lists of tokens are of no standard that lists vouch for. */
const notTrusted: NativeParameter<undefined> = {
  bound: false,
  decode: (query, name) => {
    const text = firstValue(query, name)
    return text === undefined || text === "false"
      ? Result.succeed(undefined)
      : Result.fail(invalidParameter(name, text, "no value (token lists name ERC-20 contracts alone)"))
  },
}

const tokensOf = (standard: Standard, record: typeof Erc20Token | typeof NftContract) => {
  const sort = tokenSort(standard === "erc20" ? erc20SortFields : tokenSortFields)
  return listOfChains({
    id: standard,
    path: `/${standard}`,
    tag: standardNames[standard],
    summary: `${standardNames[standard]} token contracts`,
    record,
    parameters: {
      sort,
      limit,
      tokenAddress: { ...addresses("These contracts", sampleContracts[standard]), bound: "given" },
      search: search(searchExamples[standard], sort),
      trusted: standard === "erc20" ? trusted : notTrusted,
    },
    // What is found has an order of its own. A cursor of either list is bound to it by its parameters.
    cursor: ({ sort, search }) => (search === undefined ? tokenCursor(sort.field) : searchCursor) as CursorShape<Key>,
    list: Effect.fnUntraced(function* (query: Asked, { sort, search, trusted, tokenAddress }) {
      const { chains, count } = query
      if (search !== undefined) {
        if (tokenAddress !== undefined) {
          return yield* invalidParameter("tokenAddress", "both", "no value beside search")
        }
        const asked = { standard, chains, text: search, trusted, page: query.page as PageRequest<SearchKey>, count }
        return (yield* listPage(
          asked,
          TokenStore.use((store) => store.search(asked)),
        )) as Page
      }
      const page = query.page as PageRequest<TokenKey>
      const asked = { chains, sort, page, count, ...defined({ addresses: tokenAddress }) }
      if (trusted === true) {
        return (yield* listPage(
          asked,
          TrustedTokens.use((store) => store.list(asked)),
        )) as Page
      }
      return (yield* listPage(
        asked,
        TokenStore.use((store) => store.list({ standard, ...asked })),
      )) as Page
    }),
  })
}

type Key = TokenKey | SearchKey
type Page = ListPage<TokenRecords[Standard], Key>

interface Asked {
  readonly chains: ReadonlyArray<ChainId>
  readonly page: PageRequest<Key>
  readonly count: boolean
}

export const erc20 = tokensOf("erc20", Erc20Token)
export const erc721 = tokensOf("erc721", NftContract)
export const erc1155 = tokensOf("erc1155", NftContract)
