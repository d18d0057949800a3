/** What token contracts say of themselves and of their ids. */
import { Context, type Effect } from "effect"
import type { Address, ChainId } from "../model/primitives.ts"
import type { TokenDescription } from "../model/token.ts"
import type { SourceUnavailable } from "./ChainSource.ts"
import type { MintedNft } from "./Ledger.ts"

export class TokenMetadata extends Context.Service<
  TokenMetadata,
  {
    /**
     * `name()`, `symbol()`, `decimals()` of each address, in order. A call that reverts or answers nonsense leaves its
     * field out; a node that fails is an error, never "unknown". Texts are cleaned: bytes32 or string, NUL removed,
     * invalid UTF-8 as U+FFFD, trimmed, cut at 256 characters, empty = absent.
     */
    describe(
      chainId: ChainId,
      addresses: ReadonlyArray<Address>,
    ): Effect.Effect<ReadonlyArray<TokenDescription>, SourceUnavailable>
    /**
     * `tokenURI(tokenId)` of each ERC-721 id, in order; undefined where it reverts, answers nonsense or more than 8,192
     * bytes. Cleaned as names are, but never cut.
     */
    tokenUris(
      chainId: ChainId,
      nfts: ReadonlyArray<Pick<MintedNft, "token" | "tokenId">>,
    ): Effect.Effect<ReadonlyArray<string | undefined>, SourceUnavailable>
  }
>()("cowry/TokenMetadata") {}
