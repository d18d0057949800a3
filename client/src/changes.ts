/** What the feed tells, by type: rows as the lists have them, and what becomes of them. */
import type { operations } from "./generated/operations.ts"
import type { Item, Operation, Raw, Row } from "./shapes.ts"

export type Standard = "erc20" | "erc721" | "erc1155"

/** Where a row stands. */
export interface Placed<S extends Standard> {
  /** The row's own, the same whoever tells it, whenever. */
  readonly id: string
  readonly standard: S
  readonly block: number
  /** Absent = no reorg takes the block. */
  readonly hash?: string
}

interface Late {
  /** A row that a node had left out and that was found later: it lies behind. */
  readonly late?: true
}

export type TransferRow =
  | (Placed<"erc20"> & Late & Row<"erc20Transfers">)
  | (Placed<"erc721"> & Late & Row<"erc721Transfers">)
  | (Placed<"erc1155"> & Late & Row<"erc1155Transfers">)

export type SwapRow = Placed<"erc20"> & Late & Row<"erc20Swaps">

export type TokenRow =
  | (Placed<"erc20"> & Late & Row<"erc20">)
  | (Placed<"erc721"> & Late & Row<"erc721">)
  | (Placed<"erc1155"> & Late & Row<"erc1155">)

/** What the log said of the row; names, prices and the like may be missing. */
type Taken<S extends Standard, O extends Operation> = Placed<S> & { readonly chainId: string } & Partial<Item<O>> & {
    readonly raw: Partial<Raw<Item<O>, (typeof operations)[O]["integers"][number]>>
  }

/** The row with this `id` was told, and a reorg took it back. */
export type RetractedRow =
  | ({ readonly retracts: "transfer" } & (
      | Taken<"erc20", "erc20Transfers">
      | Taken<"erc721", "erc721Transfers">
      | Taken<"erc1155", "erc1155Transfers">
    ))
  | ({ readonly retracts: "swap" } & Taken<"erc20", "erc20Swaps">)
  | ({ readonly retracts: "token" } & (
      | Taken<"erc20", "erc20">
      | Taken<"erc721", "erc721">
      | Taken<"erc1155", "erc1155">
    ))

export interface Finalized {
  readonly chainId: string
  /** Rows of blocks up to it are never retracted. */
  readonly block: number
}

/**
 * All was told up to `block`. While the past is told it has no hash and no time, and `lagBlocks` is not 0. With
 * `delivery: "finalized"` it is the newest final block, without time; 0 says that all final rows were told.
 */
export interface Heartbeat {
  readonly chainId: string
  readonly block: number
  readonly hash?: string
  readonly timestamp?: string
  readonly finalizedBlock: number
  readonly lagBlocks: number
}

/** `position`: where a consumer stands that has this one. Kept together with what was made of it, it is where to go on. */
export type Change = { readonly position: string } & (
  | { readonly type: "transfer"; readonly data: TransferRow }
  | { readonly type: "swap"; readonly data: SwapRow }
  | { readonly type: "token"; readonly data: TokenRow }
  | { readonly type: "retract"; readonly data: RetractedRow }
  | { readonly type: "finalized"; readonly data: Finalized }
  | { readonly type: "heartbeat"; readonly data: Heartbeat }
)

/** The whole numbers of each kind of row. */
export const integersOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  transfer: ["amount", "tokenId"],
  swap: ["tokenInQty", "tokenOutQty"],
  token: ["totalSupply", "price", "marketCap"],
}

export const changeTypes: ReadonlySet<string> = new Set([
  "transfer",
  "swap",
  "token",
  "retract",
  "finalized",
  "heartbeat",
] satisfies ReadonlyArray<Change["type"]>)
