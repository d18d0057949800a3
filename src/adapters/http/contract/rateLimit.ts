/** How many requests each caller has left, in windows of a minute and of a day. Memory is bounded. */
import { Result } from "effect"
import { RateLimited } from "./faults.ts"

export interface RateLimits {
  /** Absent = no limit. */
  readonly rateLimitRpm?: number
  readonly rateLimitRpd?: number
  /** Who counts; absent = this process, for itself. */
  readonly counter?: RateLimit
}

export interface WindowState {
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the window starts again. */
  readonly reset: number
}

export interface RateState {
  readonly rpm: WindowState
  readonly rpd: WindowState
}

export interface RateLimit {
  /** Counts one request of the caller, unless it is one too many. */
  readonly take: (caller: string) => Result.Result<void, RateLimited>
  /** What the caller has left. */
  readonly state: (caller: string) => RateState
  /** Whether calls at other processes count at the moment; absent = never. */
  readonly isShared?: () => boolean
}

/** `now` in milliseconds that only ever pass: a clock that is set back must not make a window longer. */
export const makeRateLimit = (limits: RateLimits, now: () => number = () => performance.now()): RateLimit => {
  if (limits.counter !== undefined) return limits.counter
  const minute = makeWindow(limits.rateLimitRpm, 60_000, now)
  const day = makeWindow(limits.rateLimitRpd, 86_400_000, now)
  const isUnlimited = limits.rateLimitRpm === undefined && limits.rateLimitRpd === undefined
  // Of nobody in particular.
  const withoutLimit: RateState = { rpm: minute.state(""), rpd: day.state("") }
  return {
    take: (caller) => {
      if (isUnlimited) return taken
      const ofDay = day.state(caller)
      if (ofDay.remaining === 0) return exceeded(ofDay, "day")
      const ofMinute = minute.state(caller)
      if (ofMinute.remaining === 0) return exceeded(ofMinute, "minute")
      minute.count(caller)
      day.count(caller)
      return taken
    },
    state: isUnlimited ? () => withoutLimit : (caller) => ({ rpm: minute.state(caller), rpd: day.state(caller) }),
  }
}

const taken: Result.Result<void, RateLimited> = Result.succeed(undefined)

const exceeded = ({ limit, reset }: WindowState, window: string) => {
  const message = `too many requests: the limit is ${limit} a ${window}, try again in ${reset} seconds`
  return Result.fail(new RateLimited({ message, retryAfter: reset }))
}

/** What the headers say where there is no limit: fits the integers of every client. */
export const unlimited = 1_000_000_000
const maxCallers = 50_000

const makeWindow = (limit: number | undefined, lengthMs: number, now: () => number) => {
  // A window is put at the end when it starts, and all are equally long: the first to end is always in front.
  const windows = new Map<string, { used: number; readonly end: number }>()
  const find = (caller: string) => {
    const found = windows.get(caller)
    return found !== undefined && found.end > now() ? found : undefined
  }
  const makeRoom = () => {
    for (const [caller, { end }] of windows) {
      if (end > now() && windows.size < maxCallers) return
      windows.delete(caller)
    }
  }
  return {
    state: (caller: string): WindowState => {
      if (limit === undefined) return { limit: unlimited, remaining: unlimited, reset: lengthMs / 1000 }
      const { used, end } = find(caller) ?? { used: 0, end: now() + lengthMs }
      return { limit, remaining: Math.max(0, limit - used), reset: Math.ceil((end - now()) / 1000) }
    },
    count: (caller: string): void => {
      if (limit === undefined) return
      const found = find(caller)
      if (found !== undefined) {
        found.used++
        return
      }
      windows.delete(caller)
      makeRoom()
      windows.set(caller, { used: 1, end: now() + lengthMs })
    },
  }
}
