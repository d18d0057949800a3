/** The order of a run: by pair, then as the sides came, which is by block. Digit by digit, the last one first: sides are compared where addresses of a token begin alike, and nowhere else. */
import { comparePairs, type Sides, samePair, sideWords } from "./sides.ts"

/** An entry: a side's place, the first word of its address, and its token's. */
const entryWords = 3
const digitBits = 11
const digits = 2 ** digitBits
const lastDigit = digits - 1
/** From the last digit to the first: the word of an entry, and how far it is shifted. */
const sortedBy = [1, 2].flatMap((word) => [0, digitBits, 2 * digitBits].map((shift) => ({ word, shift })))

/** Places of the sides, sorted. Good until these sides are sorted again: a run goes out while other chains' are sorted. */
export const sortSides = (sides: Sides): Int32Array => {
  const { words, count } = sides
  const length = count * entryWords
  if (sides.room[0].length < length) sides.room = [new Int32Array(length), new Int32Array(length)]
  let [entries, others] = sides.room
  for (let place = 0, at = 0; place < count; place++, at += entryWords) {
    entries[at] = place
    entries[at + 1] = words[place * sideWords + 1]!
    entries[at + 2] = words[place * sideWords]!
  }
  for (const { word, shift } of sortedBy)
    if (sortDigit(entries, others, length, word, shift)) [entries, others] = [others, entries]
  for (let place = 0; place < count; place++) entries[place] = entries[place * entryWords]!
  const order = entries.subarray(0, count)
  sortAlike(words, order)
  return order
}

/** Into `others`; those of one digit stay in their order. False = all have the same, and nothing is done. */
const sortDigit = (entries: Int32Array, others: Int32Array, length: number, word: number, shift: number): boolean => {
  const ends = new Int32Array(digits)
  for (let at = word; at < length; at += entryWords) ends[(entries[at]! >>> shift) & lastDigit]! += entryWords
  if (length === 0 || ends[(entries[word]! >>> shift) & lastDigit] === length) return false
  for (let digit = 0, sum = 0; digit < digits; digit++) {
    const size = ends[digit]!
    ends[digit] = sum
    sum += size
  }
  for (let at = 0; at < length; at += entryWords) {
    const digit = (entries[at + word]! >>> shift) & lastDigit
    const to = ends[digit]!
    ends[digit] = to + entryWords
    others[to] = entries[at]!
    others[to + 1] = entries[at + 1]!
    others[to + 2] = entries[at + 2]!
  }
  return true
}

/** Addresses of a token that begin alike are mostly one. */
const sortAlike = (words: Int32Array, order: Int32Array): void => {
  let start = 0
  let isOne = true
  for (let at = 1; at <= order.length; at++) {
    const from = order[start]! * sideWords
    const to = at < order.length ? order[at]! * sideWords : -1
    if (to !== -1 && words[to] === words[from] && words[to + 1] === words[from + 1]) {
      isOne &&= samePair(words, to, words, from)
      continue
    }
    if (!isOne)
      order.subarray(start, at).sort((a, b) => comparePairs(words, a * sideWords, words, b * sideWords, 2) || a - b)
    start = at
    isOne = true
  }
}
