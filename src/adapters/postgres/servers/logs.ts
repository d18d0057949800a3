/** Whether a standby's log is the primary's: how far it has come in another one says nothing. Pure, but for what it remembers. */
import type { Look } from "./lag.ts"

interface Looked<Server> {
  readonly server: Server
  /** Absent = it did not answer. */
  readonly look: Look | undefined
}

/** Looks at all servers, one after the other, with the primary among them: which are known to have another log. */
export type OtherLogs<Server> = (found: ReadonlyArray<Looked<Server>>, primary: Look | undefined) => ReadonlySet<Server>

/**
 * The one that is heard and is no standby. Of several the one that `DATABASE_URL` names, else that of the newest timeline:
 * an old primary that goes on behind a failover may stand among those to read at.
 */
export const primaryOf = <Found extends Looked<{ readonly isPrimary: boolean }>>(
  found: ReadonlyArray<Found>,
): Found | undefined => {
  const primaries = found.filter(({ look }) => look?.isStandby === false)
  const timelineOf = ({ look }: Found) => look?.timeline ?? 0
  return (
    primaries.find(({ server }) => server.isPrimary) ?? primaries.toSorted((a, b) => timelineOf(b) - timelineOf(a))[0]
  )
}

export const makeOtherLogs = <Server>(): OtherLogs<Server> => {
  /** Of the primary, when it was last heard. */
  let timeline: number | undefined
  /** Of standbys, in the look before. */
  const places = new Map<Server, number>()
  /** Those that had more than the primary, until they begin again, or the primary is another one. */
  const ahead = new Set<Server>()
  return (found, primary) => {
    if (primary !== undefined && primary.timeline !== timeline) {
      timeline = primary.timeline
      ahead.clear()
    }
    /** Who is behind a failover may be of the new timeline before its primary is heard. */
    const isOther = (own: number): boolean =>
      timeline !== undefined && (primary === undefined ? own < timeline : own !== timeline)
    const others = new Set<Server>()
    for (const { server, look } of found) {
      const before = places.get(server)
      places.delete(server)
      const place = look?.isStandby === true ? look.place : undefined
      if (place === undefined || (before !== undefined && place < before)) ahead.delete(server)
      else if (before !== undefined && primary?.place !== undefined && before > primary.place) ahead.add(server)
      if (place !== undefined) places.set(server, place)
      const own = look?.isStandby === false && look === primary ? undefined : look?.timeline
      if (ahead.has(server) || (own !== undefined && isOther(own))) others.add(server)
    }
    return others
  }
}
