/** Rows between two marks, as far as they were walked: they never change while what is counted holds. The last used, in bounded memory. */
import type { PositionKey } from "../../feed/positionKey.ts"

export interface Segments {
  readonly find: (name: string) => ReadonlyArray<PositionKey> | undefined
  readonly keep: (name: string, keys: ReadonlyArray<PositionKey>) => void
}

/** Rows in all, about 40 bytes each. */
const mostKeys = 200_000

export const makeSegments = (most = mostKeys): Segments => {
  const segments = new Map<string, ReadonlyArray<PositionKey>>()
  let size = 0
  return {
    find: (name) => {
      const keys = segments.get(name)
      if (keys === undefined) return undefined
      segments.delete(name)
      segments.set(name, keys)
      return keys
    },
    keep: (name, keys) => {
      size += keys.length - (segments.get(name)?.length ?? 0)
      segments.delete(name)
      segments.set(name, keys)
      for (const [oldest, { length }] of segments) {
        if (size <= most) return
        segments.delete(oldest)
        size -= length
      }
    },
  }
}
