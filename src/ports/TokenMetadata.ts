/** What token contracts say of themselves. */
import { Context, type Effect } from "effect"
import type { Address, ChainId } from "../domain/model/primitives.ts"
import type { TokenDescription } from "../domain/model/token.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

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
  }
>()("cowry/TokenMetadata") {}
