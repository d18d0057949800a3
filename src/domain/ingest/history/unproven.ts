/** A part for whose headers nobody speaks but the node: compared with all that the node is believed, or some of its headers. */
import { Effect } from "effect"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { HistoryHeader } from "../../../ports/HistorySource.ts"
import { listMismatches } from "../verify/blooms.ts"
import { allHeaders } from "../verify/headers.ts"
import { numbersBetween } from "../verify/rangeAnswers.ts"
import { placed } from "./compare.ts"
import { bySample, differenceOf, type Judged, settle, someMismatches, someOf, timeIn, type Weighed } from "./judging.ts"

/** Of headers of blocks with logs the node is asked about one in so many, and about so many at least; and about as many without. */
const everyHeaders = 16
const fewestHeaders = 4

/** What the node tells is believed first, by its own headers and blooms: what both leave out those show. `headers`: whose blooms say where to look. */
export const judgeByNode = Effect.fnUntraced(function* (
  weighed: Weighed,
  headers: ReadonlyArray<HistoryHeader | SourceHeader> = weighed.part.headers,
): Effect.fn.Return<Judged> {
  const { verifier, part, told, logs, believe } = weighed
  const read = new Map<number, SourceHeader>()
  // Blooms of a history prove nothing, and say where to look.
  const mismatches = yield* someMismatches(weighed, headers)
  const believed = yield* believe(part.range, {
    alsoRead: mismatches.map(({ header }) => header.number),
    heard: (headers) => {
      // What was read for an answer that was refused says nothing.
      if (headers[0]!.number === part.range.from) read.clear()
      for (const header of headers) read.set(header.number, header)
    },
  })
  const other = differenceOf(told, read.values())
  if (other !== undefined) return { wrong: other }
  const settled = yield* settle(verifier, logs, believed.logs.filter(verifier.isFollowed))
  if ("denied" in settled) return settled
  // Receipts may have proven logs of blocks in which the node told none.
  const open = new Set(logs.map(({ blockNumber }) => blockNumber).filter((number) => !read.has(number)))
  const wrong = differenceOf(told, yield* allHeaders(verifier, [...open]))
  if (wrong !== undefined) return { wrong }
  const own = placed(logs, [...believed.logs, ...settled.proven])
  return { believed: { ...believed, logs: own, timeOf: timeIn(told) }, isCompared: true }
})

/** Some of its headers, with VERIFY=full all, are held against the node's, and its logs against the blooms of those. */
export const judgeBySample = Effect.fnUntraced(function* (weighed: Weighed): Effect.fn.Return<Judged> {
  const { verifier, part, told, logs, everyHeader } = weighed
  const { from, to } = part.range
  const sample = everyHeader ? numbersBetween(from, to) : [from, ...(yield* sampleOf(weighed)), to]
  const headers = yield* allHeaders(
    verifier,
    [...new Set(sample)].sort((a, b) => a - b),
  )
  const other = differenceOf(told, headers)
  if (other !== undefined) return { wrong: other }
  if (listMismatches(verifier.traits, headers, logs).length > 0) return yield* judgeByNode(weighed, headers)
  return yield* bySample(weighed, headers)
})

/** Of blocks with logs, and of those that seem to have none. */
const sampleOf = Effect.fnUntraced(function* ({ part, logs }: Weighed) {
  const numbers = new Set(logs.map(({ blockNumber }) => blockNumber))
  const empty = part.headers.flatMap(({ number }) => (numbers.has(number) ? [] : [number]))
  const wanted = Math.max(fewestHeaders, Math.ceil(numbers.size / everyHeaders))
  return [...(yield* someOf([...numbers], wanted)), ...(yield* someOf(empty, wanted))]
})
