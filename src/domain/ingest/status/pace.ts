/** How fast a chain's head moves: how often it is worth a look, and whether what the ledger lacks was announced just now. */

/** A block that was announced so long ago is late, whatever its chain's blocks are worth. */
const nearMs = 10_000
/** Looks are never closer together than this. */
const shortestMs = 50
/** A chain whose head moved on by fewer blocks in that time is not known to be a fast one. */
const fewestBlocks = 4
/** Looks this much further apart than blocks find one nearly always: one that finds none is a call for nothing. */
const blocksPerLook = 1.5
/** A head below one that was announced before, seen so often in a row, is the true one: what was announced before will not come. */
export const looksAtLowerHead = 3

export interface Pace {
  /**
   * The node announced this block, while the ledger had those up to `stored`; `at`, here and below, in steady milliseconds.
   * False = it says nothing of where the chain is: behind one address there may be another node, far behind.
   */
  readonly heard: (block: number, at: number, stored: number) => boolean
  /** Between two looks at the head: POLL_MS, less where blocks come faster than that. */
  readonly intervalMs: () => number
  /** Between two blocks; undefined = it is not known to be a fast chain. */
  readonly blockMs: () => number | undefined
  /** The block was announced within the last seconds: it is known that it was not before. */
  readonly isNear: (block: number, at: number) => boolean
}

export const makePace = (pollMs: number): Pace => {
  /** Of the last seconds, ascending in time. */
  let heads: ReadonlyArray<{ readonly block: number; readonly at: number }> = []
  /** Looks in a row that showed a head below one that was there. */
  let lower = 0
  const blockMs = () => {
    const [first, last] = [heads[0], heads.at(-1)]
    if (first === undefined || last === undefined || last.block - first.block < fewestBlocks) return undefined
    return (last.at - first.at) / (last.block - first.block)
  }
  return {
    heard: (block, at, stored) => {
      const highest = Math.max(heads.at(-1)?.block ?? block, stored)
      lower = block < highest ? lower + 1 : 0
      if (lower === 0) heads = [...heads.filter((it) => it.at >= at - nearMs), { block, at }]
      else if (lower < looksAtLowerHead) return false
      // What was before tells nothing. Of what the ledger has this head does not say when it came.
      else heads = block < stored ? [] : [{ block, at }]
      return true
    },
    intervalMs: () => {
      const perBlock = blockMs()
      return perBlock === undefined ? pollMs : Math.min(pollMs, Math.max(shortestMs, blocksPerLook * perBlock))
    },
    blockMs,
    isNear: (block, at) => heads.some((it) => it.at >= at - nearMs && it.block < block),
  }
}
