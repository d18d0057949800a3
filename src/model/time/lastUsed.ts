/** Values by name, in bounded room: those that nobody wanted lately go, about a quarter of the room at a time. */

export interface LastUsed<Value> {
  readonly find: (name: string) => Value | undefined
  /** The same, without wanting it. */
  readonly look: (name: string) => Value | undefined
  /** In place of an older one. What is larger than the whole room is not kept. */
  readonly keep: (name: string, value: Value) => void
  readonly forgetAll: () => void
}

/** Values that were kept or wanted in one stretch of time. */
interface Age<Value> {
  readonly values: Map<string, Value>
  size: number
}

/** Ages that fill the room. */
const ages = 4

/**
 * One map in the order of use is exact, and dear: each use takes an entry out of it and adds one. So it is made anew again
 * and again, its first entry lies behind all that were taken out, and each collection of garbage reads the whole of it.
 * Here an older age's map stays as it is, until it is forgotten whole.
 *
 * `sizeOf`: what a value takes of `most`; default one each.
 */
export const makeLastUsed = <Value>(
  most: number,
  sizeOf: (value: Value, name: string) => number = () => 1,
): LastUsed<Value> => {
  const young = (): Age<Value> => ({ values: new Map(), size: 0 })
  /** The newest first: a name of several ages means its value in the first of them. */
  let known = [young()]
  let size = 0

  const remove = (name: string): void => {
    for (const age of known) {
      const value = age.values.get(name)
      if (value === undefined) continue
      const own = sizeOf(value, name)
      age.values.delete(name)
      age.size -= own
      size -= own
    }
  }

  const keep = (name: string, value: Value): void => {
    const own = sizeOf(value, name)
    if (own > most) {
      remove(name)
      return
    }
    let newest = known[0]!
    const before = newest.values.get(name)
    const change = own - (before === undefined ? 0 : sizeOf(before, name))
    if (newest.size > 0 && newest.size + change > most / ages) {
      newest = young()
      known.unshift(newest)
    }
    // Whatever the newest age had is of an older one by now.
    const added = newest.values.has(name) ? change : own
    newest.values.set(name, value)
    newest.size += added
    size += added
    while (size > most) size -= known.pop()!.size
  }

  const look = (name: string): Value | undefined => {
    for (const { values } of known) {
      const value = values.get(name)
      if (value !== undefined) return value
    }
    return undefined
  }

  return {
    look,
    keep,
    find: (name) => {
      let since = 0
      for (const age of known) {
        const value = age.values.get(name)
        if (value === undefined) {
          since += age.size
          continue
        }
        // Of the newest age from now on, where much was used since: else it stays long enough.
        if (since > most / ages) keep(name, value)
        return value
      }
      return undefined
    },
    forgetAll: () => {
      known = [young()]
      size = 0
    },
  }
}
