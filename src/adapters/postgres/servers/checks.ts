/** Whether servers may be read at all. It is looked at when one answers for the first time, and when it comes back: it may be another then. */

/** What is checked: rejects where nothing is learned of it. */
export interface Checked {
  /** Why it may not be read, in plain words; undefined = it may. Absent = that is known of it. */
  readonly check?: () => Promise<string | undefined>
}

export interface Checks<S extends Checked> {
  /** Whether it answered a look. Where it has to be checked that begins, and is waited for by nobody. */
  readonly seen: (server: S, answers: boolean) => void
  /** As it was found last: a server of which nothing is known yet has none. */
  readonly obstacleOf: (server: S) => string | undefined
  /** When those under way have ended. */
  readonly settled: () => Promise<unknown>
}

/** A pooler may be set right while it runs; and nothing may be learned for long, as of a server that has no connection left. */
const waits = { againMs: 10_000, failedMs: 2000 }

/** `changed`: a server has an obstacle now, or none any more. */
export const makeChecks = <S extends Checked>(
  changed: (server: S) => void,
  { againMs, failedMs } = waits,
): Checks<S> => {
  const found = new Map<S, { readonly obstacle: string | undefined; readonly at: number }>()
  /** Those that were away since. */
  const stale = new Set<S>()
  const running = new Map<S, Promise<void>>()
  const failedAt = new Map<S, number>()
  const isDue = (server: S): boolean => {
    const now = performance.now()
    if (now - (failedAt.get(server) ?? Number.NEGATIVE_INFINITY) < failedMs) return false
    const last = found.get(server)
    if (last === undefined || stale.has(server)) return true
    return last.obstacle !== undefined && now - last.at > againMs
  }
  const run = async (server: S, check: () => Promise<string | undefined>): Promise<void> => {
    try {
      const before = found.get(server)?.obstacle
      stale.delete(server)
      const obstacle = await check()
      found.set(server, { obstacle, at: performance.now() })
      if (obstacle !== before) changed(server)
    } catch {
      // It went meanwhile: the next look says when it is back.
      stale.add(server)
      failedAt.set(server, performance.now())
    } finally {
      running.delete(server)
    }
  }
  return {
    seen: (server, answers) => {
      if (!answers) stale.add(server)
      else if (server.check !== undefined && !running.has(server) && isDue(server))
        running.set(server, run(server, server.check))
    },
    obstacleOf: (server) => found.get(server)?.obstacle,
    settled: () => Promise.all(running.values()),
  }
}
