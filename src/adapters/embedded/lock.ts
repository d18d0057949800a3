/** One live Cowry per data folder: a file that names its owner, and is worthless once the owner is gone. */
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { EmbeddedFailed } from "./failure.ts"
import { findProcess, pidNamespace } from "./processes.ts"
import { identityOf } from "./sameFolder.ts"

/** How often the owner touches its lock, and how long an untouched lock of another host or container is believed, in ms. */
export const TOUCH_MS = 5_000
export const BELIEVED_MS = 30_000
/** So much of that is watched in any case: an age lies between two clocks, or in one that was set. */
const WATCHED_MS = 3 * TOUCH_MS
const LOOK_MS = 50
/** What lies between two looks counts as watched up to here: a disk that hangs lets nobody touch, and nobody look. */
const LONGEST_LOOK_MS = 250

export interface Owner {
  readonly pid: number
  readonly startedAt: string
  readonly host: string
  /** Where `pid` counts. Absent in locks of older versions, and where the system has none. */
  readonly pidNamespace?: string
  /** In which folder it was taken: a copy of that holds the lock too. Absent in locks of older versions. */
  readonly folder?: string
}

export interface FolderLock {
  /** Tells other hosts (containers that share a volume see other process ids) that the owner lives. A lock that is gone is made again. Throws what the disk does. */
  readonly touch: () => "ours" | "another's"
  readonly release: () => void
}

/** Who uses the folder now; undefined = nobody who lives. One who is elsewhere counts until `untilTold` has told. */
export const findOwner = (dataDir: string): Owner | undefined => {
  const path = join(dataDir, "lock")
  const owner = parse(read(path) ?? "")
  return owner !== undefined && isLive(owner, path) ? owner : undefined
}

/** Its process is not to be seen from here: of it only the touches of its lock are known. */
export const isElsewhere = ({ host, pidNamespace: namespace }: Owner): boolean =>
  host !== hostname() || (namespace !== undefined && namespace !== pidNamespace())

/**
 * Resolves when the next touch, or the lack of one, has told whether an owner who is elsewhere lives. A killed container may
 * have left the lock, or this machine before it was started anew. What was not touched meanwhile is nobody's: it goes.
 */
export const untilTold = async (
  dataDir: string,
  signal: AbortSignal,
  { believedMs, watchedMs } = { believedMs: BELIEVED_MS, watchedMs: WATCHED_MS },
): Promise<void> => {
  const path = join(dataDir, "lock")
  // Read before it is looked at: on a network file system an open asks for the newest touch.
  const content = read(path)
  const touchedAt = touchOf(path)
  if (content === undefined) return
  let watched = 0
  let looked = performance.now()
  while (read(path) === content && touchOf(path) === touchedAt) {
    const now = performance.now()
    watched += Math.min(now - looked, LONGEST_LOOK_MS)
    looked = now
    if (watched >= believedMs || (watched >= watchedMs && ageOf(path) >= believedMs)) return discard(path, content)
    await pause(LOOK_MS, undefined, { signal })
  }
}

/** Takes the lock, or throws `EmbeddedFailed` naming the process that holds it. */
export const lockFolder = (dataDir: string): FolderLock => {
  const path = join(dataDir, "lock")
  const namespace = pidNamespace()
  const folder = identityOf(dataDir)
  const self: Owner = {
    pid: process.pid,
    startedAt: findProcess(process.pid)?.startedAt ?? "",
    host: hostname(),
    ...(namespace === undefined ? {} : { pidNamespace: namespace }),
    ...(folder === undefined ? {} : { folder }),
  }
  const content = JSON.stringify(self)
  for (let attempt = 0; attempt < 5; attempt++) {
    if (create(path, content)) {
      return {
        touch: () => touch(path, content),
        release: () => {
          if (read(path) === content) rmSync(path, { force: true })
        },
      }
    }
    const found = read(path)
    if (found === undefined) continue
    const owner = parse(found)
    if (owner === undefined && isBeingWritten(path)) break
    if (owner !== undefined && isLive(owner, path))
      throw new EmbeddedFailed({
        message: `DATA_DIR ${dataDir} is in use by another Cowry, process ${owner.pid}${whereIs(owner)}: stop that one, or set DATA_DIR to another folder. Its lock is ${path}`,
      })
    discard(path, found)
  }
  throw new EmbeddedFailed({ message: `DATA_DIR ${dataDir} is being taken by another Cowry that starts just now.` })
}

const touch = (path: string, content: string): "ours" | "another's" => {
  if (create(path, content)) return "ours"
  const found = readFileSync(path, "utf8")
  if (found === content) utimesSync(path, new Date(), new Date())
  else if (parse(found) !== undefined) return "another's"
  // A full disk left it empty: the next touch makes it again.
  else if (!isBeingWritten(path)) discard(path, found)
  return "ours"
}

const whereIs = (owner: Owner): string => {
  if (owner.host !== hostname()) return ` on ${owner.host}`
  return isElsewhere(owner) ? ` in another container, or on another host, of the name ${owner.host}` : ""
}

const create = (path: string, content: string): boolean => {
  try {
    writeFileSync(path, content, { flag: "wx", mode: 0o644 })
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false
    throw cause
  }
}

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const parse = (content: string): Owner | undefined => {
  try {
    return JSON.parse(content) as Owner
  } catch {
    return undefined
  }
}

// Between making the file and filling it lie microseconds; a starter that crashed there left it so for longer.
const isBeingWritten = (path: string): boolean => ageOf(path) < 2_000

const ageOf = (path: string): number => Date.now() - (touchOf(path) ?? Date.now())

const touchOf = (path: string): number | undefined => {
  try {
    return statSync(path).mtimeMs
  } catch {
    return undefined
  }
}

const isLive = (owner: Owner, path: string): boolean => {
  // Other hosts and containers may know the same folder by other numbers.
  if (isElsewhere(owner)) return true
  if (owner.folder !== undefined && owner.folder !== identityOf(dirname(path))) return false
  return findProcess(owner.pid)?.startedAt === owner.startedAt
}

/** Moves a dead owner's lock away. A lock that changed since it was read is another starter's, and goes back. */
const discard = (path: string, judged: string): void => {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  if (read(aside) === judged) rmSync(aside, { force: true })
  else renameSync(aside, path)
}
