/** `cowry <command>` as a child process, as an operator types it. */
import { fileURLToPath } from "node:url"
import { startChild } from "../../demo/chain/child.ts"
import { openTemporaryFolder } from "./postgres.ts"
import { program } from "./program.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

export interface CommandRun {
  readonly pid: number
  /** All it has printed so far, on both outputs. */
  readonly output: () => string
  /** Returns when it has printed this; rejects when it ends before. */
  readonly printed: (text: string) => Promise<void>
  /** Its exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>
  /** Sends `signal` and waits for its end. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Starts the program with these words and `env`, and nothing else of this process's settings. */
export const startCommand = (words: ReadonlyArray<string>, env: Record<string, string> = {}): CommandRun => {
  const { process: child, stop } = startChild(process.execPath, [program, ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    folder: openTemporaryFolder("cowry-command-"),
  })
  let output = ""
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk) => {
      output += chunk
      for (const listener of listeners) listener()
    })
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)))
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (output.includes(text)) resolve()
      }
      listeners.add(look)
      look()
      ended.then((code) => reject(new Error(`it ended with ${code} before it printed ${text}:\n${output}`)))
    })
  return { pid: child.pid!, output: () => output, printed, ended, stop }
}

/** Runs it to its end. */
export const runCommand = async (words: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const run = startCommand(words, env)
  const code = await run.ended
  await run.stop()
  return { code, output: run.output() }
}
