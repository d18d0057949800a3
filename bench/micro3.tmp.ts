import { Layer, ManagedRuntime } from "effect"
import { makeApp } from "../src/adapters/http/app.ts"
import * as ConfiguredKeys from "../src/adapters/keys/ConfiguredKeys.ts"
import * as PostgresDatabase from "../src/adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresStore from "../src/adapters/postgres/PostgresStore.ts"
import * as NoTokenViews from "../src/adapters/unconfigured/NoTokenViews.ts"
import * as Unconfigured from "../src/adapters/unconfigured/Unconfigured.ts"
import { Networks } from "../src/ports/Networks.ts"
import { SyncStatus } from "../src/ports/SyncStatus.ts"
import { questionsOf } from "./reads/questions.ts"
import postgres from "postgres"
const env = JSON.parse(require("fs").readFileSync("/tmp/dev/env.json","utf8"))
const layer = Layer.mergeAll(
  Unconfigured.layer.pipe(Layer.provideMerge(PostgresStore.layerOn({ cacheBytes: 1e6 } as any).pipe(Layer.provide(PostgresDatabase.layer({ url: env.DATABASE_URL, schema: "cowry_bench" }))))),
  NoTokenViews.layer,
  Layer.succeed(Networks, { chains: [{ chainId: "990001" as any, network: "mainnet", ecosystems: [] }] } as any),
  Layer.succeed(SyncStatus, { list: () => [], find: () => undefined, update: () => {} } as any),
  ConfiguredKeys.layer({ strict: false, sha256: [] }),
)
const rt = ManagedRuntime.make(layer as any)
const app = makeApp(rt as any, { answerCacheBytes: Number(process.env.CACHE ?? 0) })
const sql = postgres(env.DATABASE_URL, { max: 1 })
const qs = await questionsOf(sql, "cowry_bench_990001", 990001)
const [row] = await sql`select pg_backend_pid() as pid`
const { cpuOfTree } = await import("./support/processes.ts")
for (const name of (process.argv[2] ?? "balance,25 holders,newest 25 transfers of a token").split(",")) {
  const q = qs.find(q => q.name === name)!
  let i = 0
  const one = async () => { const r = await app.fetch(new Request("http://127.0.0.1:3000" + q.service[i++ % q.service.length]), "127.0.0.1"); if (r.status !== 200) throw new Error(await r.text()); await r.text() }
  const round = async (n: number) => { for (let k = 0; k < n / 16; k++) await Promise.all(Array.from({ length: 16 }, one)) }
  await round(6000)
  const best = { c: 1e9, d: 1e9 }
  for (let r = 0; r < Number(process.env.R ?? 4); r++) {
    const c0 = process.cpuUsage(), d0 = cpuOfTree(env.server)
    await round(2000)
    const c = process.cpuUsage(c0)
    best.c = Math.min(best.c, (c.user + c.system) / 2000); best.d = Math.min(best.d, (cpuOfTree(env.server) - d0) / 2000)
  }
  console.log(name.padEnd(34), best.c.toFixed(0), "us service", best.d.toFixed(0), "us db")
}
process.exit()
