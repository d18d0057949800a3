/** Reads balances: holders of a token, holdings of an address, one balance at a block. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { Erc1155Holder, Erc1155HolderKey, Holder, HolderKey, Holding } from "../model/holder.ts"
import type { PageRequest, Rows, Snapshot } from "../model/page.ts"
import type { Address, BigIntString, ChainId } from "../model/primitives.ts"
import type { Standard } from "../model/token.ts"

/** The standards whose holders hold one number each. */
export type HeldStandard = "erc20" | "erc721"

export interface HoldersQuery<Key = HolderKey> {
  readonly chainId: ChainId
  readonly token: Address
  readonly page: PageRequest<Key>
  readonly count: boolean
  /** After this block; absent = the snapshot's. */
  readonly blockNumber?: number
  /** Only rows of this balance and above, 1 to 2²⁵⁶−1. */
  readonly minBalance?: BigIntString
  /** Only rows of these addresses, at most 50. */
  readonly addresses?: ReadonlyArray<Address>
  /** Rows say whether they are contracts, as far as that is known by now (see CodeStore). */
  readonly codes?: true
  /** Without rows of which it is known that they are. */
  readonly excludeContracts?: true
}

export interface RankedHoldersQuery extends HoldersQuery {
  /** Rows say their place among all holders, whatever the filters; never together with a block. */
  readonly rank?: true
}

/** `page` from 1, `offset` = page size, as the compatibility actions page. */
export interface Window {
  readonly page: number
  readonly offset: number
}

export interface HoldingsQuery {
  readonly chainId: ChainId
  readonly holder: Address
  readonly window: Window
  /** After this block; absent = the snapshot's. */
  readonly blockNumber?: number | undefined
}

/**
 * Where no standard is named, a contract that emits several answers as the first of ERC-20, ERC-721, ERC-1155. A holder's
 * balance is an amount of an ERC-20, a number of ids of an ERC-721, and of an ERC-1155 the sum over the ids it holds.
 * Everything can be asked as it was after a block (absent = the snapshot's): what the ledger does not hold of it is
 * empty, and the domain's to refuse.
 */
export class HolderStore extends Context.Service<
  HolderStore,
  {
    /** Addresses with a balance above zero (`percentage` is the domain's to add), and the supply of the same snapshot; supply is undefined for an unknown token. */
    list(
      standard: HeldStandard,
      query: RankedHoldersQuery,
    ): Effect.Effect<Snapshot<Rows<Holder, HolderKey> & { readonly supply?: BigIntString }>, StoreError>
    /** A row per address and id with a balance above zero. Counts are exact; under `minBalance` or `excludeContracts` up to `countCap`, then `lowerBound`. */
    listErc1155(
      query: HoldersQuery<Erc1155HolderKey>,
    ): Effect.Effect<Snapshot<Rows<Erc1155Holder, Erc1155HolderKey>>, StoreError>
    /** Holders by balance, then address, by page and offset. */
    listWindow(
      chainId: ChainId,
      token: Address,
      window: Window,
      blockNumber?: number,
    ): Effect.Effect<Snapshot<ReadonlyArray<Holder>>, StoreError>
    /** Distinct addresses with a balance above zero; 0 for an unknown token. */
    count(chainId: ChainId, token: Address, blockNumber?: number): Effect.Effect<Snapshot<number>, StoreError>
    /** Raw ledger balance; "0" if never touched; may be negative. */
    findBalance(
      chainId: ChainId,
      token: Address,
      holder: Address,
      blockNumber?: number,
    ): Effect.Effect<Snapshot<BigIntString>, StoreError>
    /** Tokens of the standard that an address holds (balance above zero), by contract address. */
    listHoldings(standard: Standard, query: HoldingsQuery): Effect.Effect<Snapshot<ReadonlyArray<Holding>>, StoreError>
    /** Ids of an ERC-1155 contract of which an address holds more than none, ascending as numbers. */
    listUnits(
      chainId: ChainId,
      token: Address,
      holder: Address,
      window: Window,
      blockNumber?: number,
    ): Effect.Effect<
      Snapshot<ReadonlyArray<{ readonly tokenId: BigIntString; readonly balance: BigIntString }>>,
      StoreError
    >
  }
>()("cowry/HolderStore") {}
