/** The logs of blocks by their hashes, with proof that the node has a block of which it gives none. */
import { Array as Arr, Effect } from "effect"
import type { Hash } from "../../../model/primitives.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { inOneAnswer } from "../transport/oneAnswer.ts"
import { headerOf } from "../wire/shapes.ts"
import type { LogCalls } from "./logCalls.ts"

type BlockLogs = ReturnType<ReturnType<LogCalls["ofBlock"]>["read"]>

/** A node that does not know the block may say so with an empty list: one counts only with the block's header from the same answer. */
export const readBlockLogs = Effect.fnUntraced(function* (
  client: RpcClient,
  calls: LogCalls,
  hashes: ReadonlyArray<Hash>,
) {
  const found = [...(yield* client.batch(hashes.map(calls.ofBlock)))]
  const empty = [...hashes.keys()].filter((index) => isEmpty(found[index]))
  const asked = empty.map((index) => hashes[index]!)
  const perRequest = Math.max(1, Math.floor((client.perRequest?.() ?? 2 * asked.length) / 2))
  const parts = asked.length === 0 ? [] : Arr.chunksOf(asked, perRequest)
  // What is on the wire at once is bounded by the client.
  const checked = yield* Effect.forEach(parts, (part) => readWithHeaders(client, calls, part), {
    concurrency: "unbounded",
  })
  checked.flat().forEach((logs, place) => {
    found[empty[place]!] = logs
  })
  return found
})

/** undefined of a block that the node which gives its logs has not shown to have. */
const readWithHeaders = (client: RpcClient, calls: LogCalls, hashes: ReadonlyArray<Hash>) =>
  inOneAnswer(
    hashes,
    Effect.fnUntraced(function* (part: ReadonlyArray<Hash>) {
      const { values, origins } = yield* client.together<unknown>(
        part.flatMap((hash): ReadonlyArray<RpcCall<unknown>> => [headerCall(hash), calls.ofBlock(hash)]),
      )
      const answers = part.map((hash, place) => {
        const [header, told] = values.slice(2 * place, 2 * place + 2) as [SourceHeader | undefined, BlockLogs]
        return header?.hash === hash ? told : undefined
      })
      return { answers, apart: [...part.keys()].filter((place) => origins[2 * place] !== origins[2 * place + 1]) }
    }),
    // It is asked for the header behind the logs too.
    (hash, logs) =>
      Effect.map(client.batch([headerCall(hash)]), ([after]) => (after?.hash === hash ? logs : undefined)),
  )

const isEmpty = (logs: BlockLogs): boolean => Array.isArray(logs) && logs.length === 0

/** Undefined: the node has no such block. */
const headerCall = (hash: Hash): RpcCall<SourceHeader | undefined> => ({
  method: "eth_getBlockByHash",
  params: [hash, false],
  read: (result) => headerOf(result),
})
