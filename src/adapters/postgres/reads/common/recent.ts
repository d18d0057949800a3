/** What was made last under some names: the one not asked for longest goes first. */

export const makeRecent = <A>(most: number) => {
  const kept = new Map<string, A>()
  return (name: string, make: () => A): A => {
    const value = kept.get(name) ?? make()
    kept.delete(name)
    kept.set(name, value)
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break
      kept.delete(oldest)
    }
    return value
  }
}
