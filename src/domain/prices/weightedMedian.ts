/** The median of values that count differently. */

export interface Weighted {
  readonly value: bigint
  /** Above zero. */
  readonly weight: bigint
}

/** The least value that at least half of the weight does not exceed. Of any order of the values; at least one. */
export const weightedMedian = (values: ReadonlyArray<Weighted>): bigint => {
  const sorted = [...values].sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0))
  const total = sorted.reduce((sum, { weight }) => sum + weight, 0n)
  let below = 0n
  for (const { value, weight } of sorted) {
    below += weight
    if (below * 2n >= total) return value
  }
  return sorted.at(-1)!.value
}
