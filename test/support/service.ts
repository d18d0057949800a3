/** The whole service as a child process, as an operator runs it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { freePort } from "./postgres.ts"

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
  /** Sends `signal` (default SIGTERM); the exit code, null where the signal ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Starts `src/main.ts` with `env` and nothing else of this process's settings; returns once it listens. */
export const startService = async (env: Record<string, string>): Promise<Service> => {
  const port = env.PORT ?? `${await freePort()}`
  const child = spawn(process.execPath, ["src/main.ts"], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, HOST: "127.0.0.1", ...env, PORT: port },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  const gone = once(child, "exit") as Promise<[number | null]>
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk
    })
  const url = `http://127.0.0.1:${port}`
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal)
    const [code] = await gone
    return code
  }
  const alive = () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The service ended:\n${output}`)
  }
  const get = async <Body>(path: string): Promise<Body> => {
    const response = await fetch(url + path)
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Body
  }
  const indexed = (chainId: string, hash: string) =>
    until(
      async () => {
        alive()
        const response = await fetch(`${url}/v2/network/mainnet/evm/${chainId}/erc20?limit=1`)
        return response.headers.get("x-as-of-hash") === `${chainId}:${hash}`
      },
      `block ${hash} was not indexed`,
      () => output,
    )
  try {
    await until(
      async () => {
        alive()
        return (await fetch(`${url}/health`).catch(() => undefined))?.status === 200
      },
      "the service did not listen",
      () => output,
    )
  } catch (error) {
    await stop("SIGKILL")
    throw error
  }
  return { url, pid: child.pid!, output: () => output, get, indexed, stop }
}

/** Asks again and again, for at most a minute. */
const until = async (isTrue: () => Promise<boolean>, complaint: string, detail: () => string): Promise<void> => {
  for (const deadline = Date.now() + 60_000; !(await isTrue()); await new Promise((wait) => setTimeout(wait, 25)))
    if (Date.now() > deadline) throw new Error(`After 60 s ${complaint}:\n${detail().slice(-4000)}`)
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
