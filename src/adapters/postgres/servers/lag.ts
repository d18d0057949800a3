/** How far a standby is behind: by how far the primary had come when, or by the standby's own word where the primary cannot be asked. Pure. */

/** A server as it was found. Places in the log are bytes. */
export interface Look {
  readonly version: string
  /** As `server_version_num` has it. */
  readonly number: number
  readonly isStandby: boolean
  /** Whether a new session may write. */
  readonly takesWrites: boolean
  /** Up to where the log is written, of a standby replayed; absent = it does not tell. */
  readonly place?: number
  /** Of the log that a primary writes, or that a standby is sent; absent = it does not tell, or is sent none. */
  readonly timeline?: number
  /** The number of the transaction that its newest snapshot ends before; absent = it does not tell. */
  readonly transaction?: number
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
  /** The primary had come to `place` at `at`, steady milliseconds. */
  readonly note: (place: number, at: number) => void
  /** For how long a server at `place` has lacked something; undefined = the primary never told its place. */
  readonly behind: (place: number, now: number) => Behind | undefined
}

/** `leastMs`: since the primary told of what is lacked. `mostMs`: since it last told that this was not there yet; infinite = it never did. */
interface Behind {
  readonly leastMs: number
  readonly mostMs: number
}

/** Between two looks one after the other, of which each takes as long as it may. As exact as that a lag is. */
const usualMs = 2500

/** Places that are remembered: minutes, however often is looked. */
const mostSteps = 2000

const makeTrail = (): Trail => {
  /** `unheardMs`: for which the primary had not been heard by then. */
  const steps: Array<{ readonly place: number; readonly at: number; readonly unheardMs: number }> = []
  let heardAt = Number.NEGATIVE_INFINITY
  return {
    note: (place, at) => {
      const last = steps.at(-1)
      const unheardMs = at - heardAt
      heardAt = at
      if (last !== undefined && place === last.place) return
      // A primary that was restored, or another one: its log is another.
      if (last !== undefined && place < last.place) steps.length = 0
      steps.push({ place, at, unheardMs })
      if (steps.length > mostSteps) steps.shift()
    },
    behind: (place, now) => {
      if (steps.length === 0) return undefined
      const lacked = steps.find((step) => step.place > place)
      if (lacked === undefined) return { leastMs: 0, mostMs: 0 }
      const leastMs = now - lacked.at
      if (lacked === steps[0]) return { leastMs, mostMs: Number.POSITIVE_INFINITY }
      return { leastMs, mostMs: lacked.unheardMs > usualMs ? leastMs + lacked.unheardMs : leastMs }
    },
  }
}

/** Where the primary was when: by its log, and by its transactions. */
export interface Trails {
  readonly log: Trail
  readonly transactions: Trail
}

export const makeTrails = (): Trails => ({ log: makeTrail(), transactions: makeTrail() })

export const noteLook = ({ log, transactions }: Trails, { isStandby, place, transaction }: Look, at: number): void => {
  if (isStandby) return
  if (place !== undefined) log.note(place, at)
  if (transaction !== undefined) transactions.note(transaction, at)
}

/**
 * Milliseconds that a server is behind; undefined = not known. `primary`: as it was found in this look; absent = it was not.
 * What it told before is the least that a server lacks: the server's own word is asked then too. So it is of what a server lacks
 * since before the primary was first heard, or since a time in which it was not. `aheadMs`: by how much its clock is ahead of the
 * primary's, as far as both were heard.
 */
export const lagOf = (
  look: Look,
  { log, transactions }: Trails,
  now: number,
  primary: Look | undefined,
  aheadMs = 0,
): number | undefined => {
  const { place, transaction } = look
  if (!look.isStandby) return 0
  const since = look.sinceReplayMs === undefined ? undefined : Math.max(0, look.sinceReplayMs - aheadMs)
  const heard = ({ leastMs, mostMs }: Behind): number | undefined => {
    const word = Math.min(mostMs, since ?? mostMs)
    return word === Number.POSITIVE_INFINITY ? undefined : Math.max(leastMs, word)
  }
  const byLog = place === undefined ? undefined : log.behind(place, now)
  if (byLog !== undefined && primary?.place !== undefined) return heard(byLog)
  if (transaction !== undefined && primary?.transaction !== undefined) {
    const byTransactions = transactions.behind(transaction, now)
    return byTransactions && heard(byTransactions)
  }
  const own = look.isFed && look.isEven ? 0 : since
  return own === undefined ? undefined : Math.max(own, byLog?.leastMs ?? 0)
}
