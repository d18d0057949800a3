/** The write side of prices: of tokens now, and of each hour. TokenStore, TrustedTokens and TransferStore read them. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { Usd } from "../model/price.ts"
import type { Address, ChainId } from "../model/primitives.ts"

/** A transfer is worth what the newest price point at or before it says, if that is of the last so many hours. */
export const pointHours = 24

/** Where a chain's ledger stands, seconds. */
export interface LedgerTimes {
  /** Of the newest block. */
  readonly head: number
  /** Of the newest block that never changes any more; absent = not known. */
  readonly settled?: number
  /** Of the first block whose time is kept; absent = not known. */
  readonly first?: number
}

/** An ERC-20 of the ledger. */
export interface PriceableToken {
  readonly address: Address
  /** As the token and its pools say; absent where neither does, or they contradict. */
  readonly decimals?: number
  readonly supply: bigint
}

/** What an hour says of a token. */
export interface HourPrice {
  readonly address: Address
  /** Absent = it has none, and what older hours say of it ends. */
  readonly price?: Usd
  /** What the hour has said of it already stays. */
  readonly yields?: boolean
  /** It stands until an hour says otherwise, however much later; else for `pointHours`. */
  readonly stands?: boolean
}

/** Hours since 1970: from one up to, and not with, the other. */
export interface PriceGap {
  readonly from: number
  readonly to: number
}

export interface PriceGaps {
  readonly newest?: PriceGap
  readonly hours: number
}

/** Absent = none: one that is stored is taken away. */
export interface PricedToken {
  readonly address: Address
  readonly price?: Usd
  readonly marketCap?: Usd
}

export class TokenPrices extends Context.Service<
  TokenPrices,
  {
    /** Undefined = the chain has no block yet. */
    times(chainId: ChainId): Effect.Effect<LedgerTimes | undefined, StoreError>
    /** Those of the addresses that are ERC-20s of the ledger, in no order. */
    describe(
      chainId: ChainId,
      addresses: ReadonlyArray<Address>,
    ): Effect.Effect<ReadonlyArray<PriceableToken>, StoreError>
    /** ERC-20s that have a price, ascending by address, behind `after`. */
    listPriced(chainId: ChainId, limit: number, after?: Address): Effect.Effect<ReadonlyArray<Address>, StoreError>
    /** Trusted ERC-20s, then those with the most holders; each once. */
    listKnown(chainId: ChainId, limit: number): Effect.Effect<ReadonlyArray<Address>, StoreError>
    /**
     * Of these tokens, and no others. Moves the revision where something changed, and only there. What the ledger's
     * writer is at work on is left out rather than waited for.
     */
    record(chainId: ChainId, tokens: ReadonlyArray<PricedToken>): Effect.Effect<void, StoreError>
    /** The first hour (since 1970) that has not been recorded, and is no part of a gap; undefined = none has. */
    nextHour(chainId: ChainId): Effect.Effect<number | undefined, StoreError>
    /** Hours before `nextHour` that are left for later: the newest of these stretches, and how many hours there are in all. */
    gaps(chainId: ChainId): Effect.Effect<PriceGaps, StoreError>
    /** Leaves the hours from one up to, and not with, another for later: that one is next. Nothing where another process has gone as far. */
    leap(chainId: ChainId, from: number, to: number): Effect.Effect<void, StoreError>
    /** As `recordHour`, of an hour in a gap: all from it on are done. Of a gap that ends with it nothing is left. */
    recordGapHour(
      chainId: ChainId,
      gap: PriceGap,
      hour: number,
      prices: ReadonlyArray<HourPrice>,
    ): Effect.Effect<void, StoreError>
    /** The prices at the beginning of an hour, in the place of those there may be; and the hour that is next. */
    recordHour(
      chainId: ChainId,
      hour: number,
      prices: ReadonlyArray<HourPrice>,
      nextHour: number,
    ): Effect.Effect<void, StoreError>
    /**
     * What stablecoins are worth where no hour says it: in all hours below the first that was priced, and behind the last once
     * what it says has ended. That is as it is now: a dollar of those among them that are `pegged`; of others, these or tokens that were
     * stablecoins once, nothing. What hours say of their own stays.
     */
    recordPegs(
      chainId: ChainId,
      stablecoins: ReadonlyArray<Address>,
      pegged: ReadonlyArray<Address>,
    ): Effect.Effect<void, StoreError>
  }
>()("cowry/TokenPrices") {}
