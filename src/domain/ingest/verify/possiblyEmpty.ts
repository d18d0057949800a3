/** Possibly-empty blocks near the head: where a range's answer may have ended early, each block is asked by its hash, unless its bloom shows that it holds no logs. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import { isProvenEmpty, learnReliable } from "./blooms.ts"
import { type LogsByHash, notAnswered, settleByHash } from "./byHash.ts"
import type { Verifier } from "./verifier.ts"

/**
 * Blocks below the head where the logs of a range may end before its headers do: a node that is behind another one at
 * the same address, or whose index of logs is behind its blocks, answers with the logs it has, and says nothing of it.
 * Such an answer is whole up to its last log and proves nothing beyond. Hours of most chains, half an hour of the
 * fastest; it costs so many headers once a catch-up.
 */
export const nearHeadBlocks = 8192

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
