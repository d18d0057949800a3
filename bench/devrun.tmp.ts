// dev: start service + bare on the dev DB, run chosen questions
import { startService } from "/tmp/wt/reads/bench/support/children.ts"
import { cpuOf, cpuOfTree } from "/tmp/wt/reads/bench/support/processes.ts"
import { questionsOf } from "/tmp/wt/reads/bench/reads/questions.ts"
import postgres from "postgres"
import { spawn, spawnSync } from "node:child_process"
const env = JSON.parse(require("fs").readFileSync("/tmp/dev/env.json","utf8"))
const pick = (process.argv[2] ?? "").split(",").filter(Boolean)
const conns = Number(process.argv[3] ?? 64), ms = Number(process.argv[4] ?? 4000)
const profile = process.argv[5]
const sql = postgres(env.DATABASE_URL, { max: 1 })
const service = await startService({ DATABASE_URL: env.DATABASE_URL, DATABASE_SCHEMA: "cowry_bench", ...(process.env.ANSWERS_MB ? { ANSWERS_MB: process.env.ANSWERS_MB } : {}), RPC_URL_990001: env.chain, WRAPPED_NATIVE_990001: env.wrapped }, profile)
const bare = spawn(process.execPath, ["/tmp/wt/reads/bench/reads/bare.ts", env.DATABASE_URL, "cowry_bench_990001"], { stdio: ["ignore", "pipe", "inherit"], cwd: "/tmp/wt/reads" })
const bareUrl: string = await new Promise(r => bare.stdout.on("data", d => { const m = /(http\S+)/.exec(String(d)); if (m) r(m[1]!) }))
for (let i=0;i<100 && (await service.block(990001)) < env.made.head;i++) await new Promise(r => setTimeout(r, 100))
const qs = await questionsOf(sql, "cowry_bench_990001", 990001)
const load = (url: string, paths: readonly string[]) => new Promise<any>(r => { const c = spawn(process.execPath, ["/tmp/wt/reads/bench/reads/load.ts"], { stdio: ["pipe","pipe","inherit"] }); c.stdin.end(JSON.stringify({ url, paths, connections: conns, milliseconds: ms, warmUpMilliseconds: 3000 })); let o=""; c.stdout.on("data",d=>o+=d); c.on("close",()=>r(JSON.parse(o))) })
for (const q of qs) {
  if (pick.length && !pick.some(p => q.name.includes(p))) continue
  const row: any = { q: q.name }
  for (const [n, url, pid, paths] of [["svc", service.url, service.pid, q.service], ["bare", bareUrl, bare.pid!, q.bare]] as const) {
    if (!paths) continue
    const c0 = cpuOf(pid), d0 = cpuOfTree(env.server), t0 = performance.now()
    const r = await load(url, paths)
    const total = r.requests * (ms + 3000) / ms
    row[n] = `${Math.round(r.requests / r.seconds)}/s p50 ${r.p50.toFixed(1)} p99 ${r.p99.toFixed(1)} cpu ${((cpuOf(pid)-c0)/total).toFixed(0)}us db ${((cpuOfTree(env.server)-d0)/total).toFixed(0)}us ${JSON.stringify(r.statuses)} ${(r.bytes/r.requests).toFixed(0)}B`
  }
  console.log(JSON.stringify(row, null, 1).replace(/[{}\n]/g, " "))
}
await service.stop(); bare.kill(); await sql.end(); process.exit()
