/** Who made token contracts, and when. */
import { Context, type Effect } from "effect"
import type { ChainId } from "../model/primitives.ts"
import type { TokenOrigin } from "../model/token.ts"
import type { SourceUnavailable } from "./ChainSource.ts"
import type { BornToken } from "./Ledger.ts"

export class ContractOrigins extends Context.Service<
  ContractOrigins,
  {
    /**
     * The creation of each contract, in order. Undefined = the nodes cannot tell (now): they know no old state, or do not
     * have the block; `time` alone = the block is sure, its transaction is not. What cannot be proven is left out. Fails
     * where no node answers.
     */
    find(
      chainId: ChainId,
      tokens: ReadonlyArray<Pick<BornToken, "address" | "firstBlock" | "firstTxHash" | "firstBlockHash">>,
    ): Effect.Effect<ReadonlyArray<TokenOrigin | undefined>, SourceUnavailable>
  }
>()("cowry/ContractOrigins") {}
