import { Effect } from "effect"
import postgres from "postgres"
import { openStores } from "./support/stores.ts"
import { HolderStore } from "../src/ports/HolderStore.ts"
import { makeClient, readerParameters } from "../src/adapters/postgres/database/client.ts"
const env = JSON.parse(require("fs").readFileSync("/tmp/dev/env.json","utf8"))
const stores: any = await openStores(env.DATABASE_URL, "cowry_bench")
const token = env.tokens[0].address
const N = 4000
const time = async (name: string, f: () => Promise<unknown>) => {
  for (let i=0;i<1500;i++) await f()
  const c0 = process.cpuUsage(), t0=performance.now()
  for (let i=0;i<N/8;i++) await Promise.all([f(),f(),f(),f(),f(),f(),f(),f()])
  const c = process.cpuUsage(c0)
  console.log(name, ((c.user+c.system)/N).toFixed(0), "us cpu", ((performance.now()-t0)*1000/N).toFixed(0), "us wall")
}
const holder = "0x0000000000000000000000000000000000000001"
await time("store.findBalance", () => stores.run(HolderStore.use((s: any) => s.findBalance("990001", token, holder, undefined))))
await time("store.list holders 25", () => stores.run(HolderStore.use((s: any) => s.list("erc20", { chainId: "990001", token, page: { limit: 25 }, count: false }))))
const sql = makeClient({ url: env.DATABASE_URL, max: 12, parameters: readerParameters })
await time("plain sql custom", () => sql`select b.balance from cowry_bench_990001.balance b where b.holder = ${holder}::bytea and b.token_id = (select token_id from cowry_bench_990001.token k where k.address = ${token}::bytea order by standard limit 1)`)
const sql2 = makeClient({ url: env.DATABASE_URL, max: 12, parameters: {...readerParameters, plan_cache_mode: "force_generic_plan"} })
await time("plain sql generic", () => sql2`select b.balance from cowry_bench_990001.balance b where b.holder = ${holder}::bytea and b.token_id = (select token_id from cowry_bench_990001.token k where k.address = ${token}::bytea order by standard limit 1)`)
await time("unsafe generic", () => sql2.unsafe(`select b.balance from cowry_bench_990001.balance b where b.holder = $1::bytea and b.token_id = (select token_id from cowry_bench_990001.token k where k.address = $2::bytea order by standard limit 1)`, [holder, token], {prepare:true}))
await time("build only", async () => { const q: any = sql2`select (${sql2`a ${sql2`b`}`}) ${sql2`x`} ${sql2(`a.b`)}`; })
await time("effect run only", () => Effect.runPromise(Effect.succeed(1)))
process.exit()
