/** Reads token contracts. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import type { SearchKey, SearchText } from "../model/search/searchText.ts"
import type {
  Erc20SortField,
  Standard,
  TokenKey,
  TokenOfStandard,
  TokenRecords,
  TransferPlace,
} from "../model/token.ts"
import type { TokenNote } from "../model/tokenNote.ts"

export interface TokensQuery<S extends Standard = Standard> {
  readonly standard: S
  readonly chains: ReadonlyArray<ChainId>
  /**
   * `desc` is (field descending, chainId as a number ascending, address ascending); `asc` its exact reverse,
   * save that absent values come last in both. `name` orders by UTF-8 bytes.
   */
  readonly sort: { readonly field: Erc20SortField; readonly direction: "asc" | "desc" }
  /** Only these contracts, at most 50; absent = all. */
  readonly addresses?: ReadonlyArray<Address>
  readonly page: PageRequest<TokenKey>
  readonly count: boolean
}

export interface TokenSearch<S extends Standard = Standard> {
  readonly standard: S
  readonly chains: ReadonlyArray<ChainId>
  readonly text: SearchText
  /** Only those that stand on a token list. */
  readonly trusted?: true | undefined
  readonly page: PageRequest<SearchKey>
  /** Exact up to `countCap`, then `lowerBound`. */
  readonly count: boolean
}

/** A token with what is known of it beside the lists. */
export interface OneToken<S extends Standard = Standard> {
  readonly record: TokenRecords[S]
  readonly note?: TokenNote
  /** Listed transfers of the standard. */
  readonly transfers: number
  readonly first?: TransferPlace
  readonly last?: TransferPlace
}

export class TokenStore extends Context.Service<
  TokenStore,
  {
    /**
     * All of the snapshot: `totalSupply` (ERC-20; a negative one is answered "0"), `holdersCount`, and `transfers`, the
     * rows of the standard's feed younger than the as-of block's time less 24, 48 and 72 hours. What the audit has in drift or
     * rebasing, or is partial (`FoundAudit`), is without `totalSupply` and `marketCap`, in the place that they give it.
     */
    list<S extends Standard>(
      query: TokensQuery<S>,
    ): Effect.Effect<Snapshot<Rows<TokenRecords[S], TokenKey>>, StoreError>
    /** Tokens whose symbol, name or address begins with a text, and those with a word that does: in the order of `SearchKey`, each once. */
    search<S extends Standard>(
      query: TokenSearch<S>,
    ): Effect.Effect<Snapshot<Rows<TokenRecords[S], SearchKey>>, StoreError>
    /** As the lists have it; undefined where the ledger has none. */
    findOne<S extends Standard>(
      standard: S,
      chainId: ChainId,
      address: Address,
    ): Effect.Effect<Snapshot<OneToken<S> | undefined>, StoreError>
    /** What is at an address: one per standard, in the order of `standards`; empty if the ledger has none. */
    find(chainId: ChainId, address: Address): Effect.Effect<Snapshot<ReadonlyArray<TokenOfStandard>>, StoreError>
  }
>()("cowry/TokenStore") {}
