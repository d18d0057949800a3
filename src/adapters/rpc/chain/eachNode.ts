/** A chain's nodes one by one: who told which answer of a range, and the same range asked of one of them. */
import { Effect, Option } from "effect"
import type { Log } from "../../../model/block.ts"
import { RangeRefused, type SourceHeader, type SourceNodes, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { ChainClients } from "../transport/RpcClients.ts"
import { readBlockLogs } from "./blockLogs.ts"
import type { HeaderCalls } from "./headerCalls.ts"
import { joinRange } from "./joinedLogs.ts"
import { type LogCalls, type RangeTold, Unwilling } from "./logCalls.ts"
import { Misnumbered } from "./logs.ts"

interface EachNode extends SourceNodes {
  readonly noteTeller: (logs: ReadonlyArray<Log>, node: number) => void
}

/** `headers`, `logs`: the calls as they are made for nobody's status, for a node that does not answer is passed over. */
export const eachNodeOf = (
  { client, each }: Pick<ChainClients, "client" | "each">,
  { headers, logs: calls }: { readonly headers: HeaderCalls; readonly logs: LogCalls },
): EachNode => {
  const tellers = new WeakMap<ReadonlyArray<Log>, number>()
  return {
    labels: each.map(({ label }) => label),
    current: client.current,
    noteTeller: (logs, node) => void tellers.set(logs, node),
    tellerOf: (logs) => tellers.get(logs),
    logsOfBlock: (node, hash) =>
      Effect.map(Effect.option(readBlockLogs(each[node]!, calls, [hash])), (found) => {
        const logs = Option.getOrUndefined(found)?.[0]
        return logs === "refused" || logs instanceof Misnumbered ? undefined : logs
      }),
    logs: (node, fromBlock, toBlock) => {
      const wanted: ReadonlyArray<RpcCall<unknown>> = [headers.ofNumber(toBlock), ...calls.ofRange(fromBlock, toBlock)]
      return Effect.option(each[node]!.together(wanted)).pipe(
        Effect.map((answer) => {
          if (answer._tag === "None") return undefined
          const [head, ...told] = answer.value.values as [SourceHeader | undefined, ...Array<RangeTold>]
          const logs = joinRange(told)
          if (logs instanceof RangeRefused) return logs
          if (logs instanceof Unwilling) return new RangeRefused({ message: logs.message })
          // Of a node that has not the range's end, or not in the same answer, the logs may end early.
          if (head === undefined || !answer.value.whole || logs instanceof Misnumbered) return undefined
          if (logs instanceof SourceUnavailable) return undefined
          return { head, logs }
        }),
      )
    },
  }
}
