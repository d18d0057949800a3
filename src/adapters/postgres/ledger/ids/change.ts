/** What a movement changes: the amount that one account of a token loses to another in a block. */
import type { Movement } from "../../../../model/event.ts"

/** What the fold needs of a movement. Rows of ERC-721 and ERC-1155 are counted where they are resolved: kind `nft`. */
export interface Change extends Pick<Movement, "token" | "blockNumber" | "debit" | "credit" | "amount"> {
  readonly kind: Movement["kind"] | "nft"
}
