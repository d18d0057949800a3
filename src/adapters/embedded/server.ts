/** The running server: started until it answers, stopped until it is gone, and found again when its service was killed. */
import { readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { isAbsolute, join } from "node:path"
import { childrenOf, findProcess } from "./processes.ts"
import { describeEnding, type Ending, type Installation, logLength, readLog, spawnProgram, untilExit } from "./run.ts"
import { identityOf } from "./sameFolder.ts"
import { SERVER_SETTINGS, sharedBuffers } from "./settings.ts"

export interface Server {
  readonly pid: number
  readonly port: number
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<Ending>
}

/** Milliseconds: until ready or at work on it, until a stop counts as hung, between two looks. */
const READY_MS = 600_000
const STOP_MS = 60_000
/** Of a server that may not be ready: one that repairs a crash takes no fast stop, and would be waited for in vain. */
const ORPHAN_MS = 3_000
const LOOK_MS = 10

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const until = async (isTrue: () => boolean, ms: number): Promise<boolean> => {
  const deadline = performance.now() + ms
  while (!isTrue()) {
    if (performance.now() > deadline) return false
    await pause(LOOK_MS)
  }
  return true
}

/** A port of 127.0.0.1 that was free a moment ago. */
const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

interface PidFile {
  readonly pid: number
  /** The files that it is on, as it names them. */
  readonly folder: string
  readonly port: number
  /** It takes connections, on this port. */
  readonly isReady: boolean
  /** Not yet: it may be repairing a crash, for as long as that takes. */
  readonly isStarting: boolean
}

/** What the server on these files says of itself. */
export const readPidFile = (folder: string): PidFile | undefined => {
  try {
    const lines = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")
    const status = lines[7]?.trim()
    return {
      pid: Number(lines[0]),
      folder: lines[1] ?? "",
      port: Number(lines[3]),
      isReady: status === "ready",
      isStarting: status === "starting",
    }
  } catch {
    return undefined
  }
}

/**
 * Whether it came here with a copy of another folder, and tells of that one's server. Where what it names is not to be seen,
 * nothing is proven: the server may run where the same folder has another path.
 */
export const isOfAnother = (file: PidFile, folder: string): boolean => {
  const named = identityOf(file.folder)
  return named !== undefined && named !== identityOf(folder)
}

export interface Launch {
  readonly installation: Installation
  readonly folder: string
  readonly settings: Readonly<Record<string, string>>
  /** Absent = any free one. */
  readonly port?: number
  /** Told of each process before anything is waited for, so that a start given up half-way can be cleaned up. */
  readonly onSpawn: (pid: number) => void
  readonly signal: AbortSignal
  /** For tests; default `READY_MS`. */
  readonly readyMs?: number
}

/** Another program took the port meanwhile, or a killed server's last processes have not let go of its memory yet. */
export class StillInUse extends Error {}

/** There are huge pages, and the system refuses them only when they are written to: such a server starts without them. */
export class NoHugePages extends Error {}

/** Of the server itself, or of the first process that it began. */
const isBus = ({ signal }: Ending, said: string): boolean =>
  signal === "SIGBUS" || /terminated by signal \d+: Bus error/.test(said)

/** Resolves when the server takes connections. Rejects with `StillInUse` where it may do so a little later, and with `NoHugePages`. */
export const startServer = async (launch: Launch): Promise<Server> => {
  const { logFile } = launch.installation
  launch.signal.throwIfAborted()
  const from = logLength(logFile)
  const { child, port } = await spawnServer(launch)
  const ended = untilExit(child)
  let isOver = false
  const over = () => {
    isOver = true
  }
  ended.then(over, over)
  if (child.pid === undefined) await ended
  else launch.onSpawn(child.pid)
  const is = (status: "isReady" | "isStarting") => {
    const file = readPidFile(launch.folder)
    return file?.pid === child.pid && file?.[status] === true
  }
  const isReady = () => is("isReady")
  const late = performance.now() + (launch.readyMs ?? READY_MS)
  // Stopped in the middle of a repair it would begin that from its start at the next try, and never get to its end.
  const isLate = () => performance.now() > late && !is("isStarting") && !isReady()
  await until(() => isOver || isReady() || launch.signal.aborted || isLate(), Number.POSITIVE_INFINITY)
  launch.signal.throwIfAborted()
  if (!isOver && isReady()) {
    // The service has its own reasons to stay alive; the server is none.
    child.unref()
    return { pid: child.pid!, port, ended }
  }
  if (!isOver) await stopServer(child.pid!)
  const ending = await ended
  const said = readLog(logFile, from)
  const message = `postgres ${describeEnding(ending)}:\n${said}`
  if (launch.settings.huge_pages !== "off" && isBus(ending, said)) throw new NoHugePages(message)
  throw /in use|already exists/i.test(said) ? new StillInUse(message) : new Error(message)
}

const spawnServer = async ({ installation, folder, settings, port }: Launch) => {
  const chosen = port ?? (await findFreePort())
  const all = Object.entries({ ...SERVER_SETTINGS, shared_buffers: sharedBuffers(), ...settings, port: `${chosen}` })
  const args = ["-D", folder, ...all.flatMap(([name, value]) => ["-c", `${name}=${value}`])]
  return { child: spawnProgram(installation, "postgres", args), port: chosen }
}

/**
 * Fast: open transactions are rolled back. Resolves when the process is gone; one that has not obeyed after `fast`
 * milliseconds has to drop all: what was committed is found again at the next start.
 */
export const stopServer = async (pid: number, fast = STOP_MS): Promise<void> => {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    const before = findProcess(pid)
    if (before === undefined) return
    try {
      process.kill(pid, signal)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ESRCH") return
      throw cause
    }
    if (await until(() => findProcess(pid)?.startedAt !== before.startedAt, signal === "SIGINT" ? fast : STOP_MS))
      return
  }
}

/** The service's own server, which it may leave before that is ready. One that is stopping already is at its last write. */
export const stopOwn = (pid: number, folder: string): Promise<void> =>
  stopServer(pid, readPidFile(folder)?.isStarting === true ? ORPHAN_MS : STOP_MS)

/** At once, without a last write and without taking its pid file away: its files are another's by now, that one too. */
export const dropServer = (pid: number): void => {
  // Those of its processes that are at work would see its end when they are done with that.
  const children = childrenOf(pid)
  for (const each of [pid, ...children]) {
    try {
      process.kill(each, "SIGKILL")
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause
    }
  }
}

/** A server stands in the folder of its files. Where the system does not say where a process stands, its arguments name them. */
const isServerOf = (folder: string, pid: number): boolean => {
  const found = findProcess(pid)
  if (found === undefined) return false
  const here = identityOf(folder)
  const paths = found.workingFolder === undefined ? found.args.filter(isAbsolute) : [`/proc/${pid}/cwd`]
  return paths.some((path) => identityOf(path) === here)
}

/**
 * Stops the server that a killed service left on these files, and answers its pid; undefined if there was none.
 * A pid file whose process is another program's, or the server of the folder that this one is a copy of, goes: PostgreSQL
 * itself would take that process for a server of this folder.
 */
export const stopOrphan = async (folder: string): Promise<number | undefined> => {
  const left = readPidFile(folder)
  if (left === undefined) return undefined
  const isServer = isServerOf(folder, left.pid)
  if (isServer) await stopServer(left.pid, ORPHAN_MS)
  rmSync(join(folder, "postmaster.pid"), { force: true })
  return isServer ? left.pid : undefined
}
