/** Runs one of PostgreSQL's programs as the server's user, its output going to the log file. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import type { Account } from "./account.ts"

export interface Installation {
  /** The folder with `bin`, `lib` and `share`. */
  readonly programs: string
  readonly account: Account | undefined
  readonly logFile: string
  /** Called after each start of a program. */
  readonly onSpawn: () => void
}

/**
 * Starts the program in a process group of its own: a Ctrl-C meant for the service must not reach a server that still
 * has requests to serve. The log file is handed over open, so the program may write where it may not open.
 */
export const spawnProgram = (
  { programs, account, logFile, onSpawn }: Installation,
  program: "initdb" | "postgres",
  args: ReadonlyArray<string>,
  input?: string,
): ChildProcess => {
  const log = openSync(logFile, "a", 0o600)
  try {
    const child = spawn(`${programs}/bin/${program}`, args, {
      ...account,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
      detached: true,
      stdio: [input === undefined ? "ignore" : "pipe", log, log],
    })
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
    onSpawn()
    return child
  } finally {
    closeSync(log)
  }
}

/** How a program ended. */
export interface Ending {
  readonly code: number | null
  /** Of what killed it. */
  readonly signal: NodeJS.Signals | null
}

/** Resolves once it has ended. Rejects when it could not be started at all. */
export const untilExit = (child: ChildProcess): Promise<Ending> =>
  new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code, signal) => resolve({ code, signal }))
  })

const causes: Partial<Record<NodeJS.Signals, string>> = {
  SIGKILL: " (the system may have been out of memory)",
  SIGBUS: " (as where the system has set huge pages aside and does not let this container have them)",
}

/** In words, behind the program's name. */
export const describeEnding = ({ code, signal }: Ending): string =>
  signal === null ? `ended with code ${code}` : `was ended by ${signal}${causes[signal] ?? ""}`

/** How long the log is now, in bytes: the place where the next program's words will start. */
export const logLength = (logFile: string): number => {
  const file = openSync(logFile, "a", 0o600)
  try {
    return fstatSync(file).size
  } finally {
    closeSync(file)
  }
}

/** What was logged since `from`, its last 2,000 bytes at most. */
export const readLog = (logFile: string, from: number): string => {
  const file = openSync(logFile, "r")
  try {
    const { size } = fstatSync(file)
    // A log that is shorter by now was put aside meanwhile.
    const start = Math.max(size < from ? 0 : from, size - 2_000)
    const buffer = Buffer.alloc(Math.max(0, size - start))
    readSync(file, buffer, 0, buffer.length, start)
    return buffer.toString("utf8").trim()
  } finally {
    closeSync(file)
  }
}
