/** `bench:partitions`: transfers and balance history as one table each and in partitions by range: what loading, appending and reading them costs the server. */
import { readFileSync } from "node:fs"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine } from "./support/output.ts"

const flags = readFlags(
  {
    rows: 10_000_000,
    /** Rows of a partition. */
    part: 500_000,
    /** Of each question in each of the rounds, which take turns. */
    runs: 1500,
    rounds: 5,
  },
  process.argv.slice(2),
)
const { rows, part, runs, rounds } = flags
/** Rows of a block. */
const inBlock = 100
const posOf = (row: number) => `((${Math.floor(row / inBlock)})::int8 << 24) + ${row % inBlock}`
const kinds = ["one", "many"] as const

const database = await openDatabase("cowry_bench")
const sql = await database.sql.reserve()
const [backend] = await sql`select pg_backend_pid() as pid`
/** Milliseconds of CPU of the session's own process. */
const cpu = (): number => {
  const text = readFileSync(`/proc/${backend!.pid}/stat`, "utf8")
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  return (fields[11]! + fields[12]!) * 10
}
const spent = async (work: () => Promise<unknown>): Promise<number> => {
  const before = cpu()
  await work()
  return cpu() - before
}
const say = (what: string, one: number, many: number, unit: string) =>
  console.log(
    `  ${what.padEnd(38)} ${one.toFixed(3).padStart(11)} ${many.toFixed(3).padStart(11)} ${unit}  ${((many / one - 1) * 100).toFixed(0)} %`,
  )

