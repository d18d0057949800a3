/** `bench:shares`: what costly reads of many connections do to cheap ones, to readiness and to other callers' costly ones; slow readers of streams. */
import { connect } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { chainFlags } from "./chain/options.ts"
import { type ChainStatus, type Service, startChain, startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, format, quantile } from "./support/output.ts"
import type { TokenTruth } from "./truth/truth.ts"

const flags = readFlags(
  {
    ...chainFlags,
    logs: 200_000,
    tokens: 5,
    /** Connections that ask costly things at once. */ costly: 200,
    /** Seconds of each round. */ seconds: 15,
  },
  process.argv.slice(2),
)
const { costly, seconds, ...chainOptions } = flags
const { chainId } = chainOptions
const small = { ...chainOptions, chainId: chainId + 1, logs: 5000 }
const schema = "cowry_bench"

interface Seen {
  readonly milliseconds: Array<number>
  readonly statuses: Map<number, number>
}

const seen = (): Seen => ({ milliseconds: [], statuses: new Map() })

const ask = async (url: string, caller: string, into: Seen, signal?: AbortSignal): Promise<Response | undefined> => {
  const began = performance.now()
  try {
    const response = await fetch(url, { headers: { "x-forwarded-for": caller }, ...(signal && { signal }) })
    await response.arrayBuffer()
    into.milliseconds.push(performance.now() - began)
    into.statuses.set(response.status, (into.statuses.get(response.status) ?? 0) + 1)
    return response
  } catch {
    return undefined
  }
}

const linesOf = (name: string, { milliseconds, statuses }: Seen): Array<[string, number, number]> => [
  [`${name}: answers`, milliseconds.length, 0],
  ...[...statuses].map(([status, count]): [string, number, number] => [`  of which ${status}`, count, 0]),
  ["  median ms", quantile(milliseconds, 0.5), 1],
  ["  99th percentile ms", quantile(milliseconds, 0.99), 1],
  ["  slowest ms", quantile(milliseconds, 1), 1],
]

interface Paths {
  readonly costly: string
  readonly cheap: string
  readonly all: string
}

/** `connections` that ask the costly thing again and again, beside one caller of each other kind every 10 ms. */
const round = async (
  what: string,
  { url }: Service,
  paths: Paths,
  connections: number,
  callerOf: (n: number) => string,
) => {
  const over = new AbortController()
  const load = seen()
  const loaders = Array.from({ length: connections }, async (_, number) => {
    while (!over.signal.aborted) {
      const response = await ask(url + paths.costly, callerOf(number), load, over.signal)
      // As a polite client does.
      const after = Number(response?.headers.get("retry-after") ?? 0)
      if (after > 0) await pause(after * 1000, undefined, { signal: over.signal }).catch(() => {})
    }
  })
  await pause(1000)
  const others = { cheap: seen(), all: seen(), ready: seen(), metrics: seen(), "another's costly": seen() }
  const until = performance.now() + seconds * 1000
  const every = async (path: string, into: Seen, pauseMs: number) => {
    while (performance.now() < until) {
      await ask(url + path, "198.51.100.9", into)
      await pause(pauseMs)
    }
  }
  await Promise.all([
    every(paths.cheap, others.cheap, 10),
    every(paths.all, others.all, 10),
    every("/ready", others.ready, 50),
    every("/metrics", others.metrics, 200),
    every(paths.costly, others["another's costly"], 100),
  ])
  over.abort()
  await Promise.all(loaders)
  console.log(`${what}:`)
  console.log(
    format([...Object.entries(others).flatMap(([name, it]) => linesOf(name, it)), ...linesOf("the load", load)]),
  )
}

/** A client that asks for a stream and reads nothing; `status` once the answer began. */
const openUnread = async (url: string, path: string, caller: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  socket.on("error", () => {})
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: ${caller}\r\nAccept: application/x-ndjson\r\n\r\n`,
  )
  const first = await new Promise<string>((resolve) =>
    socket.once("data", (part) => {
      socket.pause()
      resolve(String(part))
    }),
  )
  return { status: Number(first.slice(9, 12)), closed, end: () => socket.destroy() }
}

/** Eight clients, each with its own address, that open a stream and read nothing; how long the ninth waits. */
const slowReaders = async ({ url }: Service, path: string) => {
  const unread = await Promise.all(
    Array.from({ length: 8 }, (_, number) => openUnread(url, path, `203.0.113.${number}`)),
  )
  const began = performance.now()
  const ninth = await fetch(url + path, {
    headers: { "x-forwarded-for": "198.51.100.9", accept: "application/x-ndjson" },
  })
  const waited = performance.now() - began
  let bytes = 0
  for await (const part of ninth.body as unknown as AsyncIterable<Uint8Array>) bytes += part.byteLength
  console.log("a ninth stream beside eight that nobody reads:")
  console.log(
    format([
      ["status", ninth.status, 0],
      ["waited ms", waited, 0],
      ["megabytes", bytes / 1e6, 1],
      ["of the eight, begun", unread.filter(({ status }) => status === 200).length, 0],
    ]),
  )
  for (const { end } of unread) end()
  await Promise.all(unread.map(({ closed }) => closed))
}

const database = await openDatabase(schema)
try {
  const [chain, other] = [await startChain(chainOptions), await startChain(small)]
  const [made, madeSmall] = [await chain.get<ChainStatus>("/status"), await other.get<ChainStatus>("/status")]
  const tokens = await chain.get<ReadonlyArray<TokenTruth>>("/truth/tokens")
  const token = tokens.reduce((most, next) => (next.holders > most.holders ? next : most))
  console.log(describeMachine(database.version))
  const service = await startService({
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: schema,
    TRUST_PROXY: "on",
    [`RPC_URL_${chainId}`]: chain.url,
    [`RPC_URL_${small.chainId}`]: other.url,
  })
  console.log(`two ledgers are made first; the token asked about has ${token.holders} holders …`)
  while ((await service.block(chainId)) < made.head) await pause(200)
  while ((await service.block(small.chainId)) < madeSmall.head) await pause(200)
  const base = `/v2/network/mainnet/evm/${chainId}`
  const paths: Paths = {
    costly: `${base}/erc20/${token.address}/holders?blockNumber=${Math.floor(made.head / 2)}`,
    cheap: `${base}/erc20-transfers?limit=25`,
    all: "/v2/network/mainnet/evm/all/erc20-transfers?limit=25",
  }
  await slowReaders(service, `${base}/erc20-transfers`)
  await round("nobody else", service, paths, 0, () => "")
  await round("40 costly connections of one caller", service, paths, 40, () => "203.0.113.7")
  await round(`${costly} costly connections of one caller`, service, paths, costly, () => "203.0.113.7")
  await round(`${costly} costly connections of as many callers`, service, paths, costly, (n) => `203.0.113.${n}`)
  await service.stop()
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
