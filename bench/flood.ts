/** `bench:flood`: how long other callers wait while somebody opens connections in a row and drops them. */
import { setTimeout as pause } from "node:timers/promises"
import { startChild, stopChildren } from "../demo/chain/child.ts"
import { openTemporaryFolder } from "../test/support/postgres.ts"
import { chainFlags } from "./chain/options.ts"
import { type ChainStatus, startChain, startService, untilPrinted } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, quantile } from "./support/output.ts"
import { cpuOf } from "./support/processes.ts"

const flags = readFlags(
  {
    ...chainFlags,
    logs: 20_000,
    blockTime: 500,
    liveLogsPerBlock: 20,
    /** Connections that are begun in a second, and seconds of each part. */
    rate: 2500,
    seconds: 8,
    /** Names of the floods that are run, with commas between; empty = all. */
    only: "",
    /** Where a CPU profile of the service is written; empty = none is made. */
    profile: "",
  },
  process.argv.slice(2),
)
const { rate, seconds, only, profile, ...chainOptions } = flags
const { chainId } = chainOptions
const chainAt = `/v2/network/mainnet/evm/${chainId}`
const schema = "cowry_flood"

const floods: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly name: string; readonly rate?: number }> = [
  { name: "none", path: "/health", callers: 1, waits: true, rate: 1 },
  { name: "health", path: "/health", callers: 1, waits: true },
  { name: "events of one caller", path: `${chainAt}/events`, callers: 1, waits: true },
  { name: "events of 1000 callers", path: `${chainAt}/events`, callers: 1000, waits: true },
  { name: "events from the beginning", path: `${chainAt}/events?after=beginning`, callers: 1000, waits: true },
  { name: "events dropped unheard", path: `${chainAt}/events`, callers: 1000, waits: false },
  { name: "lists", path: `${chainAt}/erc20-transfers?limit=25`, callers: 1000, waits: true },
  { name: "the page", path: "/", callers: 1000, waits: true },
  {
    name: "compatible calls",
    path: `/api?chainid=${chainId}&module=stats&action=tokensupply`,
    callers: 1000,
    waits: true,
  },
  { name: "webhooks without a key", path: "/v2/webhooks", method: "POST", body: "{}", callers: 1000, waits: true },
]

const database = await openDatabase(schema)
try {
  const chain = await startChain(chainOptions)
  const made = await chain.get<ChainStatus>("/status")
  console.log(describeMachine(database.version))
  const service = await startService(
    {
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: schema,
      TRUST_PROXY: "on",
      [`RPC_URL_${chainId}`]: chain.url,
      [`AUDIT_${chainId}`]: "off",
    },
    profile === "" ? undefined : profile,
  )
  while ((await service.block(chainId)) < made.head) await pause(200)
  await chain.post(`/start?blockTime=${flags.blockTime}&logs=${flags.liveLogsPerBlock}`)
  const port = Number(new URL(service.url).port)

  /** What another caller waits for one answer, again and again; each of its own connection. */
  const waitsOf = async (path: string, until: number): Promise<ReadonlyArray<number>> => {
    const waits: Array<number> = []
    for (; performance.now() < until; await pause(20)) {
      const began = performance.now()
      const response = await fetch(`${service.url}${path}`, { headers: { "x-forwarded-for": "203.0.113.9" } })
      const reader = response.body!.getReader()
      await reader.read()
      waits.push(performance.now() - began)
      await reader.cancel()
    }
    return waits
  }
  const told = (waits: ReadonlyArray<number>) =>
    `p50 ${quantile(waits, 0.5).toFixed(0)} p99 ${quantile(waits, 0.99).toFixed(0)} most ${Math.max(...waits).toFixed(0)}`

  for (const flood of floods.filter(({ name }) => only === "" || only.split(",").includes(name))) {
    const before = cpuOf(service.pid)
    const words = JSON.stringify({ port, rate, seconds, ...flood })
    const { process: child } = startChild(process.execPath, ["bench/events/flooder.ts", words], {
      cwd: new URL("..", import.meta.url).pathname,
      env: process.env,
      folder: openTemporaryFolder("cowry-bench-flood-"),
    })
    const result = untilPrinted(child, /flood (\{.*\})/)
    const until = performance.now() + seconds * 1000
    const [lists, streams] = await Promise.all([
      waitsOf(`${chainAt}/erc20-transfers?limit=25`, until),
      waitsOf(`${chainAt}/events`, until),
    ])
    const { begun, answered, statuses } = JSON.parse(await result) as {
      begun: number
      answered: number
      statuses: Record<string, number>
    }
    const cpu = (cpuOf(service.pid) - before) / Math.max(1, begun)
    console.log(
      `${flood.name}: ${(begun / seconds).toFixed(0)} a second, ${answered} answered ${JSON.stringify(statuses)}, ${cpu.toFixed(0)} µs CPU each; others: a list ${told(lists)} ms, a stream's beginning ${told(streams)} ms`,
    )
    await pause(2000)
  }
  await chain.post("/stop")
  await service.stop()
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
