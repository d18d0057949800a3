/** How much of bodies is held while they are read, of all callers and of each: before they end nobody knows what they want. */
import { mostDataBytes } from "./compat/outside/values.ts"

/** Of one body: a transaction in hex, and what stands beside it. */
export const mostBodyBytes = 2 * mostDataBytes + 16 * 1024
const mostHeldBytes = 256 * mostBodyBytes
const mostHeldBytesOfCaller = mostHeldBytes / 8

/** Of each body these count for nothing, so small ones always pass: its connection takes more than that by itself. */
const freeBytes = 4 * 1024

/** What one body holds. */
export interface BodyPlace {
  /** Whether so many further bytes may be held. */
  readonly take: (bytes: number) => boolean
  /** It holds nothing any more. */
  readonly leave: () => void
}

export interface BodyRoom {
  /** For a body of this caller. */
  readonly open: (caller: string) => BodyPlace
}

export const makeBodyRoom = (): BodyRoom => {
  const heldBy = new Map<string, number>()
  let held = 0
  const add = (caller: string, bytes: number): void => {
    const ofCaller = (heldBy.get(caller) ?? 0) + bytes
    held += bytes
    if (ofCaller === 0) heldBy.delete(caller)
    else heldBy.set(caller, ofCaller)
  }
  return {
    open: (caller) => {
      let [length, counted] = [0, 0]
      return {
        take: (bytes) => {
          length += bytes
          const further = Math.max(0, length - freeBytes) - counted
          const isRoom = held + further <= mostHeldBytes && (heldBy.get(caller) ?? 0) + further <= mostHeldBytesOfCaller
          if (further > 0 && !isRoom) return false
          counted += further
          add(caller, further)
          return true
        },
        leave: () => {
          add(caller, -counted)
          counted = 0
        },
      }
    },
  }
}
