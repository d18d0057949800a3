/** Calls whose answers count only where the node shows, in the request of each, that it has a block: behind one address there may be some that lag. */
import { Array as Arr, Effect } from "effect"
import type { Hash } from "../../../model/primitives.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { AskedState } from "../../../ports/Pools.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isUnknownBlock } from "../transport/fault.ts"
import { inOneAnswer } from "../transport/oneAnswer.ts"
import { headerOf } from "../wire/shapes.ts"
import { headerCall } from "./pinnedCalls.ts"

/** Requests at once. */
const concurrency = 2

/** One call more a request, that the ledger needs anyhow: the newest block's header; of a block that may be replaced its own. */
export const havingBlock = (client: RpcClient, { block, hash }: AskedState): Pick<RpcClient, "batch"> => {
  const proof: RpcCall<boolean> = hash === undefined ? reachedCall(block) : ownBlockCall(block, hash)
  const lack = new SourceUnavailable({
    kind: "behind",
    message: `${client.label}: eth_call: the node that answers has no block ${block}${hash === undefined ? "" : ` with hash ${hash}`} yet`,
  })

  const ask = <Value>(calls: ReadonlyArray<RpcCall<Value>>) =>
    inOneAnswer(
      calls,
      Effect.fnUntraced(function* (part: ReadonlyArray<RpcCall<Value>>) {
        const { values, origins } = yield* client.together<unknown>([proof, ...part])
        if (values[0] !== true) return yield* lack
        const apart = [...part.keys()].filter((place) => origins[place + 1] !== origins[0])
        return { answers: values.slice(1) as ReadonlyArray<Value>, apart }
      }),
      // It is asked behind the call too.
      (_, answer) =>
        Effect.flatMap(client.batch([proof]), ([isStillThere]) => (isStillThere ? Effect.succeed(answer) : lack)),
    )

  return {
    batch: Effect.fnUntraced(function* (calls) {
      const most = Math.max(1, (client.perRequest?.() ?? calls.length + 1) - 1)
      return (yield* Effect.forEach(Arr.chunksOf(calls, most), ask, { concurrency })).flat()
    }),
  }
}

const reachedCall = (block: number): RpcCall<boolean> => ({
  method: "eth_getBlockByNumber",
  params: ["latest", false],
  read: (result) => (headerOf(result)?.number ?? -1) >= block,
})

const ownBlockCall = (block: number, hash: Hash): RpcCall<boolean> => {
  const { method, params, read } = headerCall(block)
  return {
    ...{ method, params },
    read: (result) => read(result)?.hash === hash,
    readFault: (fault) => (isUnknownBlock(fault) ? { value: false } : undefined),
  }
}
