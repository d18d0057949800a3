/** What the ledger says of tokens, to be held against the contracts' own answers, and where what came of it is kept. */
import { Context, type Effect } from "effect"
import type { AuditDifference, AuditState, TokenAudit } from "../model/audit.ts"
import { QueryTooSlow, type StoreError } from "../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { Address, ChainId } from "../model/primitives.ts"
import type { Standard } from "../model/token.ts"
import type { BornToken } from "./Ledger.ts"
import type { TokenQuestion } from "./TokenViews.ts"

/** A question and the ledger's own answer. An owner is its address as a number. */
export type LedgerFigure = TokenQuestion & {
  readonly ledger: bigint
  /** The last block with an event of it; −1 = none, or not told (of a supply). */
  readonly touched: number
}

/** A figure that is asked again next time. */
export type WatchedFigure = LedgerFigure & {
  /** What the contract said; absent = nothing. */
  readonly node?: bigint
}

/** What a comparison came to. */
export interface AuditRecord {
  readonly state: AuditState
  readonly blockNumber: number
  /** Block time, seconds. */
  readonly time: number
  /** Figures that both sides told. */
  readonly compared: number
  readonly difference?: AuditDifference
  readonly reason?: string
  /** Those that differed, and some that nothing had touched for a while. */
  readonly watched: ReadonlyArray<WatchedFigure>
  /** The first and the last block at which something differed; absent = never, or what came in since explains it. */
  readonly differed?: { readonly from: number; readonly to: number }
  /** Blocks of which the token's own logs were asked of a node again, and the ledger has them; absent = none. */
  readonly logs?: BlockRange
  /** Blocks of rows that a node had left out, and that came in later (LedgerWriter.heal); absent = none. */
  readonly healed?: BlockRange
}

/** First and last block. */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/** A stored row of a contract. A Deposit or Withdrawal is a `wrap` of its holder: `from` and `to` are he, its amount has a sign. */
export interface StoredRow {
  /** `withoutRoom`: an ERC-2309 range of the contract's that was left out, and is kept as it was told; `from` and `to` are the contract. */
  readonly kind: Standard | "wrap" | "withoutRoom"
  readonly blockNumber: number
  readonly logIndex: number
  readonly sub: number
  readonly from: Address
  readonly to: Address
  /** 0 of ERC-20. */
  readonly tokenId: bigint
  /** 1 of ERC-721. */
  readonly amount: bigint
}

export const tooManyRows = (most: number): QueryTooSlow =>
  new QueryTooSlow({ message: `the ledger has more than ${most} rows of it in these blocks: ask for fewer` })

export interface AuditSample {
  readonly token: BornToken
  /**
   * The contract was there before the ledger's first block: by the second that it was made in. Absent = not known, as of
   * one made in that block's own second, unless the token's first event is of the very transaction that made it.
   */
  readonly older?: boolean
  /** The contract emits ERC-20 and ERC-721 transfers: of which `balanceOf` and `totalSupply` speak, nobody can tell. */
  readonly mixed: boolean
  /** Of an ERC-20: what went to the zero address and counts as burnt. */
  readonly burnt: bigint
  /** Of an ERC-20: what the contract itself sent to the zero address. Absent = not looked up (AuditStore.sentByItself). */
  readonly sentByItself?: bigint
  /** By kind (supply, balances, units, owners), then holder, then id. */
  readonly figures: ReadonlyArray<LedgerFigure>
  /** Absent = it has not been compared before. */
  readonly last?: AuditRecord
}

/**
 * Which tokens: these, or so many that are due, and up to half as many more. `from`: of those never compared the ones from
 * that address on come first, then those before it.
 */
export type AuditChoice =
  | { readonly tokens: ReadonlyArray<Address> }
  | { readonly due: number; readonly from?: Address }

