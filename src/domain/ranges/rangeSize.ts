/** How many blocks to ask logs of at once: halves when the node refuses, grows again slowly, aims at answers of a digestible length. Pure. */

export interface RangeSize {
  /** Blocks of the next range. */
  readonly blocks: number
  /** Ranges of so many blocks were refused lately; growth stays below. */
  readonly ceiling: number
  /** The longest range that was answered since shorter ones were refused. */
  readonly accepted: number
  /** Answers since the last refusal. */
  readonly answered: number
  /** Never more. */
  readonly mostBlocks: number
}

export const firstRangeSize: RangeSize = {
  blocks: 100,
  ceiling: Number.POSITIVE_INFINITY,
  accepted: 0,
  answered: 0,
  mostBlocks: 100_000,
}

/** Logs an answer should hold: parsing them must not hold up requests, nor fill the memory: many are under way at once. */
const wantedLogs = 4_000
/** After so many answers the refusal is put to the test again. */
const answersUntilTest = 50

/** After an answer of `blocks` blocks that held `logs` logs. */
export const grown = (size: RangeSize, blocks: number, logs: number): RangeSize => {
  const isEarly = size.answered + 1 < answersUntilTest
  const answered = isEarly ? size.answered + 1 : 0
  const ceiling = isEarly ? size.ceiling : size.ceiling * 2
  const accepted = Math.max(size.accepted, blocks)
  const byDensity = logs === 0 ? size.mostBlocks : Math.floor((blocks * wantedLogs) / logs)
  // A shorter range than allowed (the last one) proves nothing about longer ones.
  const next = blocks < size.blocks ? size.blocks : longer(size.blocks, ceiling)
  return { ...size, blocks: clamp(size, Math.min(next, byDensity)), ceiling, accepted, answered }
}

/** Twice as long; below a refusal half the way to it, until that is not worth a refusal any more. */
const longer = (blocks: number, ceiling: number): number => {
  const gap = ceiling - blocks
  return Math.min(blocks * 2, gap <= blocks / 8 ? blocks : blocks + Math.floor(gap / 2))
}

/** After a refusal of `blocks` blocks; `suggested` = how many the node would take. */
export const refused = (size: RangeSize, blocks: number, suggested?: number): RangeSize => {
  const accepted = size.accepted < blocks ? size.accepted : 0
  const shorter = suggested ?? Math.max(accepted, Math.floor(blocks / 2))
  return {
    ...size,
    blocks: clamp(size, Math.min(size.blocks, shorter)),
    ceiling: Math.max(2, suggested === undefined ? blocks : suggested + 1),
    accepted,
    answered: 0,
  }
}

/** After a failure that may have come of the length: a time-out, a broken answer. */
export const failed = (size: RangeSize, blocks: number): RangeSize => ({
  ...size,
  blocks: clamp(size, Math.min(size.blocks, Math.floor(blocks / 2))),
})

const clamp = ({ mostBlocks }: RangeSize, blocks: number): number => Math.max(1, Math.min(mostBlocks, blocks))
