/** What processes cost, as Linux counts it: CPU time of a process or of a tree of them, and memory. */
import { readdirSync, readFileSync } from "node:fs"

/** /proc counts in hundredths of a second. */
const tick = 10_000

interface Stat {
  readonly parent: number
  readonly name: string
  /** Microseconds of the process itself, and of children that have ended. */
  readonly own: number
  readonly reaped: number
}

const statOf = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"))
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number)
    return {
      parent: fields[1]!,
      name,
      own: (fields[11]! + fields[12]!) * tick,
      reaped: (fields[13]! + fields[14]!) * tick,
    }
  } catch {
    return undefined
  }
}

/** CPU time in microseconds of one process, threads included. */
export const cpuOf = (pid: number): number => statOf(pid)?.own ?? 0

/** CPU time in microseconds of a process, its living children, and those that have ended. */
export const cpuOfTree = (pid: number): number => {
  const root = statOf(pid)
  if (root === undefined) return 0
  let sum = root.own + root.reaped
  for (const entry of readdirSync("/proc")) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined
    if (stat?.parent === pid) sum += stat.own
  }
  return sum
}

/** CPU time in microseconds of a process and of all that come from it, those that have ended and were waited for too. */
export const cpuOfFamily = (pid: number): number => {
  const stats = readdirSync("/proc").flatMap((entry) => {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined
    return stat === undefined ? [] : [{ pid: Number(entry), ...stat }]
  })
  const sumOf = (of: number): number =>
    stats.reduce((sum, it) => {
      if (it.pid === of) return sum + it.own + it.reaped
      return it.parent === of ? sum + sumOf(it.pid) : sum
    }, 0)
  return sumOf(pid)
}

/** The process of that family whose words are `words`; undefined while there is none. */
export const findInFamily = (root: number, words: ReadonlyArray<string>): number | undefined => {
  const [found] = readdirSync("/proc")
    .filter(
      (entry) => /^\d+$/.test(entry) && isOf(Number(entry), root) && wordsOf(entry).join("\0") === words.join("\0"),
    )
    .map(Number)
  return found
}

const isOf = (pid: number, root: number): boolean => pid === root || (pid > 1 && isOf(statOf(pid)?.parent ?? 0, root))

/** Without the program. */
const wordsOf = (pid: string): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(1, -1)
  } catch {
    return []
  }
}

/** Megabytes (10⁶ bytes) a process has resident. */
export const memoryOf = (pid: number): number => {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(/VmRSS:\s+(\d+) kB/)
  return (Number(line?.[1]) * 1024) / 1e6
}

/** Megabytes (10⁶ bytes): the most a process ever had resident. */
export const peakMemoryOf = (pid: number): number => {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(/VmHWM:\s+(\d+) kB/)
  return (Number(line?.[1]) * 1024) / 1e6
}

/** The PostgreSQL server of a backend of this machine; undefined where the server is elsewhere. */
export const serverOfBackend = (backend: number): number | undefined => {
  const stat = statOf(backend)
  return stat?.name === "postgres" ? stat.parent : undefined
}
