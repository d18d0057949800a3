/** One start of the service by a real command, watched from outside: when it said or answered what, and what CPU it had used by then. */
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { startChild } from "../../demo/chain/child.ts"
import { program as bundled } from "../../docker/bundle.ts"
import { freePort } from "../../test/support/postgres.ts"
import { collectorSettings, installWords } from "../support/collector.ts"
import { cpuOfFamily, findInFamily } from "../support/processes.ts"

/** A moment of a start, since the command was spawned: milliseconds, and CPU milliseconds of all its processes. */
export interface Mark {
  readonly name: string
  readonly wall: number
  readonly cpu: number
}

const root = fileURLToPath(new URL("../../", import.meta.url))

/** As the README has it, and as the image has it (`docker/bundle.ts`). `install`: what the first does before the service. */
export const commands = {
  "run start": ["npx", "--yes", `bun@${process.versions.bun}`, "run", "start"],
  container: [process.execPath, bundled],
  install: [process.execPath, ...installWords],
  version: [process.execPath, bundled, "--version"],
  runtime: [process.execPath, "-e", "0"],
} as const

/** What is looked for in the log, in the order in which it comes. */
const lines: ReadonlyArray<readonly [words: RegExp, name: string]> = [
  [/start: the settings are read/, "runtime up, modules loaded, settings read"],
  [/start: PostgreSQL's programs are there/, "PostgreSQL's programs"],
  [/start: the data folder is there/, "data folder (initdb on a new one)"],
  [/start: PostgreSQL runs/, "PostgreSQL started"],
  [/start: the server was looked at/, "connected, server looked at"],
  [/start: the registry is up to date/, "registry"],
  [/listens on http/, "HTTP listens"],
  [/the node was looked at/, "first look at the chain"],
  [/its tables are up to date/, "the chain's tables"],
  [/its ledger is open/, "the chain's ledger open"],
]

/**
 * Starts `command`, waits until /ready says 200, stops it. `settings` as in the environment. `server`: process of a
 * database that is not the command's own, whose CPU counts too.
 */
export const measureStart = async (
  command: "run start" | "container",
  settings: Readonly<Record<string, string>>,
  {
    chainId,
    server,
    folder,
  }: { readonly chainId: number; readonly server: number | undefined; readonly folder: string },
): Promise<ReadonlyArray<Mark>> => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const serverBefore = server === undefined ? 0 : cpuOfFamily(server)
  const [program, ...words] = commands[command]
  const main = command === "container" ? bundled : "src/main.ts"
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...collectorSettings, HOST: "127.0.0.1", PORT: `${port}`, LOG_LEVEL: "debug", ...settings }
  const began = performance.now()
  const { process: child, stop } = startChild(program, words, { cwd: root, env, folder })
  const marks: Array<Mark> = []
  const mark = (name: string) => {
    if (marks.some((it) => it.name === name)) return
    const wall = performance.now() - began
    const used = cpuOfFamily(child.pid!) + (server === undefined ? 0 : cpuOfFamily(server) - serverBefore)
    marks.push({ name, wall, cpu: used / 1000 })
  }
  let printed = ""
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on("data", (chunk) => {
      printed += chunk
      for (const [words, name] of lines) if (words.test(printed)) mark(name)
    })
  }
  const until = async (name: string, isSo: () => boolean | Promise<boolean>) => {
    for (const deadline = began + 120_000; !(await isSo()); await pause(2)) {
      if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${name} did not come:\n${printed}`)
    }
    mark(name)
  }
  const answers = (path: string) => async () => {
    const response = await fetch(url + path).catch(() => undefined)
    await response?.arrayBuffer()
    return response?.status === 200
  }
  try {
    if (command === "run start") {
      await until("npx, bun run, packages checked", () => findInFamily(child.pid!, [main]) !== undefined)
    }
    await until("HTTP listens", () => marks.some(({ name }) => name === "HTTP listens"))
    await until("first answer: /health", answers("/health"))
    await until("first list", answers(`/v2/network/mainnet/evm/${chainId}/erc20?limit=1`))
    await until("/ready says 200", answers("/ready"))
  } finally {
    // npx does not hand a signal on; the service sees that it is gone.
    const service = findInFamily(child.pid!, [main])
    if (service !== undefined) process.kill(service, "SIGTERM")
    while (service !== undefined && findInFamily(service, [main]) !== undefined) await pause(10)
    await stop()
  }
  return marks
}
