/** Reads the ERC-20 contracts that stand on a configured token list. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import { type Erc20Token, type TokenKey, tokenSortFields } from "../model/token.ts"

/** `marketCap` is ordered as a number; tokens without come last in both directions, themselves by `holdersCount`. */
export const trustedSortFields = ["marketCap", ...tokenSortFields] as const
export type TrustedSortField = (typeof trustedSortFields)[number]

export interface TrustedTokensQuery {
  readonly chains: ReadonlyArray<ChainId>
  /** In the order of TokenStore's lists. */
  readonly sort: { readonly field: TrustedSortField; readonly direction: "asc" | "desc" }
  /** Only these contracts, at most 50; absent = all. */
  readonly addresses?: ReadonlyArray<Address>
  readonly page: PageRequest<TokenKey>
  readonly count: boolean
}

export class TrustedTokens extends Context.Service<
  TrustedTokens,
  {
    /** ERC-20 alone, as TokenStore lists them. No rows where no token list is configured. Its count is exact. */
    list(query: TrustedTokensQuery): Effect.Effect<Snapshot<Rows<Erc20Token, TokenKey>>, StoreError>
  }
>()("cowry/TrustedTokens") {}
