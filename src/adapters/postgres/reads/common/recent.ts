/** What was made last under some names. */
import { makeLeastRecent } from "../../../../model/time/leastRecent.ts"

export const makeRecent = <A>(most: number) => {
  const kept = makeLeastRecent<A>(most)
  return (name: string, make: () => A): A => {
    const found = kept.find(name)
    if (found !== undefined) return found
    const made = make()
    kept.keep(name, made)
    return made
  }
}
