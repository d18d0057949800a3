/** How a pair lies in memory: its words, their meaning, and how much room pairs take. */

/** Words of a pair. A reserved account's token is negative: its address words are 0 (mint account) or end in 1 (burn account). */
export const field = { token: 0, address: 1, holderNo: 6, block: 7, balance: 8, flags: 12, segment: 13 } as const
export const width = 14

export const flag = {
  /** Asked for, the answer has not come yet. */
  unknown: 1,
  /** In the database, with the last committed version. */
  stored: 2,
  /** Touched by the open append. */
  dirty: 4,
  /** Balance beyond 128 bits: in `wide`. */
  wide: 8,
} as const

/** How many pairs fit in this much memory, look-up slots included. */
export const pairsIn = (bytes: number): number => Math.max(16, Math.floor(bytes / (width * 4 + 12)))

/** A power of two, at least twice as many as pairs. */
export const slotsFor = (pairs: number): number => 2 ** Math.max(11, Math.ceil(Math.log2(pairs * 2 + 1)))

/** Small ones double; large ones grow by 32 MB, so that little is held in vain. */
export const grown = (words: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
  const larger = new Int32Array(words.length + Math.min(words.length, 585_000 * width))
  larger.set(words)
  return larger
}
