/** What token contracts themselves answer after a block: the judge of the ledger. */
import { Context, type Effect } from "effect"
import type { Address, BigIntString, ChainId, Hash } from "../model/primitives.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

export type TokenQuestion =
  /** `totalSupply()` */
  | { readonly of: "supply"; readonly token: Address }
  /** `balanceOf(holder)` */
  | { readonly of: "balance"; readonly token: Address; readonly holder: Address }
  /** `balanceOf(holder, tokenId)` of an ERC-1155 */
  | { readonly of: "unit"; readonly token: Address; readonly holder: Address; readonly tokenId: BigIntString }
  /** `ownerOf(tokenId)` of an ERC-721; the answer is the address as a number */
  | { readonly of: "owner"; readonly token: Address; readonly tokenId: BigIntString }

/** What a contract says of what an owner (`holder`) allows. */
export type ApprovalQuestion =
  /** `allowance(holder, spender)` */
  | { readonly of: "allowance"; readonly token: Address; readonly holder: Address; readonly spender: Address }
  /** `getApproved(tokenId)` of an ERC-721; the answer is the address as a number */
  | { readonly of: "approved"; readonly token: Address; readonly tokenId: BigIntString }
  /** `isApprovedForAll(holder, spender)`: 0 or 1 */
  | { readonly of: "operator"; readonly token: Address; readonly holder: Address; readonly spender: Address }

export type ViewQuestion = TokenQuestion | ApprovalQuestion

export class TokenViews extends Context.Service<
  TokenViews,
  {
    /**
     * In order; undefined where the contract reverts or answers no such thing. Fails where the node does not have that
     * very block (number and hash), does not keep its state, or cannot be asked: silence is never an answer, and the
     * newest state never one about an older block.
     */
    ask(
      chainId: ChainId,
      questions: ReadonlyArray<ViewQuestion>,
      at: { readonly blockNumber: number; readonly hash: Hash },
    ): Effect.Effect<ReadonlyArray<bigint | undefined>, SourceUnavailable>
    /** How many questions one call to the node carries, of a block or the newest, as far as is known; 1 = each is a call of its own. */
    readonly perCall: (chainId: ChainId, blockNumber?: number) => number
  }
>()("cowry/TokenViews") {}
