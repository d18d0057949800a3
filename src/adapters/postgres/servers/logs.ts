/** Which server is the primary, and whether the others have its log: how far one has come in another says nothing. Pure, but for what it remembers. */
import type { Look } from "./lag.ts"

interface Looked<Server> {
  readonly server: Server
  /** Absent = it did not answer. */
  readonly look: Look | undefined
}

interface Logs<Found extends Looked<unknown>> {
  /** The one that is heard and is no standby; of several the one that `DATABASE_URL` names, else that of the newest timeline. */
  readonly primary: Found | undefined
  /** Servers that are known to have another log than the primary's. */
  readonly others: ReadonlySet<Found["server"]>
}

/** Looks at all servers, one after the other. */
export const makeOtherLogs = () => {
  /** Of the primary, when it was last heard. */
  let timeline: number | undefined
  /** Of standbys, in the look before. */
  const places = new Map<unknown, number>()
  /** Those that had more than the primary, until they begin again, or the primary is another one. */
  const ahead = new Set<unknown>()

  /** An old primary that goes on behind a failover may stand among those to read at, and is none while the new one is not heard either. */
  const primaryOf = <Found extends Looked<{ readonly isPrimary: boolean }>>(
    found: ReadonlyArray<Found>,
  ): Found | undefined => {
    const primaries = found.filter(({ look }) => look?.isStandby === false)
    const timelineOf = ({ look }: Found): number => look?.timeline ?? timeline ?? 0
    const named = primaries.find(({ server }) => server.isPrimary)
    return (
      named ??
      primaries.filter((it) => timelineOf(it) >= (timeline ?? 0)).toSorted((a, b) => timelineOf(b) - timelineOf(a))[0]
    )
  }

  return <Found extends Looked<{ readonly isPrimary: boolean }>>(found: ReadonlyArray<Found>): Logs<Found> => {
    const heard = primaryOf(found)
    const primary = heard?.look
    if (primary !== undefined && primary.timeline !== timeline) {
      timeline = primary.timeline
      ahead.clear()
    }
    /** Who is behind a failover may be of the new timeline before its primary is heard. */
    const isOther = (own: number): boolean =>
      timeline !== undefined && (primary === undefined ? own < timeline : own !== timeline)
    const others = new Set<Found["server"]>()
    for (const { server, look } of found) {
      const before = places.get(server)
      places.delete(server)
      const place = look?.isStandby === true ? look.place : undefined
      if (place === undefined || (before !== undefined && place < before)) ahead.delete(server)
      else if (before !== undefined && primary?.place !== undefined && before > primary.place) ahead.add(server)
      if (place !== undefined) places.set(server, place)
      const own = look === primary ? undefined : look?.timeline
      if (ahead.has(server) || (own !== undefined && isOther(own))) others.add(server)
    }
    return { primary: heard, others }
  }
}
