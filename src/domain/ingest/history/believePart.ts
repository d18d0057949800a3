/** Blocks of a history held against the node: the ends of each part, a sample of what cannot be proven, and its own logs of most parts. */
import { Effect, Random } from "effect"
import { listMismatches } from "../verify/blooms.ts"
import { partContradiction, provenBy } from "./compare.ts"
import type { Judged, Judging } from "./judging.ts"
import { judgeProven } from "./proven.ts"
import { judgeByNode, judgeBySample } from "./unproven.ts"

/** Behind what is compared first: one part in so many, which nobody can foresee. */
const everyParts = 16

export const judgePart = Effect.fnUntraced(function* (judging: Judging): Effect.fn.Return<Judged> {
  const { verifier, history, part } = judging
  const { range, headers } = part
  const contradiction = partContradiction(part, range)
  if (contradiction !== undefined) return { wrong: contradiction.message }
  const proven = provenBy(headers, range)
  if (typeof proven === "object") return { wrong: proven.message }
  const logs = part.logs.filter(verifier.isFollowed)
  const blocks = range.to - range.from + 1
  // Of blocks that are left out or in front of the first that is proven, and of logs that no bloom speaks for, nothing is known.
  const isOdd =
    headers.length < blocks || proven === "later" || listMismatches(verifier.traits, headers, logs).length > 0
  // The places of transactions that it leaves out the node tells.
  const isPlaced = logs.every(({ txIndex }) => txIndex !== undefined)
  const isFirst = history.looked < history.firstCompared
  history.looked += Math.max(logs.length, blocks)
  const isDue = isFirst || (yield* Random.next) * everyParts < 1 || isOdd || !isPlaced
  const weighed = { ...judging, told: new Map(headers.map((header) => [header.number, header])), logs, isDue }
  if (proven === "whole") return yield* judgeProven(weighed)
  return yield* isDue ? judgeByNode(weighed) : judgeBySample(weighed)
})
