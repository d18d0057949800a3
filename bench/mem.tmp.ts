import postgres from "postgres"
import { openStores } from "./support/stores.ts"
import { readerParameters } from "../src/adapters/postgres/database/client.ts"
import { questionsOf } from "./plans/questions.ts"
import { findSubjects } from "./plans/subjects.ts"
import { findDepths } from "./plans/depths.ts"
const env = JSON.parse(require("fs").readFileSync("/tmp/dev/env.json","utf8"))
const stores = await openStores(env.DATABASE_URL, "cowry_bench")
const sql = postgres(env.DATABASE_URL, { max: 1, connection: readerParameters as any })
const subjects = await findSubjects(sql as any, "cowry_bench_990001", 990001)
const depths = await findDepths(sql as any, "cowry_bench_990001", subjects)
const mem = async () => Number((await sql`select sum(total_bytes)::int8 as b from pg_backend_memory_contexts`)[0]!.b)
let n = 0; const m0 = await mem(); const texts = new Set<string>()
for (const q of questionsOf(subjects, depths)) {
  stores.sent(); try { await stores.run(q.ask) } catch { continue }
  for (const st of stores.sent()) { if (texts.has(st.text)) continue; texts.add(st.text); try { await sql.unsafe(st.text, st.parameters as any, { prepare: true }); n++ } catch (e) { } }
}
console.log(n, "distinct statements", ((await mem()) - m0) / n / 1000, "kB each")
process.exit()
