/** The server of a data folder that another Cowry runs: found by what that one keeps there, and used, never stopped. */
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { readPassword, urlOf } from "./cluster.ts"
import { EmbeddedFailed } from "./failure.ts"
import { findOwner, isElsewhere } from "./lock.ts"
import { isOfAnother, readPidFile } from "./server.ts"

export interface Joined {
  /** Holds the password: never to be logged. */
  readonly url: string
  /** Process id of the Cowry that runs the server. */
  readonly owner: number
  /** Whether that very process still does. */
  readonly lives: () => boolean
}

const LOOK_MS = 50

/** Waits for a server that is being started; undefined where no Cowry lives in the folder. */
export const findJoinable = async (dataDir: string, signal: AbortSignal): Promise<Joined | undefined> => {
  const owner = findOwner(dataDir)
  if (owner === undefined) return undefined
  if (isElsewhere(owner)) {
    throw new EmbeddedFailed({
      message: `DATA_DIR ${dataDir} is in use by a Cowry on ${owner.host}, whose database is reached from there alone: run the command on that host, or in that container (docker exec).`,
    })
  }
  const lives = () => {
    const now = findOwner(dataDir)
    return now?.pid === owner.pid && now.startedAt === owner.startedAt
  }
  const folder = join(dataDir, "pgdata")
  while (lives()) {
    const server = readPidFile(folder)
    if (server !== undefined && isOfAnother(server, folder)) {
      // Its lock says nothing of the folder: this may be a copy, whose owner runs the other one. The start tells.
      if (owner.folder === undefined) return undefined
    } else if (server?.isReady === true)
      return { url: urlOf(readPassword(dataDir), server.port), owner: owner.pid, lives }
    await pause(LOOK_MS, undefined, { signal })
  }
  return undefined
}
