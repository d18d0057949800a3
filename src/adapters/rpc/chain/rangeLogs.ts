/** The logs of a range, with proof that the node that gives them has reached its end. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { type Backoff, sleepBackoff } from "../../../model/time/backoff.ts"
import {
  type ChainSourceClient,
  RangeRefused,
  type SourceHeader,
  SourceUnavailable,
} from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import type { HeaderCalls } from "./headerCalls.ts"
import { isLogs, joinRange } from "./joinedLogs.ts"
import { type LogCalls, type RangeTold, Unwilling } from "./logCalls.ts"
import { allLogsOf, Misnumbered } from "./logs.ts"
import type { Recover } from "./misnumbered.ts"

export interface RangeOptions {
  readonly client: RpcClient
  /** Another node than the one at this place; absent where there is none. */
  readonly other: (place: number) => RpcClient | undefined
  readonly headers: HeaderCalls
  readonly logs: LogCalls
  /** The logs of a block whose order an answer does not tell; absent = such an answer is none. */
  readonly recover?: Recover
  /** Told of each answer and the place of the node that gave it. */
  readonly noteTeller: (logs: ReadonlyArray<Log>, node: number) => void
}

export const rangeLogsOf = ({
  client,
  other,
  headers,
  logs: calls,
  recover,
  noteTeller,
}: RangeOptions): ChainSourceClient["logs"] => {
  /**
   * Asked apart, header and logs may be of two nodes behind one address, of which one is behind: its logs end early. So
   * the header is asked again, and what came after the last log: of another node, where there is one.
   */
  const checkApart = Effect.fnUntraced(function* (before: SourceHeader, fromBlock: number, parts: ReadonlyArray<Part>) {
    const [after] = yield* client.batch([headers.ofNumber(before.number)])
    if (after?.hash !== before.hash) return yield* noBlock(before.number)
    for (const [place, { told, teller }] of parts.entries()) {
      const next = allLogsOf(told).reduce((highest, log) => Math.max(highest, log.blockNumber), fromBlock - 1) + 1
      if (next > before.number) continue
      const call = calls.ofRange(next, before.number)[place]!
      const [more] = yield* Effect.catch((other(teller) ?? client).batch([call]), () => client.batch([call]))
      if (more === undefined || more instanceof RangeRefused || more instanceof Unwilling) continue
      const found = allLogsOf(more)
      if (found.length === 0) continue
      return yield* new SourceUnavailable({
        kind: "logs",
        message: `eth_getLogs: blocks ${next} to ${before.number} were said to hold no token logs, then ${found.length}`,
      })
    }
  })

  const inOrder = Effect.fnUntraced(function* ({ logs, blocks }: Misnumbered) {
    if (recover === undefined) {
      return yield* new SourceUnavailable({ kind: "order", message: `eth_getLogs: ${blocks[0]!.why}` })
    }
    const parts = yield* Effect.forEach(
      blocks,
      (block) =>
        Effect.flatMap(recover(block), (found) =>
          found === undefined ? noBlock(block.number) : Effect.succeed(found),
        ),
      { concurrency: blocksAtOnce },
    )
    return [...logs, ...parts.flat()].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
  })

  // The range's last header travels in the same request, ahead of the logs: a node that has not reached it yet
  // would answer with the logs it has, and nobody would notice.
  return Effect.fnUntraced(function* (fromBlock, toBlock) {
    const asks = calls.ofRange(fromBlock, toBlock)
    const last: RpcCall<SourceHeader | RangeRefused | undefined> = {
      ...headers.ofNumber(toBlock),
      readFault: (fault) => {
        const { value } = asks[0]!.readFault?.(fault) ?? {}
        return value instanceof RangeRefused ? { value } : undefined
      },
    }
    const { values, whole, tellers } = yield* client.together<unknown>([last, ...asks])
    const [header, ...parts] = values as [SourceHeader | RangeRefused | undefined, ...Array<RangeTold>]
    const logs = joinRange(parts)
    if (logs instanceof RangeRefused) return yield* logs
    if (header instanceof RangeRefused) return yield* header
    if (header === undefined) return yield* noBlock(toBlock)
    if (logs instanceof Unwilling) {
      if (logs.isAtOnce) yield* sleepBackoff(secondsLimit, 0)
      return yield* new RangeRefused({ message: logs.message })
    }
    if (logs instanceof SourceUnavailable) return yield* logs
    const told = logs instanceof Misnumbered ? yield* inOrder(logs) : logs
    if (!whole) {
      const apart = parts.flatMap((part, place) => (isLogs(part) ? [{ told: part, teller: tellers[place + 1]! }] : []))
      yield* checkApart(header, fromBlock, apart)
    }
    const teller = tellers[1]!
    if (tellers.every((one, place) => place === 0 || one === teller)) noteTeller(told, teller)
    return told
  })
}

/** What one call told, and the place of the node that did. */
interface Part {
  readonly told: ReadonlyArray<Log> | Misnumbered
  readonly teller: number
}

/** Of one answer, whose receipts are read. */
const blocksAtOnce = 4
/** Words that nobody knows may be those of a limit by the second: it has passed before the range is halved once more. */
const secondsLimit: Backoff = { firstMs: 1000, capMs: 1000 }

const noBlock = (number: number) =>
  new SourceUnavailable({ kind: "behind", message: `eth_getBlockByNumber: the node has no block ${number} yet` })
