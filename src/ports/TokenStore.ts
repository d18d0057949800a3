/** Reads token contracts. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../domain/model/page.ts"
import type { Address, ChainId } from "../domain/model/primitives.ts"
import type { Erc20SortField, Erc20Token, TokenKey } from "../domain/model/token.ts"

export interface Erc20TokensQuery {
  readonly chains: ReadonlyArray<ChainId>
  /**
   * `desc` is (field descending, chainId as a number ascending, address ascending); `asc` its exact reverse,
   * save that absent values come last in both. `name` orders by UTF-8 bytes.
   */
  readonly sort: { readonly field: Erc20SortField; readonly direction: "asc" | "desc" }
  readonly page: PageRequest<TokenKey>
  readonly count: boolean
}

export class TokenStore extends Context.Service<
  TokenStore,
  {
    /** `totalSupply` and `holdersCount` are of the snapshot; a negative supply is answered "0". */
    listErc20(query: Erc20TokensQuery): Effect.Effect<Snapshot<Rows<Erc20Token, TokenKey>>, StoreError>
    /** The ERC-20 token at an address, undefined if the chain's ledger has none. */
    findErc20(chainId: ChainId, address: Address): Effect.Effect<Snapshot<Erc20Token | undefined>, StoreError>
  }
>()("cowry/TokenStore") {}
