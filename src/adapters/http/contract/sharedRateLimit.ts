/** Limits that several processes count together. A request never waits: each process may spend a part of what is left, and tells the others after. */
import { Result } from "effect"
import type { LimitTotals, LimitUse } from "../../../ports/SharedLimits.ts"
import { RateLimited } from "./faults.ts"
import { type RateLimit, type RateLimits, unlimited, type WindowState } from "./rateLimit.ts"

export interface SharedRateLimit extends RateLimit {
  /** What to tell the others, and what is to be known of them; nothing twice. */
  readonly collect: () => ReadonlyArray<LimitUse>
  /** What they answered to that; undefined = they could not be asked: it is told again. */
  readonly settle: (uses: ReadonlyArray<LimitUse>, told: LimitTotals | undefined) => void
  /** Whether somebody is about to have spent this process's part. */
  readonly isPressing: () => boolean
  /** Whether the others were heard within the last seconds. */
  readonly isShared: () => boolean
}

interface Window {
  readonly began: number
  /** Of all processes, as they last told. */
  known: number
  /** Own calls that are being told, and that are not yet. */
  sent: number
  fresh: number
  /** Whether somebody asked since the last exchange. */
  wanted: boolean
}

const mostCallers = 50_000
const mostUses = 5000
/** So far behind what it was the store's clock was not set: its answer took longer one way than the other. */
const unevenMs = 5000
/** Without a word from the others for so long each spends its share. */
const silenceMs = 5000

/** All processes together may have this part of a limit untold. */
const untoldShare = 4
/** So many processes there are at least for one that has just joined: others do not know of it yet, nor it of them. */
const assumedProcesses = 10
const joiningMs = 3000

const periods = [
  { seconds: 86_400, word: "day", limit: "rateLimitRpd" },
  { seconds: 60, word: "minute", limit: "rateLimitRpm" },
] as const

/**
 * With n processes each may have `(limit - told) / 4n` calls untold, at least one. So all of them have at most a quarter of the
 * limit untold, and that, or a call for each where it is less, is what may come above the limit. One that joins takes it for
 * three seconds that there are ten: it adds a fortieth at most. One that is alone spends what is left. While nobody can be asked
 * each spends `(limit - told) / n` of a window, at least one: together the limit in a window that begins then, and the limit once
 * more at most in one that was under way. `now`: milliseconds that only pass.
 */
export const makeSharedRateLimit = (
  limits: RateLimits,
  now: () => number = () => performance.now(),
  wall: () => number = Date.now,
): SharedRateLimit => {
  const callers = periods.map(() => new Map<string, Window>())
  let heardOf = assumedProcesses
  let joinedAt: number | undefined
  /** Before the first word: when it began to wait for one. */
  let heardAt = now()
  let pressing = false
  /** The store's clock less `now`. */
  let offset = wall() - now()
  let askedAt = now()
  let latest = Number.NEGATIVE_INFINITY
  /** A window that has begun stays begun: who steps back before it would spend it twice. */
  const clock = () => {
    const told = now() + offset
    if (told > latest || latest - told > unevenMs) latest = told
    return latest
  }
  const isSilent = () => now() - heardAt >= silenceMs
  const isJoining = () => joinedAt === undefined || now() - joinedAt < joiningMs
  const processesNow = () => (isJoining() ? Math.max(heardOf, assumedProcesses) : heardOf)

  const beganOf = (seconds: number) => Math.floor(clock() / 1000 / seconds)
  const windowOf = (place: number, caller: string): Window | undefined => {
    const found = callers[place]!.get(caller)
    return found?.began === beganOf(periods[place]!.seconds) ? found : undefined
  }
  const stateOf = (place: number, caller: string): WindowState => {
    const { seconds, limit: name } = periods[place]!
    const limit = limits[name]
    if (limit === undefined) return { limit: unlimited, remaining: unlimited, reset: seconds }
    const { known, sent, fresh } = windowOf(place, caller) ?? { known: 0, sent: 0, fresh: 0 }
    const reset = Math.max(1, Math.ceil((beganOf(seconds) + 1) * seconds - clock() / 1000))
    return { limit, remaining: Math.max(0, limit - known - sent - fresh), reset }
  }
  /** Calls that may be untold. */
  const partOf = (limit: number, known: number): number => {
    const processes = processesNow()
    if (processes === 1) return limit - known
    return Math.max(1, Math.floor((limit - known) / (processes * (isSilent() ? 1 : untoldShare))))
  }
  /** Seconds to wait; undefined = there is a call left. */
  const refusalOf = (place: number, caller: string): number | undefined => {
    const { limit, remaining, reset } = stateOf(place, caller)
    if (limit === unlimited) return undefined
    if (remaining === 0) return reset
    const found = windowOf(place, caller)
    if (found === undefined) return undefined
    found.wanted = true
    const untold = found.sent + found.fresh
    const part = partOf(limit, found.known)
    if (2 * untold >= part) pressing = true
    return untold < part ? undefined : 1
  }
  const count = (place: number, caller: string): void => {
    if (limits[periods[place]!.limit] === undefined) return
    const windows = callers[place]!
    const found = windowOf(place, caller)
    if (found !== undefined) {
      found.fresh++
      return
    }
    windows.delete(caller)
    if (windows.size >= mostCallers) windows.delete(windows.keys().next().value!)
    windows.set(caller, { began: beganOf(periods[place]!.seconds), known: 0, sent: 0, fresh: 1, wanted: true })
  }

  return {
    take: (caller) => {
      for (const [place, { word, limit }] of periods.entries()) {
        const retryAfter = refusalOf(place, caller)
        if (retryAfter === undefined) continue
        const message = `too many requests: the limit is ${limits[limit]} a ${word}, try again in ${retryAfter} seconds`
        return Result.fail(new RateLimited({ message, retryAfter }))
      }
      for (const place of periods.keys()) count(place, caller)
      return Result.succeed(undefined)
    },
    state: (caller) => ({ rpm: stateOf(1, caller), rpd: stateOf(0, caller) }),
    collect: () => {
      pressing = false
      askedAt = now()
      const uses: Array<LimitUse> = []
      for (const [place, { seconds }] of periods.entries()) {
        for (const [caller, window] of callers[place]!) {
          // What is being told already waits for that.
          if (uses.length === mostUses || window.sent > 0 || (window.fresh === 0 && !window.wanted)) continue
          uses.push({ period: seconds, began: window.began, caller, calls: window.fresh })
          window.sent = window.fresh
          window.fresh = 0
          window.wanted = false
        }
      }
      return uses
    },
    settle: (uses, told) => {
      if (told !== undefined) {
        heardOf = told.processes
        heardAt = now()
        joinedAt ??= heardAt
        // It looked at its clock somewhere on the way: half way is the nearest guess.
        offset = told.now - (askedAt + heardAt) / 2
      }
      for (const [index, { period, began, caller, calls }] of uses.entries()) {
        const window = callers[periods.findIndex(({ seconds }) => seconds === period)]?.get(caller)
        if (window?.began !== began) continue
        window.sent = 0
        if (told === undefined) {
          window.fresh += calls
          window.wanted = true
        } else window.known = Math.max(window.known, told.totals[index] ?? 0)
      }
    },
    isPressing: () => pressing,
    isShared: () => joinedAt !== undefined && !isSilent(),
  }
}
