/** The whole service as a child process, as an operator runs it. */
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { startChild } from "../../demo/chain/child.ts"
import { starting } from "../../src/adapters/http/health/health.ts"
import { freePort, openTemporaryFolder } from "./postgres.ts"
import { program as ofTests } from "./program.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

export interface Service {
  readonly url: string
  readonly pid: number
  /** All it has printed so far. */
  readonly output: () => string
  /** The body of a GET; `path` from the root. Rejects unless the status is 200. */
  readonly get: <Body>(path: string) => Promise<Body>
  /** Returns when the chain's newest indexed block is the one with `hash`. */
  readonly indexed: (chainId: string, hash: string) => Promise<void>
  /** Returns when the chain's newest indexed block is `block` or a later one, and which. */
  readonly reached: (chainId: string, block: number) => Promise<number>
  /** Sends `signal` (default SIGTERM); the exit code, null where the signal ended it. Its embedded database goes too. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Starts `program` of `cwd` with `env` and nothing else of this process's settings; returns once it has started. */
export const startService = async (
  env: Record<string, string>,
  programArguments: ReadonlyArray<string> = [],
  { cwd = root, program = ofTests } = {},
): Promise<Service> => {
  const port = env.PORT ?? `${await freePort()}`
  const folder = openTemporaryFolder("cowry-service-")
  const { process: child, stop } = startChild(process.execPath, [...programArguments, program], {
    cwd,
    env: { PATH: process.env.PATH, HOST: "127.0.0.1", DATA_DIR: `${folder}/data`, ...withoutAudit(env), PORT: port },
    folder,
  })
  let output = ""
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk) => {
      output += chunk
    })
  const url = `http://127.0.0.1:${port}`
  const get = async <Body>(path: string): Promise<Body> => {
    const response = await fetch(url + path)
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Body
  }
  const asOf = async (chainId: string, what: "block" | "hash") => {
    const response = await fetch(`${url}/v2/network/mainnet/evm/${chainId}/erc20?limit=1`)
    return response.headers.get(`x-as-of-${what}`)?.split(":")[1]
  }
  const until = async <Found>(complaint: string, look: () => Promise<Found | undefined>): Promise<Found> => {
    for (const deadline = Date.now() + 200_000; Date.now() < deadline; await pause(25)) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The service ended:\n${output}`)
      const found = await look()
      if (found !== undefined) return found
    }
    throw new Error(`After 200 s ${complaint}:\n${output.slice(-4000)}`)
  }
  const indexed = async (chainId: string, hash: string) => {
    await until(`block ${hash} is not indexed`, async () => ((await asOf(chainId, "hash")) === hash ? true : undefined))
  }
  const reached = (chainId: string, block: number) =>
    until(`block ${block} is not indexed`, async () => {
      const newest = Number((await asOf(chainId, "block")) ?? -1)
      return newest >= block ? newest : undefined
    })
  try {
    await until("the service has not started", async () => {
      const response = await fetch(`${url}/ready`).catch(() => undefined)
      if (response === undefined) return undefined
      const { problem } = (await response.json()) as { readonly problem?: string }
      return problem === starting ? undefined : true
    })
  } catch (error) {
    await stop("SIGKILL")
    throw error
  }
  return { url, pid: child.pid!, output: () => output, get, indexed, reached, stop }
}

/** `work` on every item, at most `width` at once. */
export const inParallel = async <Item>(
  items: ReadonlyArray<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < items.length) await work(items[next++]!)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/**
 * The audit looks at a random time, and figures that it finds to be wrong are the contract's from then on: who wants it
 * names its pace.
 */
const withoutAudit = (env: Record<string, string>): Record<string, string> => {
  const chains = Object.keys(env).flatMap((name) => name.match(/^RPC_URL_(.+)$/)?.[1] ?? [])
  const silent = chains.filter((id) => env[`AUDIT_SECONDS_${id}`] === undefined)
  return { ...Object.fromEntries(silent.map((id) => [`AUDIT_${id}`, "off"])), ...env }
}
