/** How fast a chain's head moves: how often it is worth a look, and whether what the ledger lacks was announced just now. */

/** A block that was announced so long ago is late, whatever its chain's blocks are worth. */
const nearMs = 10_000
/** Looks are never closer together than this. */
const shortestMs = 50
/** A chain whose head moved on by fewer blocks in that time is not known to be a fast one. */
const fewestBlocks = 4
/** Looks this much further apart than blocks find one nearly always: one that finds none is a call for nothing. */
const blocksPerLook = 1.5

export interface Pace {
  /** The node announced this block; `at`, here and below, in steady milliseconds. */
  readonly heard: (block: number, at: number) => void
  /** Between two looks at the head: POLL_MS, less where blocks come faster than that. */
  readonly intervalMs: () => number
  /** The block was announced within the last seconds: it is known that it was not before. */
  readonly isNear: (block: number, at: number) => boolean
}

export const makePace = (pollMs: number): Pace => {
  /** Of the last seconds, ascending in time. */
  let heads: ReadonlyArray<{ readonly block: number; readonly at: number }> = []
  return {
    heard: (block, at) => {
      // A head that falls is another node's, or another chain's: what was before tells nothing.
      const kept = (heads.at(-1)?.block ?? block) > block ? [] : heads.filter((it) => it.at >= at - nearMs)
      heads = [...kept, { block, at }]
    },
    intervalMs: () => {
      const [first, last] = [heads[0], heads.at(-1)]
      if (first === undefined || last === undefined || last.block - first.block < fewestBlocks) return pollMs
      const perBlock = (last.at - first.at) / (last.block - first.block)
      return Math.min(pollMs, Math.max(shortestMs, blocksPerLook * perBlock))
    },
    isNear: (block, at) => heads.some((it) => it.at >= at - nearMs && it.block < block),
  }
}
