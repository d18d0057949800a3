/** `bench:across`: pages of lists over many chains in one database, the stores alone and over HTTP: how long a page takes, what it costs, what memory its plans take. */
import { readFileSync } from "node:fs"
import { Effect, ManagedRuntime } from "effect"
import { stopChildren } from "../demo/chain/child.ts"
import * as PostgresStore from "../src/adapters/postgres/PostgresStore.ts"
import { chainIdOfNumber } from "../src/model/primitives.ts"
import { AuditStore } from "../src/ports/AuditStore.ts"
import { SwapStore } from "../src/ports/SwapStore.ts"
import { TokenStore } from "../src/ports/TokenStore.ts"
import { TransferStore } from "../src/ports/TransferStore.ts"
import { measureOverHttp } from "./across/overHttp.ts"
import { seedChains, seldomAddress } from "./across/seedChains.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, quantile } from "./support/output.ts"
import { cpuOfTree } from "./support/processes.ts"

const flags = readFlags(
  {
    chains: 100,
    /** Transfers, and swaps, of each chain. */
    rows: 5000,
    /** Times that each page is asked, after as many as its plan needs to be kept. */
    runs: 200,
    /** Rows of a page. */
    limit: 10,
  },
  process.argv.slice(2),
)
const { runs, limit, rows } = flags
const schema = "cowry_bench"
const numbers = Array.from({ length: flags.chains }, (_, at) => 900_001 + at)
const chains = numbers.map(chainIdOfNumber)

const database = await openDatabase(schema, "max_locks_per_transaction=1024,autovacuum=off,max_connections=400")
try {
  console.log(describeMachine(database.version))
  await seedChains(database.sql, { schema, chains: numbers, rows })
  const runtime = ManagedRuntime.make(PostgresStore.layer({ url: database.url, schema }))
  const transfers = (more: object) =>
    TransferStore.use((store) =>
      store.list({ standard: "erc20", chains, filter: {}, direction: "desc", page: { limit }, count: false, ...more }),
    )
  const tokens = (field: "holdersCount" | "createdAt" | "name", more: object) =>
    TokenStore.use((store) =>
      store.list({
        standard: "erc20",
        chains,
        sort: { field, direction: "desc" },
        page: { limit },
        count: false,
        ...more,
      }),
    )
  const { value: first } = await runtime.runPromise(transfers({}))
  const { value: firstTokens } = await runtime.runPromise(tokens("holdersCount", {}))
  const { value: firstNames } = await runtime.runPromise(tokens("name", {}))
  const token = first.items[0]!.tokenAddress
  let place = first.keys.at(-1)!
  const questions: Readonly<
    Record<string, Effect.Effect<unknown, unknown, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>>
  > = {
    "transfers, newest page": transfers({}),
    "transfers, newest page and count": transfers({ count: true }),
    "transfers, a page further down": transfers({ page: { limit, after: first.keys.at(-2)! } }),
    "transfers, page after page": Effect.suspend(() =>
      Effect.tap(transfers({ page: { limit, after: place } }), ({ value }) =>
        Effect.sync(() => {
          place = value.keys.at(-1) ?? place
        }),
      ),
    ),
    "transfers of a token": transfers({ filter: { tokenAddress: [token] } }),
    "transfers of an account seen on three chains": transfers({ filter: { address: [seldomAddress] } }),
    "tokens by holders": tokens("holdersCount", {}),
    "tokens by holders and count": tokens("holdersCount", { count: true }),
    "tokens by holders, a page further down": tokens("holdersCount", {
      page: { limit, after: firstTokens.keys.at(-2)! },
    }),
    "tokens by creation": tokens("createdAt", {}),
    "tokens by name": tokens("name", {}),
    swaps: SwapStore.use((store) =>
      store.list({ chains, filter: {}, direction: "desc", page: { limit }, count: true }),
    ),
    "swaps, a page further down": SwapStore.use((store) =>
      store.list({ chains, filter: {}, direction: "desc", page: { limit, after: place }, count: false }),
    ),
    "tokens by name, a page further down": tokens("name", { page: { limit, after: firstNames.keys.at(-2)! } }),
    "audits of a state": AuditStore.use((store) =>
      store.list({ chains, state: "drift", page: { limit }, count: true }),
    ),
    audits: AuditStore.use((store) => store.list({ chains, page: { limit }, count: true })),
  }
  /** Megabytes that no other process shares, of the largest of the server's processes. */
  const largest = (): number => {
    const children = readFileSync(`/proc/${database.server}/task/${database.server}/children`, "utf8").trim().split(" ")
    const own = children.map((pid) => {
      try {
        const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")
        return (Number(text.match(/^Private_Dirty:\s+(\d+)/m)?.[1]) * 1024) / 1e6
      } catch {
        return 0
      }
    })
    return Math.max(...own)
  }
  console.log(
    `${flags.chains} chains, ${rows} transfers each, pages of ${limit}; milliseconds, and CPU of service and server`,
  )
  for (const [name, ask] of Object.entries(questions)) {
    for (let warm = 0; warm < 14; warm++) await runtime.runPromise(ask)
    const before = { service: process.cpuUsage(), server: cpuOfTree(database.server ?? 0) }
    const times: Array<number> = []
    for (let run = 0; run < runs; run++) {
      const begin = performance.now()
      await runtime.runPromise(ask)
      times.push(performance.now() - begin)
    }
    const { user, system } = process.cpuUsage(before.service)
    const service = (user + system) / runs / 1000
    const server = (cpuOfTree(database.server ?? 0) - before.server) / runs / 1000
    console.log(
      `  ${name.padEnd(44)} p50 ${quantile(times, 0.5).toFixed(1).padStart(6)}  p95 ${quantile(times, 0.95).toFixed(1).padStart(6)}` +
        `  CPU ${service.toFixed(1).padStart(5)} + ${server.toFixed(1).padStart(5)}  largest backend ${largest().toFixed(0)} MB`,
    )
  }
  await runtime.dispose()
  console.log("over HTTP")
  await measureOverHttp({ url: database.url, schema, chains: numbers, limit, runs, server: database.server })
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
