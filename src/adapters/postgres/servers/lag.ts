/** How far a standby is behind: by where the primary's log stood when, or by the standby's own word where the primary cannot be asked. Pure. */

/** A server as it was found. Places in the log are bytes. */
export interface Look {
  readonly version: string
  /** As `server_version_num` has it. */
  readonly number: number
  readonly isStandby: boolean
  /** Whether a new session may write. */
  readonly takesWrites: boolean
  /** Up to where the log is written, of a standby replayed. */
  readonly place: number
  /** Of a standby: whether it is connected to whom it follows, and has replayed all that came. */
  readonly isFed: boolean
  readonly isEven: boolean
  /** Whether it lays schemas on workers. */
  readonly isDistributed: boolean
  /** Its clock, milliseconds since 1970. */
  readonly clockMs?: number
  /** Milliseconds by that since the newest transaction that a standby has replayed was committed, by the primary's; absent = none yet. */
  readonly sinceReplayMs?: number
}

export interface Trail {
  /** The primary's log had come to `place`, bytes, at `at`, steady milliseconds. */
  readonly note: (place: number, at: number) => void
  /** Milliseconds for which a server at `place` has lacked something; undefined = the primary never told its place. */
  readonly behindMs: (place: number, now: number) => number | undefined
}

/** Places that are remembered: minutes, however often is looked. */
const mostSteps = 2000

export const makeTrail = (): Trail => {
  const steps: Array<{ readonly place: number; readonly at: number }> = []
  return {
    note: (place, at) => {
      const last = steps.at(-1)
      if (last !== undefined && place === last.place) return
      // A primary that was restored, or another one: its log is another.
      if (last !== undefined && place < last.place) steps.length = 0
      steps.push({ place, at })
      if (steps.length > mostSteps) steps.shift()
    },
    behindMs: (place, now) => {
      if (steps.length === 0) return undefined
      const lacked = steps.find((step) => step.place > place)
      return lacked === undefined ? 0 : now - lacked.at
    },
  }
}

/**
 * Milliseconds that a server is behind; undefined = not known. `isTold`: the primary has told its place in this look. What
 * it told before is the least that a server lacks: the server's own word is asked then too. `aheadMs`: by how much its clock is
 * ahead of the primary's, as far as both were heard.
 */
export const lagOf = (look: Look, trail: Trail, now: number, isTold: boolean, aheadMs = 0): number | undefined => {
  if (!look.isStandby) return 0
  const lacked = trail.behindMs(look.place, now)
  if (isTold && lacked !== undefined) return lacked
  const since = look.sinceReplayMs === undefined ? undefined : Math.max(0, look.sinceReplayMs - aheadMs)
  const own = look.isFed && look.isEven ? 0 : since
  return own === undefined ? undefined : Math.max(own, lacked ?? 0)
}
