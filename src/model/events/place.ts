/** Where an event stands among those of its chain: by block, log and place in the log, over all standards and kinds. */

export interface EventPlace {
  readonly block: number
  readonly logIndex: number
  /** 0 = the contract is seen first; a row of the log is one more than its place in the log. */
  readonly place: number
}

export const comparePlaces = (a: EventPlace, b: EventPlace): number =>
  a.block - b.block || a.logIndex - b.logIndex || a.place - b.place

/** Every log index is below it. */
export const logIndexEnd = 2 ** 24

/** The first place behind a block: no log has so high an index. */
export const endOfBlock = (block: number): EventPlace => ({ block, logIndex: logIndexEnd - 1, place: 0 })

/** The first place behind another. */
export const behind = (at: EventPlace): EventPlace => ({ ...at, place: at.place + 1 })
