/** Which headers of a range are read: of its ends, of blocks with logs, and of some without, whose blooms may know better. Nobody can foresee which. */
import { Effect, Random } from "effect"
import type { Log } from "../../../model/block.ts"
import type { BlockRange, RangeAnswer } from "./rangeAnswers.ts"

/** Of a range without logs: a node that has thrown its old logs away gives such. */
const probesOfEmpty = 16
/** Of one of which logs were denied before. */
const probesOfDenied = 256
/** Of other ranges such a share of the headers that are read anyway, and so many of a stretch without logs that is long for it. */
const probedShare = 0.02
const probesOfStretch = 2
/** So many times the usual distance of two blocks with logs. */
const longStretch = 8

interface Wanted {
  readonly hasBlooms: boolean
  readonly denied: Iterable<number>
  readonly alsoRead?: ReadonlyArray<number>
}

/** Ascending. `denied`: blocks whose logs were denied. `alsoRead`: such as somebody else wants to be read. */
export const numbersToRead = Effect.fnUntraced(function* (
  { from, to }: BlockRange,
  { logs, possiblyEmpty }: RangeAnswer,
  { hasBlooms, denied, alsoRead = [] }: Wanted,
) {
  const numbers = new Set([from, ...logs.map(({ blockNumber }) => blockNumber), to])
  const share = hasBlooms ? Math.floor(numbers.size * probedShare + (yield* Random.next)) : 0
  const stretch = hasBlooms ? longestStretch({ from, to }, logs) : undefined
  for (const number of [...possiblyEmpty, ...alsoRead]) numbers.add(number)
  const known = [...denied]
  for (const number of known) numbers.add(number)
  const probes = known.length > 0 ? probesOfDenied : logs.length === 0 ? probesOfEmpty : share
  const places = [
    ...(yield* placesIn({ from, to }, probes)),
    ...(stretch === undefined ? [] : yield* placesIn(stretch, probesOfStretch)),
  ]
  for (const number of places) numbers.add(number)
  return [...numbers].sort((a, b) => a - b)
})

/** One in each of so many equal parts. */
const placesIn = Effect.fnUntraced(function* ({ from, to }: BlockRange, count: number) {
  const places: Array<number> = []
  for (let part = 0; part < count; part++) {
    places.push(from + Math.floor(((to - from + 1) * (part + (yield* Random.next))) / count))
  }
  return places
})

/** The longest run of blocks without logs, where it is long for this range. */
const longestStretch = ({ from, to }: BlockRange, logs: ReadonlyArray<Log>): BlockRange | undefined => {
  let longest = { from, to: from - 1 }
  let [last, blocks] = [from - 1, 0]
  const end = (next: number) => {
    if (next - last > longest.to - longest.from + 2) longest = { from: last + 1, to: next - 1 }
  }
  for (let index = 0; index < logs.length; index++) {
    const { blockNumber } = logs[index]!
    if (blockNumber === last) continue
    end(blockNumber)
    last = blockNumber
    blocks++
  }
  end(to + 1)
  const isLong = longest.to - longest.from + 1 > (longStretch * (to - from + 1)) / (blocks + 1)
  return blocks > 1 && isLong ? longest : undefined
}
