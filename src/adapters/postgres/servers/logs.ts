/** Whether a standby's log is the primary's: how far it has come in another one says nothing. Pure, but for what it remembers. */
import type { Look } from "./lag.ts"

interface Looked<Server> {
  readonly server: Server
  /** Absent = it did not answer. */
  readonly look: Look | undefined
}

/** Looks at all servers, one after the other: which standbys are known to have another log. */
export type OtherLogs<Server> = (found: ReadonlyArray<Looked<Server>>) => ReadonlySet<Server>

export const makeOtherLogs = <Server>(): OtherLogs<Server> => {
  /** Of the primary, when it was last heard. */
  let timeline: number | undefined
  /** Of standbys, in the look before. */
  const places = new Map<Server, number>()
  /** Those that had more than the primary, until they begin again, or the primary is another one. */
  const ahead = new Set<Server>()
  return (found) => {
    const primary = found.find(({ look }) => look?.isStandby === false)?.look
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
      const own = look?.isStandby === true ? look.timeline : undefined
      if (ahead.has(server) || (own !== undefined && isOther(own))) others.add(server)
    }
    return others
  }
}