/** How many figures of each token. What the record of last time watches comes on top. */
export interface AuditBreadth {
  /** Largest holders (ERC-1155: of an id). */
  readonly top: number
  /** Newest transfers, whose parties and ids are compared. */
  readonly recent: number
  /** Other transfers, each the first at or after so much of the token's history (0 to 1). */
  readonly places: ReadonlyArray<number>
  /** Balances below zero, the lowest first, which events that are true do not make; absent = `fewBelowZero`. */
  readonly belowZero?: number
}
export const fewBelowZero = 2
/** Figures that differ, of which a record keeps no more: where it has as many, others may. */
export const mostDiffering = 6

/** A row's place in the list: by chain as a number, address, standard. */
export interface AuditKey {
  readonly chainId: ChainId
  readonly address: Address
  readonly standard: Standard
}

export interface AuditsQuery {
  readonly chains: ReadonlyArray<ChainId>
  readonly state?: AuditState
  readonly tokens?: ReadonlyArray<Address>
  readonly page: PageRequest<AuditKey>
  readonly count: boolean
}

/** What people may see of a record, and what of the ledger is not to be relied on. */
export type FoundAudit = TokenAudit &
  Pick<AuditRecord, "differed"> & {
    /**
     * The ledger starts above block 0, and may lack the token's beginning: it is known to be older, or that is possible and
     * no comparison has shown that all of it is there. Absent = all of it is there.
     */
    readonly partial?: Partiality
  }
export type Partiality = "known" | "possible"

export interface FoundContract extends Snapshot<ReadonlyArray<FoundAudit>> {
  /** The ledger has no token of it, and was made to keep others alone: of its events it has none, whatever there were. */
  readonly isNotKept?: true
  /** The ledger has no token of it, and logs of a token's events whose shape says nothing sure. */
  readonly isOdd?: true
}

export type AuditCounts = Readonly<Record<AuditState, number>>

export class AuditStore extends Context.Service<
  AuditStore,
  {
    /**
     * All of it in one snapshot. `due`, each once: of those in drift, and then of the most active and the most held, those
     * that were compared longest ago (never comes first); then those never compared by address, from one on; then those compared longest
     * ago: a few, or as many as there is room for.
     */
    sample(
      chainId: ChainId,
      choice: AuditChoice,
      breadth: AuditBreadth,
    ): Effect.Effect<Snapshot<ReadonlyArray<AuditSample>>, StoreError>
    /** What is stored of a contract's own movements in these blocks, of every standard, by place. Of more than `most`: `QueryTooSlow`. */
    storedRows(
      chainId: ChainId,
      address: Address,
      range: BlockRange,
      most?: number,
    ): Effect.Effect<Snapshot<ReadonlyArray<StoredRow>>, StoreError>
    /** What an ERC-20 contract itself sent to the zero address up to that block. Costs what was ever sent there. */
    sentByItself(chainId: ChainId, token: Address, blockNumber: number): Effect.Effect<bigint, StoreError>
    /**
     * In the place of the records there are, but for those of a later block: whoever compared later knows more. Ignored for
     * tokens that are gone. What the ledger's writer is at work on is left out.
     */
    record(
      chainId: ChainId,
      audits: ReadonlyArray<{ readonly token: BornToken; readonly record: AuditRecord }>,
    ): Effect.Effect<void, StoreError>
    /** One for each standard that the contract emits, in their order; one that was never compared is `unverified`. */
    find(chainId: ChainId, address: Address): Effect.Effect<FoundContract, StoreError>
    /** The same of several contracts, in one statement: by address, then standard. */
    findMany(
      chainId: ChainId,
      addresses: ReadonlyArray<Address>,
    ): Effect.Effect<Snapshot<ReadonlyArray<FoundAudit>>, StoreError>
    /** Every token of the ledger. */
    list(query: AuditsQuery): Effect.Effect<Snapshot<Rows<TokenAudit, AuditKey>>, StoreError>
    /** Tokens by state; all zero for a chain without a ledger. */
    counts(chainId: ChainId): Effect.Effect<AuditCounts, StoreError>
  }
>()("cowry/AuditStore") {}