try {
  console.log(describeMachine(database.version))
  console.log(
    `${rows} transfers and as many versions, partitions of ${part}: CPU of the server's process, one table and partitions`,
  )
  await sql.unsafe("create schema cowry_bench")
  await sql.unsafe("set search_path = cowry_bench")
  await sql.unsafe(
    "set enable_seqscan = off; set enable_bitmapscan = off; set jit = off; set max_parallel_workers_per_gather = 0",
  )
  const zero = `'\\x${"00".repeat(20)}'`
  const load = { one: 0, many: 0 }
  const indexes = { one: 0, many: 0 }
  const versions = { one: 0, many: 0 }
  for (const kind of kinds) {
    const by = (column: string) => (kind === "one" ? "" : `partition by range (${column})`)
    await sql.unsafe(`create table t_${kind} (pos int8 not null, time int8 not null, token_id int4 not null, tx_hash bytea not null,
      from_addr bytea not null, to_addr bytea not null, amount numeric not null, tx_index int4) ${by("pos")}`)
    await sql.unsafe(`create table h_${kind} (token_id int4 not null, holder_no int4 not null, block_number int4 not null,
      balance numeric not null) ${by("block_number")}`)
    if (kind === "many") {
      for (let at = 0; at < rows + part; at += part) {
        await sql.unsafe(
          `create table t_many_${at} partition of t_many for values from (${posValue(at)}) to (${posValue(at + part)})`,
        )
        await sql.unsafe(
          `create table h_many_${at} partition of h_many for values from (${at / inBlock}) to (${(at + part) / inBlock})`,
        )
      }
    }
    load[kind] = await spent(() =>
      sql.unsafe(`insert into t_${kind}
        select (n / ${inBlock} << 24) + n % ${inBlock}, n / 50, case when n % 250000 = 17 then 1 else 2 + (n * 7919) % 20000 end,
          sha256(int8send(n)), substr(sha256(int8send(n % 300000)), 1, 20),
          case when n % 20 = 0 then ${zero}::bytea else substr(sha256(int8send((n * 31) % 300000)), 1, 20) end, n, n % 100
        from generate_series(0::int8, ${rows - 1}) n`),
    )
    indexes[kind] = await spent(async () => {
      await sql.unsafe("set maintenance_work_mem = '256MB'; set max_parallel_maintenance_workers = 0")
      await sql.unsafe(`alter table t_${kind} add primary key (pos)`)
      await sql.unsafe(`alter table t_${kind} add unique (token_id, pos)`)
      await sql.unsafe(`create index on t_${kind} (token_id, pos) where from_addr = ${zero}`)
      await sql.unsafe(`create index on t_${kind} (pos) where from_addr = ${zero}`)
      await sql.unsafe(`create index on t_${kind} (token_id, pos) where to_addr = ${zero}`)
      await sql.unsafe(`create index on t_${kind} (pos) where to_addr = ${zero}`)
    })
    versions[kind] = await spent(async () => {
      await sql.unsafe(`insert into h_${kind} select (n * 7919) % 20000, (n / 20000) % 25, n / ${inBlock}, n
        from generate_series(0::int8, ${rows - 1}) n on conflict do nothing`)
      await sql.unsafe(`alter table h_${kind} add primary key (token_id, holder_no, block_number)`)
    })
    await sql.unsafe(`analyze t_${kind}`)
    await sql.unsafe(`analyze h_${kind}`)
  }
  say("load, without indexes", load.one / 1000, load.many / 1000, "s")
  say("its indexes", indexes.one / 1000, indexes.many / 1000, "s")
  say("history, with its index", versions.one / 1000, versions.many / 1000, "s")

  const questions: Readonly<Record<string, readonly [text: string, values: (run: number) => string]>> = {
    "newest page": ["(int4) as select * from T order by pos desc limit $1", () => "11"],
    "page 10,000": [
      "(int8) as select * from T where pos < $1 order by pos desc limit 11",
      (run) => posOf(rows - 100_000 - run * 13),
    ],
    "rare token": ["(int4) as select * from T where token_id = $1 order by pos desc limit 11", () => "1"],
    "usual token": [
      "(int4) as select * from T where token_id = $1 order by pos desc limit 11",
      (run) => `${2 + ((run * 37) % 20000)}`,
    ],
    "wallet, 40 touched blocks": [
      `(int4) as select f.* from (select b from generate_series($1, $1 + 39 * 800, 800) b offset 0) b cross join lateral (
         select * from T t where t.token_id = (2 + (b.b::int8 * 100 * 7919) % 20000)::int4 and t.pos >= b.b::int8 << 24 and t.pos < (b.b + 1)::int8 << 24
         order by t.pos desc limit 11) f`,
      (run) => `${run % 100}`,
    ],
    "balance at a block": [
      "(int4) as select balance from H where token_id = $1 and holder_no = 7 and block_number <= 60000 order by block_number desc limit 1",
      (run) => `${(run * 37) % 20000}`,
    ],
  }
  await sql.unsafe("set plan_cache_mode = force_generic_plan")
  let number = 0
  for (const [name, [text, values]] of Object.entries(questions)) {
    const id = ++number
    for (const kind of kinds)
      await sql.unsafe(
        `prepare q_${kind}_${id} ${text.replaceAll(/\bT\b/g, `t_${kind}`).replaceAll(/\bH\b/g, `h_${kind}`)}`,
      )
    const all = { one: 0, many: 0 }
    for (let round = 0; round <= rounds; round++) {
      for (const kind of kinds) {
        const time = await spent(async () => {
          for (let run = 0; run < runs; run++) await sql.unsafe(`execute q_${kind}_${id} (${values(run)})`)
        })
        // The first round only warms.
        if (round > 0) all[kind] += time
      }
    }
    say(name, all.one / rounds / runs, all.many / rounds / runs, "ms")
  }
  await sql.unsafe("set plan_cache_mode = force_custom_plan")
  const appends = { one: 0, many: 0 }
  let next = rows
  for (let round = 0; round < rounds * 20; round++) {
    for (const kind of kinds) {
      appends[kind] += await spent(async () => {
        for (let block = 0; block < 10; block++) {
          const at = next + block * inBlock
          await sql.unsafe(`insert into t_${kind}
            select (n / ${inBlock} << 24) + n % ${inBlock}, n / 50, 2 + (n * 7919) % 20000, sha256(int8send(n)),
              substr(sha256(int8send(n % 300000)), 1, 20), substr(sha256(int8send((n * 31) % 300000)), 1, 20), n, n % 100
            from generate_series(${at}::int8, ${at + inBlock - 1}) n`)
          await sql.unsafe(`insert into h_${kind} select (n * 7919) % 20000, 30, n / ${inBlock}, n
            from generate_series(${at}::int8, ${at + inBlock - 1}) n on conflict do nothing`)
        }
      })
    }
    next += 10 * inBlock
  }
  say("append of 100 rows and versions", appends.one / rounds / 200, appends.many / rounds / 200, "ms")
} finally {
  sql.release()
  await database.close()
}
process.exit()

function posValue(row: number): string {
  return String(BigInt(row / inBlock) << 24n)
}
