/** The logs of blocks by their hashes, with proof that the node has a block of which it gives none. */
import { Effect } from "effect"
import type { Hash } from "../../../model/primitives.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { headerOf } from "../wire/shapes.ts"
import type { LogCalls } from "./logCalls.ts"

/** A node that does not know the block may say so with an empty list: one counts only with the block's header from the same request. */
export const readBlockLogs = Effect.fnUntraced(function* (
  client: RpcClient,
  calls: LogCalls,
  hashes: ReadonlyArray<Hash>,
) {
  const found = [...(yield* client.batch(hashes.map(calls.ofBlock)))]
  const empty = [...hashes.keys()].filter((index) => found[index]?.length === 0)
  const checked = yield* client.batch<unknown>(
    empty.flatMap(
      (index): ReadonlyArray<RpcCall<unknown>> => [
        { method: "eth_getBlockByHash", params: [hashes[index], false], read: (result) => headerOf(result) },
        calls.ofBlock(hashes[index]!),
      ],
    ),
  )
  empty.forEach((index, place) => {
    const [header, logs] = checked.slice(2 * place, 2 * place + 2) as [SourceHeader | undefined, (typeof found)[number]]
    found[index] = header?.hash === hashes[index] ? logs : undefined
  })
  return found
})
