/** A part whose last header proves all others: the ends are held against the node, the logs against its own, and against the blooms. */
import { Effect } from "effect"
import { untilAnswered } from "../status/retry.ts"
import { checkBlooms } from "../verify/bloomCheck.ts"
import { allHeaders } from "../verify/headers.ts"
import { placed } from "./compare.ts"
import { bySample, differenceOf, type Judged, settle, someMismatches, type Weighed } from "./judging.ts"

export const judgeProven = Effect.fnUntraced(function* (weighed: Weighed): Effect.fn.Return<Judged> {
  const { verifier, part, told, ask, isDue } = weighed
  const { range, headers } = part
  const ends = yield* allHeaders(verifier, [...new Set([range.from, range.to])])
  const wrongEnd = differenceOf(told, ends)
  if (wrongEnd !== undefined) return { wrong: wrongEnd }
  if (!isDue) return yield* bySample(weighed, headers)
  const others = (yield* ask(range)).logs.filter(verifier.isFollowed)
  const settled = yield* settle(verifier, weighed.logs, others)
  if ("denied" in settled) return settled
  const compared = { ...weighed, logs: placed(weighed.logs, [...others, ...settled.proven]) }
  return (yield* denyByBlooms(compared)) ?? (yield* bySample(compared, headers))
})

/** What both tell may lack the same: their agreement says nothing of what the blooms, which are proven, deny. It is asked about as if a node alone had told it. */
const denyByBlooms = Effect.fnUntraced(function* (weighed: Weighed) {
  const { verifier, part, logs } = weighed
  const mismatches = yield* someMismatches(weighed, part.headers)
  const headers = mismatches.map(({ header }) => header)
  const rejection = yield* untilAnswered(verifier.report, checkBlooms(verifier, headers, logs))
  if (rejection === undefined) return undefined
  const { header, why, denied = [header] } = rejection
  const alsoRead = denied.map(({ number }) => number)
  return { denied: `block ${header.number}: ${why}`, findings: [], alsoRead } satisfies Judged as Judged
})
