/** How many blocks to ask logs of at once: halves when the node refuses, grows again slowly, aims at answers of a digestible length. Pure. */

export interface RangeSize {
  /** Blocks of the next range. */
  readonly blocks: number
  /** Ranges of so many blocks were refused lately; growth stays below. */
  readonly ceiling: number
  /** Answers since the last refusal. */
  readonly answered: number
}

export const firstRangeSize: RangeSize = { blocks: 100, ceiling: Number.POSITIVE_INFINITY, answered: 0 }

/** Logs an answer should hold: parsing them must not hold up requests for long. */
const wantedLogs = 10_000
const mostBlocks = 100_000
/** After so many answers the refusal is put to the test again. */
const patience = 100

/** After an answer of `blocks` blocks that held `logs` logs. */
export const grown = (size: RangeSize, blocks: number, logs: number): RangeSize => {
  const patient = size.answered + 1 < patience
  const answered = patient ? size.answered + 1 : 0
  const ceiling = patient ? size.ceiling : size.ceiling * 2
  const factor = ceiling === Number.POSITIVE_INFINITY ? 2 : 1.25
  // A shorter range than allowed (the last one) proves nothing about longer ones.
  const next = blocks < size.blocks ? size.blocks : Math.ceil(size.blocks * factor)
  const byDensity = logs === 0 ? mostBlocks : Math.floor((blocks * wantedLogs) / logs)
  return { blocks: clamp(Math.min(next, byDensity, ceiling - 1)), ceiling, answered }
}

/** After a refusal of `blocks` blocks; `suggested` = how many the node would take. */
export const refused = (size: RangeSize, blocks: number, suggested?: number): RangeSize => ({
  blocks: clamp(Math.min(size.blocks, suggested ?? Math.floor(blocks / 2))),
  ceiling: Math.max(2, suggested === undefined ? blocks : suggested + 1),
  answered: 0,
})

/** After a failure that may have come of the length: a time-out, a broken answer. */
export const failed = (size: RangeSize, blocks: number): RangeSize => ({
  ...size,
  blocks: clamp(Math.min(size.blocks, Math.floor(blocks / 2))),
})

const clamp = (blocks: number): number => Math.max(1, Math.min(mostBlocks, blocks))
