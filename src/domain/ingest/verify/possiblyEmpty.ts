/** Possibly-empty blocks near the head: where a range's answer may have ended early, each block is asked by its hash, unless its bloom shows that it holds no logs. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { isProvenEmpty, learnReliable } from "./blooms.ts"
import { type LogsByHash, notAnswered, settleByHash } from "./byHash.ts"
import { blocksApart, findHeaders } from "./headers.ts"
import { fewestNearHead, type Verifier } from "./verifier.ts"

/** An index of logs is behind by a time, however many blocks that is. */
const nearHeadSeconds = 1800

/**
 * How many blocks are near the head, by the times of two that nodes have which are a little behind. Fails where the newer one
 * is lacking. Of a node that does not keep the older one a nearer one tells; where it keeps not even that, all that it has is
 * near the head as it is.
 */
export const learnPace = Effect.fnUntraced(function* (verifier: Verifier, head: number) {
  if (head < fewestNearHead) return
  const apart = Math.max(...blocksApart)
  const to = head - apart
  // Many chains' first block has no time of its own.
  const [far, near] = [Math.max(1, to - fewestNearHead), to - apart]
  const found = yield* findHeaders(verifier, [far, near, to])
  const [first, last] = [found.get(far) ?? found.get(near), found.get(to)]
  if (last === undefined)
    return yield* new SourceUnavailable({ kind: "behind", message: `the node has no block ${to}` })
  if (first === undefined) return
  const seconds = Math.max(1, last.time - first.time)
  const blocks = Math.ceil(((last.number - first.number) * nearHeadSeconds) / seconds)
  verifier.traits.nearHeadBlocks = Math.max(fewestNearHead, blocks)
})

interface Part {
  readonly headers: ReadonlyArray<SourceHeader>
  /** All that came for them. */
  readonly logs: ReadonlyArray<Log>
  /** Those of the headers that come after the last log of their answer. */
  readonly possiblyEmpty: ReadonlyArray<SourceHeader>
}

/** The logs with those of the possibly-empty blocks, in order. Fails where the node will not tell. */
export const withPossiblyEmpty = Effect.fnUntraced(function* (
  verifier: Verifier,
  { headers, logs, possiblyEmpty }: Part,
  known: LogsByHash,
) {
  const { traits } = verifier
  learnReliable(traits, headers, logs)
  const open = possiblyEmpty.filter((header) => !isProvenEmpty(traits, header))
  const settled = yield* settleByHash(verifier, open, known)
  if (settled < open.length) return yield* notAnswered(open[settled]!)
  const found = possiblyEmpty.flatMap(({ hash }) => known.get(hash) ?? [])
  if (found.length === 0) return logs
  return [...logs, ...found].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
})
