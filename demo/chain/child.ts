/** A program started by this one, which never outlives it and leaves no folder behind. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { rm } from "node:fs/promises"

export interface Child {
  readonly process: ChildProcess
  /** Sends SIGTERM, returns its exit code (null: a signal ended it) when it is gone and its folder too. Safe to call twice. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

const running: Child[] = []

/** Stops every child there is, the youngest first. */
export const stopChildren = async (): Promise<void> => {
  for (let child = running.at(-1); child !== undefined; child = running.at(-1)) await child.stop()
}

/** Its input ends however this process ends, `kill -9` included; then it takes the child and the folder along. */
const watch = `
while read -r line; do :; done
kill "$1"
for try in $(seq 300); do kill -0 "$1" && sleep 0.1; done
rm -rf "$2"`

/** `folder` goes when the child does; stdout and stderr are pipes, which must be read. */
export const startChild = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly folder: string },
): Child => {
  const { cwd, env, folder } = options
  // Process groups of their own: Ctrl-C in a terminal must reach them in order, not all at once.
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true })
  const watcher = spawn("/bin/sh", ["-c", watch, "sh", `${child.pid}`, folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  })
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const gone = once(child, "exit")
      child.kill(signal)
      await gone
    }
    await rm(folder, { recursive: true, force: true })
    watcher.kill("SIGKILL")
    running.splice(0, running.length, ...running.filter((it) => it.process !== child))
    return child.exitCode
  }
  running.push({ process: child, stop })
  return { process: child, stop }
}
