/** The database servers that reads may go to: only where there is a standby, or a choice. */
import type { ReadServer } from "../../../ports/ReadServers.ts"
import type { Family } from "./exposition.ts"

export const serverFamilies = (servers: ReadonlyArray<ReadServer>): ReadonlyArray<Family> => {
  if (servers.every(({ isPrimary, isStandby }) => isPrimary && !isStandby)) return []
  const gauge = (name: string, help: string, value: (server: ReadServer) => number | undefined): Family => ({
    name: `cowry_read_server_${name}`,
    type: "gauge",
    help,
    samples: servers.map((server, place) => ({
      labels: { server: server.label, place: `${place + 1}` },
      value: value(server),
    })),
  })
  return [
    gauge("up", "Whether the server answers.", ({ isReached }) => Number(isReached)),
    gauge("used", "1 for the server that reads go to.", ({ isUsed }) => Number(isUsed)),
    gauge("standby", "Whether it replays another server's log.", ({ isStandby }) => Number(isStandby)),
    gauge("lag_seconds", "How far it is behind, at most.", ({ lagMs }) =>
      lagMs === undefined ? undefined : lagMs / 1000,
    ),
  ]
}
