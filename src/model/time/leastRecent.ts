/** Values by name, in bounded room: the one that nobody wanted for longest goes first. */

export interface LeastRecent<Value> {
  readonly find: (name: string) => Value | undefined
  readonly keep: (name: string, value: Value) => void
}

/** `sizeOf`: what a value takes of `most`; default one each. What is larger than all of it is not kept. */
export const makeLeastRecent = <Value>(
  most: number,
  sizeOf: (value: Value) => number = () => 1,
): LeastRecent<Value> => {
  const kept = new Map<string, { readonly value: Value; readonly size: number }>()
  let size = 0
  const remove = (name: string): void => {
    size -= kept.get(name)?.size ?? 0
    kept.delete(name)
  }
  return {
    find: (name) => {
      const found = kept.get(name)
      if (found === undefined) return undefined
      kept.delete(name)
      kept.set(name, found)
      return found.value
    },
    keep: (name, value) => {
      remove(name)
      const own = sizeOf(value)
      kept.set(name, { value, size: own })
      size += own
      for (const oldest of kept.keys()) {
        if (size <= most) return
        remove(oldest)
      }
    },
  }
}
