/** Reads what was, block by block and hour by hour: versions of balances and supplies, price points, who came and left. */
import { Context, type Effect } from "effect"
import type { Doubt } from "../model/audit.ts"
import type { StoreError } from "../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { Address, BigIntString, ChainId, Hash } from "../model/primitives.ts"
import type { Standard } from "../model/token.ts"
import type { FeedRange } from "../model/transfer.ts"
import type { BlockKey } from "../model/wallet/histories.ts"
import type { Partiality } from "./AuditStore.ts"

/** What has versions. Supply is of an ERC-20. */
export type Versioned =
  | {
      readonly of: "balance"
      readonly token: Address
      readonly holder: Address
      /** Absent = of those that the contract emits, the first (see HolderStore). */
      readonly standard?: Standard | undefined
    }
  | { readonly of: "unit"; readonly token: Address; readonly holder: Address; readonly tokenId: BigIntString }
  | { readonly of: "supply"; readonly token: Address }

export interface VersionsQuery {
  readonly chainId: ChainId
  readonly what: Versioned
  readonly range: FeedRange
  readonly direction: "asc" | "desc"
  readonly page: PageRequest<BlockKey>
  readonly count: boolean
}

/** After a block that touched it. Amounts may be below zero. */
export interface StoredVersion {
  readonly blockNumber: number
  /** Seconds; absent = the ledger does not know it. */
  readonly time?: number
  readonly balance: BigIntString
  /** After the block before. */
  readonly before: BigIntString
  /** Without those of Deposits and Withdrawals that a version stored which kept none. */
  readonly transactions: ReadonlyArray<Hash>
}

/** Whose versions they are. */
export interface VersionsOf {
  /** What the contract emits, in their order; none = the ledger knows no such contract. */
  readonly standards: ReadonlyArray<Standard>
  /** The ledger may lack the token's beginning (`FoundAudit`). */
  readonly partial?: Partiality
}

export interface StoredPoint {
  readonly hour: number
  /** Absent = until a newer point. */
  readonly untilHour?: number
  readonly price: BigIntString
}

export interface DiffQuery {
  readonly chainId: ChainId
  readonly token: Address
  readonly from: number
  /** Absent = the snapshot's block. */
  readonly to?: number
  /** Ascending by address. */
  readonly page: PageRequest<{ readonly address: Address }>
  readonly count: boolean
}

export interface StoredChange {
  readonly address: Address
  readonly before: BigIntString
  readonly after: BigIntString
}

/** At which times (seconds, ascending), or after which blocks (ascending). `upTo`: no block above it counts; absent = all do. */
export type Moments =
  | { readonly times: ReadonlyArray<number>; readonly upTo?: number }
  | { readonly blocks: ReadonlyArray<number> }

export interface SeriesPoint {
  /** The last block by then, -1 where there is none. */
  readonly blockNumber: number
  /** Of a block, where it is known. */
  readonly time?: number
  /** Whose prices count, since 1970. */
  readonly hour: number
  /** Of its block, where `native` is asked and a reorg may still replace it. */
  readonly hash?: Hash
  /** Of a time, where `native` is asked: its block's own time, and the next block of which the ledger knows one; absent = it is the newest. */
  readonly since?: number
  readonly next?: { readonly blockNumber: number; readonly time: number }
}

/** What a portfolio's history may be of. */
export const seriesStandards = ["native", "erc20"] as const
export type SeriesStandard = (typeof seriesStandards)[number]

export interface Series {
  /** In order of the moments. */
  readonly points: ReadonlyArray<SeriesPoint>
  /** ERC-20 tokens that the holder has, or had at one of them. */
  readonly tokens: ReadonlyArray<{
    readonly tokenAddress: Address
    readonly name?: string
    readonly symbol?: string
    readonly logoUri?: string
    readonly decimals?: number
    /** Absent = the ledger's figures of it are not suspect at any block. */
    readonly doubt?: Doubt
    /** Balances that were in force at some point, newest first: from that block on. */
    readonly versions: ReadonlyArray<readonly [blockNumber: number, balance: BigIntString]>
    /** Of each point, where it has one; all absent where the token never had any. */
    readonly prices: ReadonlyArray<BigIntString | null>
  }>
}

export class TokenHistories extends Context.Service<
  TokenHistories,
  {
    versions(query: VersionsQuery): Effect.Effect<Snapshot<Rows<StoredVersion, BlockKey> & VersionsOf>, StoreError>
    /** Price points of an ERC-20 by hour, in the range of hours (since 1970) that is given. */
    prices(query: {
      readonly chainId: ChainId
      readonly token: Address
      readonly from?: number | undefined
      readonly to?: number | undefined
      readonly direction: "asc" | "desc"
      readonly page: PageRequest<{ readonly hour: number }>
      readonly count: boolean
    }): Effect.Effect<Snapshot<Rows<StoredPoint, { readonly hour: number }>>, StoreError>
    /** What whole tokens of an ERC-20 cost in these hours, in their order, and its decimals. */
    pricesAt(
      chainId: ChainId,
      token: Address,
      hours: ReadonlyArray<number>,
    ): Effect.Effect<{ readonly decimals?: number; readonly prices: ReadonlyArray<BigIntString | null> }, StoreError>
    /** Whose balance of an ERC-20 is another after `to` than after `from`. */
    diff(
      query: DiffQuery,
    ): Effect.Effect<
      Snapshot<Rows<StoredChange, { readonly address: Address }> & Pick<VersionsOf, "partial">>,
      StoreError
    >
    /** Blocks that touched any ERC-20 balance of an address. */
    touched(query: {
      readonly chainId: ChainId
      readonly holder: Address
      readonly range: FeedRange
      readonly direction: "asc" | "desc"
      readonly page: PageRequest<BlockKey>
    }): Effect.Effect<Snapshot<Rows<number, BlockKey>>, StoreError>
    series(query: {
      readonly chainId: ChainId
      readonly holder: Address
      readonly moments: Moments
      readonly onlyTrusted: boolean
      /** Without `erc20` there are no tokens. Absent = `erc20` alone. */
      readonly standards?: ReadonlyArray<SeriesStandard> | undefined
      /** Of the walk; `key`: where it stands. */
      readonly page: Pick<PageRequest<BlockKey>, "rollbacks"> & { readonly key?: BlockKey }
    }): Effect.Effect<Snapshot<Series & Pick<Rows<unknown, unknown>, "pin">>, StoreError>
  }
>()("cowry/TokenHistories") {}
