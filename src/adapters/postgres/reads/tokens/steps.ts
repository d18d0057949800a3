/** Steps of a count, by which its order is indexed: see the migration that makes their columns. */

/** Steps below are the counts themselves, those from here on are several counts each. */
export const firstWideStep = 128

/** Rises with the count: seven leading bits of it, and how many follow. */
export const stepOf = (count: number): number => {
  if (count < firstWideStep) return count
  const further = Math.floor(Math.log2(count)) - 6
  return further * 64 + Math.floor(count / 2 ** further)
}
