/** The blocks near the head that may be replaced by others. */

/** Blocks this close to the head are read one by one, by hash, also where they are final at once. */
export const windowOf = ({ finality }: { readonly finality: number }): number => Math.max(finality, 8)
