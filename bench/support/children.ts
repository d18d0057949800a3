/** The processes a bench starts: the chain server and the service itself; none outlives the bench. */
import { fileURLToPath } from "node:url"
import { startChild } from "../../demo/chain/child.ts"
import { openTemporaryFolder } from "../../test/support/postgres.ts"
import type { ServerOptions } from "../chain/options.ts"
import { collectorSettings } from "./collector.ts"
import { flagsOf } from "./flags.ts"

export interface ChainStatus {
  readonly head: number
  readonly headHash: string
  /** ERC-20. */
  readonly transfers: number
  /** ERC-721 and ERC-1155: logs, and rows of the feeds that they are. */
  readonly nftLogs: number
  readonly nftRows: number
  readonly firstLogsAt?: number
  readonly logsServed: number
  readonly bytes: number
  readonly requests: Readonly<Record<string, number>>
  readonly cpuMicroseconds: number
}

export interface ChainServer {
  readonly url: string
  readonly pid: number
  readonly get: <Body>(path: string) => Promise<Body>
  readonly text: (path: string) => Promise<Response>
  readonly post: (path: string) => Promise<void>
  readonly stop: () => Promise<unknown>
}

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Returns when the chain is made and answers. */
export const startChain = async (options: Partial<ServerOptions>): Promise<ChainServer> => {
  const { process: child, stop } = startChild(process.execPath, ["bench/chain/server.ts", ...flagsOf(options)], {
    cwd: root,
    // A chain of 3 million has 563 MB with them, 911 without.
    env: { ...process.env, ...collectorSettings },
    folder: openTemporaryFolder("cowry-bench-chain-"),
  })
  const url = await untilPrinted(child, /ready (http\S+)/)
  const text = async (path: string) => {
    const response = await fetch(new URL(path, url))
    if (!response.ok) throw new Error(`the chain server answered ${path} with ${response.status}`)
    return response
  }
  return {
    url,
    pid: child.pid!,
    text,
    get: async (path) => (await text(path)).json() as never,
    post: async (path) => {
      await fetch(new URL(path, url), { method: "POST" })
    },
    stop,
  }
}

export interface Service {
  readonly url: string
  readonly pid: number
  /** The block of `x-as-of-block`, −1 before the first; optionally of one path only. */
  readonly block: (chainId: number) => Promise<number>
  readonly phase: (chainId: number) => Promise<string>
  /** What `/ready` says of the chain, in a line. */
  readonly progress: (chainId: number) => Promise<string>
  readonly stop: () => Promise<number | null>
  readonly output: () => string
}

/** `src/main.ts` as an operator runs it, `profile` = a folder for CPU profiles. Returns when it listens. */
export const startService = async (settings: Readonly<Record<string, string>>, profile?: string): Promise<Service> => {
  const inspected = profile === undefined ? [] : ["--cpu-prof", "--cpu-prof-md", "--cpu-prof-dir", profile]
  const { process: child, stop } = startChild(process.execPath, [...inspected, "src/main.ts"], {
    cwd: root,
    // As `bun run start` does.
    env: {
      ...collectorSettings,
      PATH: process.env.PATH,
      HOST: "127.0.0.1",
      PORT: "0",
      ...settings,
    },
    folder: openTemporaryFolder("cowry-bench-service-"),
  })
  let output = ""
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on("data", (chunk) => {
      output = (output + chunk).slice(-20_000)
    })
  }
  const url = await untilPrinted(child, /listens on (http\S+)/)
  const stateOf = async (chainId: number) => {
    const { chains } = (await (await fetch(`${url}/ready`)).json()) as {
      chains: ReadonlyArray<Record<string, unknown>>
    }
    return chains.find((it) => it.chainId === `${chainId}`) ?? {}
  }
  return {
    url,
    pid: child.pid!,
    output: () => output,
    stop,
    phase: async (chainId) => `${(await stateOf(chainId)).phase}`,
    progress: async (chainId) => {
      const { phase, done, secondsLeft, logsPerSecond, problem } = await stateOf(chainId)
      const share = typeof done === "number" ? `${(100 * done).toFixed(1)} %` : "–"
      return [phase, share, `${secondsLeft ?? "–"} s left`, `${logsPerSecond} logs/s`, problem ?? ""].join(", ")
    },
    block: async (chainId) => {
      const response = await fetch(`${url}/v2/network/mainnet/evm/${chainId}/erc20?limit=1`)
      await response.arrayBuffer()
      if (child.exitCode !== null) throw new Error(`the service ended:\n${output}`)
      return Number(response.headers.get("x-as-of-block")?.split(":")[1] ?? -1)
    },
  }
}

type Child = ReturnType<typeof startChild>["process"]

/** The first group of what a child prints; its end before that is an error with all it printed. */
export const untilPrinted = (child: Child, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let printed = ""
    const read = (chunk: Buffer) => {
      printed += chunk
      const found = printed.match(pattern)?.[1]
      if (found === undefined) return
      for (const stream of [child.stdout!, child.stderr!]) stream.off("data", read).resume()
      resolve(found)
    }
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", read)
    child.once("exit", (code) => reject(new Error(`it ended with code ${code}:\n${printed}`)))
  })
