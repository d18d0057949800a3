/** Values by name, in bounded room: those that nobody wanted lately go, up to a quarter of the room at a time. */

export interface LastUsed<Value> {
  readonly find: (name: string) => Value | undefined
  /** The same, without wanting it. */
  readonly look: (name: string) => Value | undefined
  /** In place of an older one. What is larger than the whole room is not kept. */
  readonly keep: (name: string, value: Value) => void
  readonly forget: (name: string) => void
  readonly forgetAll: () => void
}

interface Slot<Value> {
  readonly value: Value
  readonly size: number
  /** Wanted since it came to its age. */
  isWanted: boolean
}

/** Values that were kept in one stretch of time. */
interface Age<Value> {
  readonly slots: Map<string, Slot<Value>>
  size: number
}

/** Ages that fill the room. */
const ages = 4

/**
 * One map in the order of use is exact, and dear: each use takes an entry out of it and adds one. So it is made anew again
 * and again, its first entry lies behind all that were taken out, and each collection of garbage reads the whole of it.
 * Here an older age's map stays as it is until it is forgotten, and a use is a mark. Of what was wanted meanwhile as much as fills half an age goes on
 * into the newest one: so what fits into the room is kept whole, and what is wanted once passes through.
 *
 * `sizeOf`: what a value takes of `most`; default one each.
 */
export const makeLastUsed = <Value>(
  most: number,
  sizeOf: (value: Value, name: string) => number = () => 1,
): LastUsed<Value> => {
  const young = (): Age<Value> => ({ slots: new Map(), size: 0 })
  /** The newest first: a name of several ages means its value in the first of them. */
  let known = [young()]
  let size = 0

  const forget = (name: string): void => {
    let emptied = false
    for (const age of known) {
      const slot = age.slots.get(name)
      if (slot === undefined) continue
      age.slots.delete(name)
      age.size -= slot.size
      size -= slot.size
      emptied ||= age.slots.size === 0
    }
    // Where values are forgotten before the room is full, nothing else takes an age out.
    if (emptied) known = known.filter(({ slots }, place) => place === 0 || slots.size > 0)
  }

  const add = (name: string, value: Value, own: number): void => {
    let newest = known[0]!
    const before = newest.slots.get(name)?.size ?? 0
    if (newest.size > 0 && newest.size + own - before > most / ages) {
      newest = young()
      known.unshift(newest)
    }
    // Whatever the newest age had is of an older one by now.
    const change = own - (newest.slots.get(name)?.size ?? 0)
    newest.slots.set(name, { value, size: own, isWanted: false })
    newest.size += change
    size += change
  }

  const slotOf = (name: string): Slot<Value> | undefined => {
    for (const { slots } of known) {
      const slot = slots.get(name)
      if (slot !== undefined) return slot
    }
    return undefined
  }

  /** There are two at least: the newest alone never fills more than the room. */
  const forgetOldest = (): void => {
    const oldest = known.pop()!
    size -= oldest.size
    let left = most / ages / 2
    for (const [name, slot] of oldest.slots) {
      if (left <= 0) break
      if (!slot.isWanted || slotOf(name) !== undefined) continue
      left -= slot.size
      add(name, slot.value, slot.size)
    }
  }

  return {
    forget,
    look: (name) => slotOf(name)?.value,
    keep: (name, value) => {
      const own = sizeOf(value, name)
      if (own > most) {
        forget(name)
        return
      }
      add(name, value, own)
      while (size > most) forgetOldest()
    },
    find: (name) => {
      const slot = slotOf(name)
      if (slot !== undefined) slot.isWanted = true
      return slot?.value
    },
    forgetAll: () => {
      known = [young()]
      size = 0
    },
  }
}
