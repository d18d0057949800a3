/** The programs between the shell and this one (npx, sh, `bun run`): npx does not pass SIGTERM on, so their end is watched for. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"

/** Resolves when one of those that were started to `run <script>` is gone; never, if there is none. */
export const launcherGone = async (script: string): Promise<void> => {
  const launchers = listLaunchers(process.ppid, `run ${script}`)
  while (launchers.every(isAlive)) await pause(500)
}

/** `pid` and its ancestors, as long as `words` are part of their command. */
const listLaunchers = (pid: number, words: string): ReadonlyArray<number> => {
  const { parent, command } = lookAt(pid)
  return command.includes(words) ? [pid, ...listLaunchers(parent, words)] : []
}

/** Small Linux images have no `ps`, other systems no /proc. An unknown process has no command. */
const lookAt = (pid: number): { readonly parent: number; readonly command: string } => {
  try {
    if (process.platform === "linux") {
      const status = readFileSync(`/proc/${pid}/status`, "utf8")
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
      return { parent: Number(status.match(/^PPid:\s*(\d+)/m)?.[1]), command }
    }
    const { stdout } = spawnSync("ps", ["-o", "ppid=,command=", "-p", `${pid}`], { encoding: "utf8" })
    const [, parent, command = ""] = stdout.trim().match(/^(\d+) (.*)$/s) ?? []
    return { parent: Number(parent), command }
  } catch {
    return { parent: 0, command: "" }
  }
}

/** Another user's process (`runuser`, `su`) may not be signalled: that is said of one that there is. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as { readonly code?: unknown }).code !== "ESRCH"
  }
}
