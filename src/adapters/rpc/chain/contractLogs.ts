/** A contract's own logs of a range, of every node: others than the one in use first. One that takes shorter ranges is asked in pieces, one that fails is named. */
import { Effect, Result } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Address } from "../../../model/primitives.ts"
import {
  type ChainSourceClient,
  type ContractLogs,
  RangeRefused,
  type SourceUnavailable,
} from "../../../ports/ChainSource.ts"
import type { RpcClient } from "../transport/client.ts"
import type { ChainClients } from "../transport/RpcClients.ts"
import type { HeaderCalls } from "./headerCalls.ts"
import { logCallsOf } from "./logCalls.ts"
import { rangeLogsOf } from "./rangeLogs.ts"

/** Of one range, to a node that takes less than another does. */
const mostPieces = 32

type Read = ChainSourceClient["logs"]

export const contractLogsOf = (
  { client, each }: Pick<ChainClients, "client" | "each">,
  headers: HeaderCalls,
  signatures: ReadonlyArray<string>,
): NonNullable<ChainSourceClient["contractLogs"]> => {
  const readerOf = (node: RpcClient, address: Address): Read =>
    rangeLogsOf({
      ...{ client: node, other: () => undefined, headers, logs: logCallsOf(signatures, [address]) },
      noteTeller: () => {},
    })
  return Effect.fnUntraced(function* (address, from, to) {
    const after = client.current() + 1
    const nodes = each.length > 1 ? [...each.slice(after), ...each.slice(0, after)] : [client]
    const reads = nodes.map((node) => readerOf(node, address))
    const whole = yield* Effect.forEach(reads, (read) => Effect.result(read(from, to)), { concurrency: "unbounded" })
    if (!whole.some(Result.isSuccess)) {
      const failures = whole.flatMap((it) => (Result.isFailure(it) ? [it.failure] : []))
      return yield* failures.find(({ _tag }) => _tag === "RangeRefused") ?? failures[0]!
    }
    const answers: Array<ContractLogs["answers"][number]> = []
    const silent: Array<ContractLogs["silent"][number]> = []
    for (const [place, { label }] of nodes.entries()) {
      const found = whole[place]!
      const isRefused = Result.isFailure(found) && found.failure._tag === "RangeRefused"
      const told = isRefused ? yield* Effect.result(readPieces(reads[place]!, from, to, found.failure)) : found
      if (Result.isSuccess(told)) answers.push({ node: label, logs: told.success })
      // It would give them of fewer blocks.
      else if (told.failure._tag === "RangeRefused" && told.failure.suggestedTo !== undefined) {
        return yield* told.failure
      } else silent.push({ node: label, why: told.failure.message })
    }
    return { answers, silent } satisfies ContractLogs as ContractLogs
  })
}

/** Fails with how far it came where that is not the end; without, where it gives nothing. */
const readPieces = Effect.fnUntraced(function* (
  read: Read,
  from: number,
  to: number,
  refused: RangeRefused,
): Effect.fn.Return<ReadonlyArray<Log>, RangeRefused | SourceUnavailable> {
  const logs: Array<Log> = []
  const shorter = (blocks: number, next: number, suggestedTo = Number.NaN): number => {
    const suggested = suggestedTo - next + 1
    return suggested >= 1 && suggested < blocks ? suggested : Math.floor(blocks / 2)
  }
  let next = from
  let blocks = shorter(to - from + 1, from, refused.suggestedTo)
  let why = refused.message
  for (let asked = 0; next <= to; asked++) {
    if (blocks < 1) return yield* new RangeRefused({ message: why })
    if (asked === mostPieces) {
      return yield* new RangeRefused({ message: why, ...(next > from ? { suggestedTo: next - 1 } : {}) })
    }
    const end = Math.min(to, next + blocks - 1)
    const found = yield* Effect.result(read(next, end))
    if (Result.isSuccess(found)) {
      for (const log of found.success) logs.push(log)
      next = end + 1
    } else if (found.failure._tag === "RangeRefused") {
      why = found.failure.message
      blocks = shorter(end - next + 1, next, found.failure.suggestedTo)
    } else return yield* found.failure
  }
  return logs
})
