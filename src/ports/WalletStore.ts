/** Reads what addresses hold of all standards together, over many chains, with what it is worth. */
import { Context, type Effect } from "effect"
import type { AuditState } from "../model/audit.ts"
import type { StoreError } from "../model/errors.ts"
import type { PageRequest, Pin, Rows, Snapshot } from "../model/page.ts"
import type { Usd } from "../model/price.ts"
import type { Address, BigIntString, ChainId, Hash } from "../model/primitives.ts"
import type { Standard } from "../model/token.ts"
import type { HeldSort } from "../model/wallet/heldOrder.ts"
import type { HeldKey, StoredHolding } from "../model/wallet/holdings.ts"

/** Tokens in doubt of one chain that are told apart; where there are more they are rows like all others. */
export const mostDoubtful = 1000

/** After which block of a chain. */
export interface HeldAt {
  readonly chainId: ChainId
  readonly blockNumber: number
  /** Whose prices they are, in hours since 1970; null = the ledger has no such block: nothing has a price. */
  readonly hour: number | null
  /** What the walk's first page said. */
  readonly rollbacks?: number
}

export interface HeldBy {
  readonly chains: ReadonlyArray<ChainId>
  /** Each once. */
  readonly holders: ReadonlyArray<Address>
  readonly standards: ReadonlyArray<Standard>
  /** Only of contracts that a token list vouches for. */
  readonly onlyTrusted: boolean
  /** Only of these contracts; absent = of all. */
  readonly tokens?: ReadonlyArray<Address> | undefined
  /** Only what is worth at least so much; absent = also what has no value. */
  readonly minValue?: Usd | undefined
  /** ERC-721: a row an id, instead of one a collection. */
  readonly byId: boolean
  /** Of every chain asked; absent = now. */
  readonly at?: ReadonlyArray<HeldAt>
}

export interface HeldQuery extends HeldBy {
  /**
   * `valueUsd` desc: value descending, then chain id, holder, standard, contract, id, all ascending; `asc` is its reverse,
   * save that rows without a value come last in both. `tokenAddress` asc: chain id, holder, standard, contract, id.
   */
  readonly sort: HeldSort
  readonly page: PageRequest<HeldKey>
  readonly count: boolean
}

export interface Beside {
  /** Rows in doubt, which are not among the others: what the audit has in drift or rebasing, or is partial (`FoundAudit`). None as of a block. */
  readonly doubtful: ReadonlyArray<StoredHolding>
  /** As of blocks: of each chain. */
  readonly pins: ReadonlyArray<Pin & { readonly chainId: ChainId }>
}

/** What an address holds of a chain: how many rows, of how many the value is known, and the sum of these, 18 decimals. */
export interface HeldTotal {
  readonly chainId: ChainId
  readonly rows: number
  readonly priced: number
  readonly value: BigIntString
  /** How many of the rows are suspect, and each state that those are in. */
  readonly suspect: number
  readonly states: ReadonlyArray<AuditState>
}

export class WalletStore extends Context.Service<
  WalletStore,
  {
    /** Balances above zero. ERC-1155 by id. Each chain is of one snapshot; prices are those of now, or of the hour that `at` names. */
    list(query: HeldQuery): Effect.Effect<Snapshot<Rows<StoredHolding, HeldKey> & Beside>, StoreError>
    /** Of the same rows, by chain; those in doubt are not in it. */
    total(query: HeldBy): Effect.Effect<Snapshot<{ readonly totals: ReadonlyArray<HeldTotal> } & Beside>, StoreError>
    /** Price of the first of the tokens that has one (now, or in the hour of `at`), and the block's hash where a reorg may still replace it. */
    nativeFacts(
      chainId: ChainId,
      wrapped: ReadonlyArray<Address>,
      at?: Pick<HeldAt, "blockNumber" | "hour">,
    ): Effect.Effect<{ readonly price?: BigIntString; readonly hash?: Hash }, StoreError>
  }
>()("cowry/WalletStore") {}
