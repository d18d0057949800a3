/** What was made last under some names. */
import { makeLastUsed } from "../../../../model/time/lastUsed.ts"

export const makeRecent = <A>(most: number) => {
  const kept = makeLastUsed<A>(most)
  return (name: string, make: () => A): A => {
    const found = kept.find(name)
    if (found !== undefined) return found
    const made = make()
    kept.keep(name, made)
    return made
  }
}
