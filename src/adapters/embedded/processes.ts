/** Which program a process id belongs to now: ids are used again, so a number in a file proves nothing. */
import { execFileSync } from "node:child_process"
import { readFileSync, readlinkSync } from "node:fs"

export interface RunningProcess {
  /** Differs between two processes that had the same id; opaque. */
  readonly startedAt: string
  readonly args: ReadonlyArray<string>
  /** Absent where the system does not say. */
  readonly workingFolder?: string
}

/** The process that has this id now; undefined when there is none or it has ended and only waits to be reaped. */
export const findProcess = (pid: number): RunningProcess | undefined => {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return process.platform === "linux" ? findInProc(pid) : findWithPs(pid)
}

/** Those that it has begun and that live; none where the system does not say. */
export const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
  } catch {
    return []
  }
}

/** Within which a process id means one process: of one container, and of one start of the machine. Absent where the system has none. */
export const pidNamespace = (): string | undefined => {
  try {
    return `${bootId()} ${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return undefined
  }
}

const bootId = (): string => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()

const findInProc = (pid: number): RunningProcess | undefined => {
  try {
    // The second field is the program's name in parentheses and may hold anything, spaces and parentheses too.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (state === "Z" || state === "X") return undefined
    const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)
    return { startedAt: `${bootId()}:${fields[18]}`, args, ...workingFolderOf(pid) }
  } catch {
    return undefined
  }
}

// Root without CAP_SYS_PTRACE, as in most containers, may not look.
const workingFolderOf = (pid: number): { readonly workingFolder?: string } => {
  try {
    return { workingFolder: readlinkSync(`/proc/${pid}/cwd`) }
  } catch {
    return {}
  }
}

const findWithPs = (pid: number): RunningProcess | undefined => {
  const ask = (field: string): string =>
    execFileSync("ps", ["-ww", "-o", `${field}=`, "-p", `${pid}`], {
      encoding: "utf8",
      env: { LC_ALL: "C", TZ: "UTC" },
    })
  try {
    if (ask("stat").trim().startsWith("Z")) return undefined
    return { startedAt: ask("lstart").trim(), args: ask("args").trim().split(" ") }
  } catch {
    return undefined
  }
}
