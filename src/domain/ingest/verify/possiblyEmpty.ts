/** Possibly-empty blocks near the head: where a range's answer may have ended early, each block is asked by its hash, unless its bloom shows that it holds no logs. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import { isProvenEmpty, learnReliable } from "./blooms.ts"
import { type LogsByHash, notAnswered, settleByHash } from "./byHash.ts"
import { findHeaders } from "./headers.ts"
import { fewestNearHead, type Verifier } from "./verifier.ts"

/** An index of logs is behind by a time, however many blocks that is. */
const nearHeadSeconds = 1800

/** How many blocks are near the head, by the times of the newest. What is known already stays where the node has not got both blocks. */
export const learnPace = Effect.fnUntraced(function* (verifier: Verifier, head: number) {
  const below = head - fewestNearHead
  if (below < 0) return
  const found = yield* findHeaders(verifier, [below, head])
  const [first, last] = [found.get(below), found.get(head)]
  if (first === undefined || last === undefined) return
  const seconds = Math.max(1, last.time - first.time)
  verifier.traits.nearHeadBlocks = Math.max(fewestNearHead, Math.ceil((fewestNearHead * nearHeadSeconds) / seconds))
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
