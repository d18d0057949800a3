/** What is dear to make and the same for all: made for the first who wants it. */

/** Shared by all who want it, also while it is made. What failed is not kept: the next who wants it begins anew. */
export const madeOnce = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => {
    if (made !== undefined) return made
    const going = make()
    made = going
    going.catch(() => {
      if (made === going) made = undefined
    })
    return going
  }
}
