/** Blocks asked for their logs by hash, until it is settled what each holds: a node that is behind answers too. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Hash } from "../../../model/primitives.ts"
import { type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { isProvenEmpty } from "./blooms.ts"
import { type ChainTraits, mayLag, type Verifier } from "./verifier.ts"

/** What was learned by asking by hash, and holds logs: such an answer can only be of that block, and stays true. */
export type LogsByHash = Map<Hash, ReadonlyArray<Log>>

/** So often a block must be said to hold nothing; more often where some nodes were seen to be behind of late. */
const enoughTimes = 2
const enoughTimesWhereNodesLag = 6
/** Between two questions about the same blocks. */
const pauseMs = 150
/** After so many questions in a row that were not answered for any block they are left for later. */
const mostUnanswered = 4

/**
 * Asks for the logs of these blocks until it is settled what each holds: into `known` go those that hold some. Gives
 * how many of the first are settled, which are fewer than asked for where the node does not tell.
 */
export const settleByHash = Effect.fnUntraced(function* (
  { node, traits }: Verifier,
  headers: ReadonlyArray<SourceHeader>,
  known: LogsByHash,
) {
  /** How often each block that is not settled was said to be empty. */
  const open = new Map(headers.filter(({ hash }) => !known.has(hash)).map((header) => [header, 0]))
  let unanswered = 0
  for (let asked = 0; open.size > 0 && unanswered < mostUnanswered; asked++) {
    if (asked > 0) yield* Effect.sleep(pauseMs)
    const blocks = [...open.keys()]
    const answers = yield* node.logsOfBlocks(blocks.map(({ hash }) => hash))
    unanswered++
    for (const [index, header] of blocks.entries()) {
      const logs = answers[index]
      // Also where the node answers with logs of another block than it was asked for.
      const isAnswer = logs?.every((log) => log.blockNumber === header.number && log.blockHash === header.hash)
      if (logs === undefined || !isAnswer || (logs.length > 0 && asked > 0)) traits.settledSinceLag = 0
      if (logs === undefined || !isAnswer) continue
      unanswered = 0
      if (logs.length === 0) open.set(header, open.get(header)! + 1)
      else {
        known.set(header.hash, logs)
        open.delete(header)
      }
    }
    for (const [header, times] of open) if (times >= timesWanted(traits, header)) open.delete(header)
  }
  const unsettled = headers.findIndex((header) => open.has(header))
  return unsettled === -1 ? headers.length : unsettled
})

const timesWanted = (traits: ChainTraits, header: SourceHeader): number =>
  isProvenEmpty(traits, header) ? 1 : mayLag(traits) ? enoughTimesWhereNodesLag : enoughTimes

/** All that is known where a node shows a block and has no logs of its hash. */
export const notAnswered = ({ number }: SourceHeader) =>
  new SourceUnavailable({
    kind: "behind",
    message: `the node gave block ${number}, but no answer to its hash: it is behind, or the block was replaced`,
  })
