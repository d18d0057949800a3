/** Quiet blocks near the head: where a range's answer may have ended early, each block is asked by its hash, unless its bloom shows that it holds no logs. */
import { Effect } from "effect"
import { type SourceHeader, SourceUnavailable } from "../../ports/ChainSource.ts"
import type { Log } from "../model/block.ts"
import type { Hash } from "../model/primitives.ts"
import type { Following } from "./following.ts"
import type { Hints } from "./hints.ts"

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
const pause = 300
/** After so many questions in a row with no block settled the range is put off. */
const patience = 8

/** `logs` (those that came for `headers`) and those of `quiet` blocks, in order. Fails where the node will not tell. */
export const readQuiet = Effect.fnUntraced(function* (
  { source, hints }: Following,
  headers: ReadonlyArray<SourceHeader>,
  logs: ReadonlyArray<Log>,
  quiet: ReadonlyArray<SourceHeader>,
  byHash: ByHash,
) {
  hints.telling ||= showLogs(headers, logs)
  const open = new Map(quiet.filter((header) => !isProvenEmpty(hints, header)).map(({ hash }) => [hash, 0]))
  for (const hash of open.keys()) if (byHash.has(hash)) open.delete(hash)
  for (let idle = 0, asked = false; open.size > 0; asked = true) {
    if (asked) yield* Effect.sleep(pause)
    const hashes = [...open.keys()]
    const answers = yield* source.logsOfBlocks(hashes)
    for (const [index, hash] of hashes.entries()) {
      const answer = answers[index]
      if (answer === undefined || (answer.length > 0 && asked)) hints.uneven = true
      if (answer === undefined) continue
      if (answer.length === 0) open.set(hash, open.get(hash)! + 1)
      else {
        byHash.set(hash, answer)
        open.delete(hash)
      }
    }
    const wanted = hints.uneven ? enoughUneven : enough
    for (const [hash, times] of open) if (times >= wanted) open.delete(hash)
    idle = answers.some((answer) => answer !== undefined) ? 0 : idle + 1
    if (idle >= patience) {
      const { number } = quiet.find(({ hash }) => open.has(hash))!
      return yield* new SourceUnavailable({ message: `the node has block ${number}, but not its logs` })
    }
  }
  const found = quiet.flatMap(({ hash }) => byHash.get(hash) ?? [])
  if (found.length === 0) return logs
  return [...logs, ...found].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
})

/** Only of a chain whose blooms have never left out a log; and an empty one only where others have been seen to hold some. */
const isProvenEmpty = (hints: Hints, { bloom }: SourceHeader): boolean =>
  bloom?.excludesLogs() === true && hints.unlisted === 0 && !hints.emptyMeansNothing && (!bloom.empty || hints.telling)

const showLogs = (headers: ReadonlyArray<SourceHeader>, logs: ReadonlyArray<Log>): boolean => {
  const blooms = new Map(headers.map(({ number, bloom }) => [number, bloom]))
  return logs.some((log) => {
    const bloom = blooms.get(log.blockNumber)
    return bloom?.empty === false && bloom.mayHold(log)
  })
}
