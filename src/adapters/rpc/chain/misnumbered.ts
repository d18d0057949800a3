/** Blocks whose order an answer of `eth_getLogs` does not tell: their receipts do, where they give the root in the header. */
import { Effect, Result } from "effect"
import { type Log, logText } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcClient } from "../transport/client.ts"
import type { MisnumberedBlock } from "./logs.ts"
import type { Receipts } from "./receipts.ts"

/** Undefined where the node does not have the block. */
export type Recover = (block: MisnumberedBlock) => Effect.Effect<ReadonlyArray<Log> | undefined, SourceUnavailable>

/** Where receipts do not tell them another node is asked first from then on. The first block is said in the log. */
export const recoverOf = (
  chainId: ChainId,
  client: Pick<RpcClient, "current" | "failover">,
  receipts: Receipts,
): Recover => {
  let isSaid = false
  return Effect.fnUntraced(function* ({ number, hash, why, logs }) {
    const teller = client.current()
    const told = yield* Effect.result(receipts.logsOf(hash, { oneByOne: true, isProven: true }))
    if (Result.isSuccess(told)) {
      const texts = new Set(told.success?.map(logText))
      // What a chain adds beside its receipts has no place among theirs; and the hash may be another block's.
      const isWhole =
        told.success === undefined ||
        (logs.every((log) => texts.has(logText(log))) && told.success.every((log) => log.blockNumber === number))
      if (isWhole && !isSaid) {
        isSaid = true
        yield* Effect.logWarning(
          `chain ${chainId}: eth_getLogs: ${why}; the receipts of such blocks are read, which show the order of their logs`,
        )
      }
      if (isWhole) return told.success
    }
    // Another question may have left it meanwhile.
    if (client.current() === teller) yield* client.failover
    const reason = Result.isFailure(told) ? told.failure.message : `not all of them are in receipts of block ${number}`
    const way = "another node, or a newer version of this one, may number them as the chain does"
    return yield* new SourceUnavailable({ kind: "order", message: `eth_getLogs: ${why} (${reason}); ${way}` })
  })
}
