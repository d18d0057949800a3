/** Quiet blocks near the head: where a range's answer may have ended early, each block is asked by its hash, unless its bloom shows that it holds no logs. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Hash } from "../../../model/primitives.ts"
import { type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { Following } from "../state.ts"
import type { Hints } from "./bloomCheck.ts"

/**
 * Blocks below the head where the logs of a range may end before its headers do: a node that is behind another one at
 * the same address, or whose index of logs is behind its blocks, answers with the logs it has, and says nothing of it.
 * Such an answer is whole up to its last log and proves nothing beyond. Hours of most chains, half an hour of the
 * fastest; it costs so many headers once a catch-up.
 */
export const nearHead = 8192

/** What was learned by asking by hash, and holds logs: such an answer can only be of that block, and stays true. */
export type ByHash = Map<Hash, ReadonlyArray<Log>>

/** So often a block must be said to hold nothing; more often where some nodes have been seen to be behind. */
const enough = 2
const enoughUneven = 6
/** Milliseconds between two questions about the same blocks. */
const pause = 150
/** After so many questions in a row that were not answered for any block they are put off. */
const patience = 4

/** `logs` (those that came for `headers`) and those of `quiet` blocks, in order. Fails where the node will not tell. */
export const readQuiet = Effect.fnUntraced(function* (
  following: Following,
  headers: ReadonlyArray<SourceHeader>,
  logs: ReadonlyArray<Log>,
  quiet: ReadonlyArray<SourceHeader>,
  byHash: ByHash,
) {
  learnTelling(following.hints, headers, logs)
  const doubtful = quiet.filter((header) => !isProvenEmpty(following.hints, header))
  const settled = yield* askByHash(following, doubtful, byHash)
  if (settled < doubtful.length) return yield* noLogsOf(doubtful[settled]!)
  const found = quiet.flatMap(({ hash }) => byHash.get(hash) ?? [])
  if (found.length === 0) return logs
  return [...logs, ...found].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
})

/** All that is known where a node shows a block and has no logs of its hash. */
export const noLogsOf = ({ number }: SourceHeader) =>
  new SourceUnavailable({
    kind: "behind",
    message: `the node gave block ${number}, but no answer to its hash: it is behind, or the block was replaced`,
  })

/**
 * Asks for the logs of these blocks until it is settled what each holds: into `byHash` go those that hold some. Gives
 * how many of the first are settled, which are fewer than asked for where the node does not tell.
 */
export const askByHash = Effect.fnUntraced(function* (
  { source, hints }: Following,
  headers: ReadonlyArray<SourceHeader>,
  byHash: ByHash,
) {
  /** How often each block that is not settled was said to be empty. */
  const open = new Map(headers.filter(({ hash }) => !byHash.has(hash)).map((header) => [header, 0]))
  let idle = 0
  for (let asked = 0; open.size > 0 && idle < patience; asked++) {
    if (asked > 0) yield* Effect.sleep(pause)
    const blocks = [...open.keys()]
    const answers = yield* source.logsOfBlocks(blocks.map(({ hash }) => hash))
    idle++
    for (const [index, header] of blocks.entries()) {
      const logs = answers[index]
      // Also where the node answers with logs of another block than it was asked for.
      const isAnswer = logs?.every((log) => log.blockNumber === header.number && log.blockHash === header.hash)
      if (logs === undefined || !isAnswer || (logs.length > 0 && asked > 0)) hints.uneven = true
      if (logs === undefined || !isAnswer) continue
      idle = 0
      if (logs.length === 0) open.set(header, open.get(header)! + 1)
      else {
        byHash.set(header.hash, logs)
        open.delete(header)
      }
    }
    for (const [header, times] of open) if (times >= wantedOf(hints, header)) open.delete(header)
  }
  const unsettled = headers.findIndex((header) => open.has(header))
  return unsettled === -1 ? headers.length : unsettled
})

const wantedOf = (hints: Hints, header: SourceHeader): number =>
  isProvenEmpty(hints, header) ? 1 : hints.uneven ? enoughUneven : enough

/** Only of a chain whose blooms have never left out a log; and an empty one only where others have been seen to hold some. */
export const isProvenEmpty = (hints: Hints, { bloom }: SourceHeader): boolean =>
  bloom?.excludesLogs() === true && hints.unlisted === 0 && !hints.emptyMeansNothing && (!bloom.empty || hints.telling)

/** Whether a bloom of these blocks shows a log that is in its block. */
export const learnTelling = (hints: Hints, headers: ReadonlyArray<SourceHeader>, logs: ReadonlyArray<Log>): void => {
  if (hints.telling) return
  const blooms = new Map(headers.map(({ number, bloom }) => [number, bloom]))
  hints.telling = logs.some((log) => {
    const bloom = blooms.get(log.blockNumber)
    return bloom?.empty === false && bloom.mayHold(log)
  })
}
