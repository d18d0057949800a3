/** The logs of blocks by their hashes, with proof that the node has a block of which it gives none. */
import { Array as Arr, Effect } from "effect"
import type { Hash } from "../../../model/primitives.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { inOneAnswer } from "../transport/oneAnswer.ts"
import { headerOf } from "../wire/shapes.ts"
import { joinBlock } from "./joinedLogs.ts"
import type { BlockTold, LogCalls } from "./logCalls.ts"

/** A node that does not know the block may say so with an empty list: one counts only with the block's header from the same answer. */
export const readBlockLogs = Effect.fnUntraced(function* (
  client: RpcClient,
  calls: LogCalls,
  hashes: ReadonlyArray<Hash>,
) {
  const asks = hashes.map(calls.ofBlock)
  const told = yield* client.batch(asks.flat())
  const perBlock = asks[0]?.length ?? 1
  const parts = hashes.map((_, index) => told.slice(index * perBlock, (index + 1) * perBlock))
  const found = parts.map(joinBlock)
  const empty = [...hashes.keys()].filter((index) => Array.isArray(found[index]) && parts[index]!.some(isEmpty))
  const asked = empty.map((index) => hashes[index]!)
  const perProof = 1 + perBlock
  const perRequest = Math.max(1, Math.floor((client.perRequest?.() ?? perProof * asked.length) / perProof))
  const requests = asked.length === 0 ? [] : Arr.chunksOf(asked, perRequest)
  // What is on the wire at once is bounded by the client.
  const checked = yield* Effect.forEach(requests, (part) => readWithHeaders(client, calls, part), {
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
      const asks = part.map((hash): ReadonlyArray<RpcCall<unknown>> => [headerCall(hash), ...calls.ofBlock(hash)])
      const { values, origins } = yield* client.together<unknown>(asks.flat())
      const width = asks[0]!.length
      const ofPlace = <Value>(all: ReadonlyArray<Value>, place: number) => all.slice(width * place, width * (place + 1))
      const answers = part.map((hash, place) => {
        const [header, ...told] = ofPlace(values, place) as [SourceHeader | undefined, ...Array<BlockTold>]
        return header?.hash === hash ? joinBlock(told) : undefined
      })
      const isApart = (place: number) => new Set(ofPlace(origins, place)).size > 1
      return { answers, apart: [...part.keys()].filter(isApart) }
    }),
    // It is asked for the header behind the logs too.
    (hash, logs) =>
      Effect.map(client.batch([headerCall(hash)]), ([after]) => (after?.hash === hash ? logs : undefined)),
  )

const isEmpty = (logs: BlockTold): boolean => Array.isArray(logs) && logs.length === 0

/** Undefined: the node has no such block. */
const headerCall = (hash: Hash): RpcCall<SourceHeader | undefined> => ({
  method: "eth_getBlockByHash",
  params: [hash, false],
  read: (result) => headerOf(result),
})
