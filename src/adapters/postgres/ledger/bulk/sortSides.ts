/** The order of a run: by pair, then as the sides came, which is by block. Sorted as numbers: no comparison is a call. */
import { comparePairs, mostSides, type Sides, samePair, sideWords } from "./sides.ts"

/** Places of the sides, sorted. Good until it is called again. */
export const sortSides = ({ words, count }: Sides): Float64Array => {
  if (buffer.length < count) buffer = new Float64Array(count)
  const order = buffer.subarray(0, count)
  for (let place = 0; place < count; place++) order[place] = (words[place * sideWords]! >>> 0) * mostSides + place
  order.sort()
  for (let at = 0; at < count; at++) order[at] = order[at]! % mostSides
  let start = 0
  for (let at = 1; at <= count; at++) {
    if (at < count && tokenAt(words, order[at]!) === tokenAt(words, order[start]!)) continue
    if (at - start > 1) sortToken(words, order.subarray(start, at))
    start = at
  }
  return order
}
let buffer = new Float64Array(0)

const tokenAt = (words: Int32Array, place: number): number => words[place * sideWords]!

/** By the first word of the address; where others share it, by all of it. */
const sortToken = (words: Int32Array, order: Float64Array): void => {
  const first = (place: number) => words[place * sideWords + 1]! >>> 0
  for (let at = 0; at < order.length; at++) order[at] = first(order[at]!) * mostSides + order[at]!
  order.sort()
  for (let at = 0; at < order.length; at++) order[at] = order[at]! % mostSides
  let start = 0
  let isOne = true
  for (let at = 1; at <= order.length; at++) {
    if (at < order.length && first(order[at]!) === first(order[start]!)) {
      isOne &&= samePair(words, order[at]! * sideWords, words, order[start]! * sideWords)
      continue
    }
    if (!isOne) {
      order.subarray(start, at).sort((a, b) => comparePairs(words, a * sideWords, words, b * sideWords, 2) || a - b)
    }
    start = at
    isOne = true
  }
}
