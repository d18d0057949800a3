/** `bench:ingest`: how fast the whole service takes a chain in, what that costs, and whether every number is right. */
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { chainFlags } from "./chain/options.ts"
import { type ChainStatus, startChain, startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { ioLines, readIo } from "./support/io.ts"
import { describeMachine, format } from "./support/output.ts"
import { cpuOf, cpuOfTree, peakMemoryOf } from "./support/processes.ts"
import { readLines } from "./support/reads.ts"
import { verifyLedger } from "./support/verify.ts"

const flags = readFlags(
  {
    ...chainFlags,
    concurrency: 4,
    verify: true,
    profile: "",
    postgres: "",
    bulk: "auto",
    reads: false,
    approvals: false,
    history: "",
  },
  process.argv.slice(2),
)
const { concurrency, verify, profile, postgres, bulk, reads, approvals, history, ...chainOptions } = flags
const { chainId } = chainOptions
const schema = "cowry_bench"

const database = await openDatabase(schema, postgres)
try {
  const chain = await startChain(chainOptions)
  const wrapped = await (await chain.text("/wrapped-native")).text()
  const made = await chain.get<ChainStatus>("/status")
  console.log(describeMachine(database.version))
  const share = ((100 * made.nftLogs) / (made.transfers + made.nftLogs)).toFixed(1)
  console.log(
    `chain: ${made.transfers} ERC-20 transfers and ${made.nftLogs} ERC-721 and ERC-1155 logs (${share} % of both, ${made.nftRows} rows) in ${made.head} blocks, seed ${chainOptions.seed}`,
  )

  const walBefore = await database.wal()
  const ioBefore = await readIo(database.sql)
  const service = await startService(
    {
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: schema,
      [`RPC_URL_${chainId}`]: chain.url,
      [`WRAPPED_NATIVE_${chainId}`]: wrapped,
      [`RPC_CONCURRENCY_${chainId}`]: `${concurrency}`,
      [`BULK_${chainId}`]: bulk,
      // `--history auto`, `all` or `sample`: blocks below finality come from the chain server as a portal.
      ...(history !== "" && {
        [`HISTORY_${chainId}`]: `${chain.url}datasets/bench`,
        [`HISTORY_CHECK_${chainId}`]: history,
      }),
      [`APPROVALS_${chainId}`]: approvals ? "on" : "off",
    },
    profile === "" ? undefined : profile,
  )
  const costs = () => ({
    service: cpuOf(service.pid),
    postgres: database.server === undefined ? Number.NaN : cpuOfTree(database.server),
    node: cpuOf(chain.pid),
  })
  const before = costs()
  let lastShown = Date.now()
  const phases: Array<{ readonly phase: string; readonly at: number; readonly costs: typeof before }> = []
  const showEveryMs = 5000
  for (let block = -1; block < made.head; block = await service.block(chainId)) {
    await pause(100)
    const phase = await service.phase(chainId)
    if (phase !== phases.at(-1)?.phase) phases.push({ phase, at: performance.now(), costs: costs() })
    if (Date.now() - lastShown < showEveryMs) continue
    lastShown = Date.now()
    console.log(`  ${await service.progress(chainId)}`)
  }
  const finished = performance.timeOrigin + performance.now()
  const after = costs()
  const served = await chain.get<ChainStatus>("/status")
  const seconds = (finished - served.firstLogsAt!) / 1000
  const { transfers } = made
  const wal = (await database.wal()) - walBefore
  const memory = peakMemoryOf(service.pid)

  const state = database.sql(`${schema}_${chainId}.token`)
  const undescribed = async () =>
    Number((await database.sql`select count(*) as rows from ${state} where not described`)[0]!.rows)
  const waiting = await undescribed()
  for (const deadline = Date.now() + 120_000; (await undescribed()) > 0 && Date.now() < deadline; ) await pause(50)
  const described = (performance.timeOrigin + performance.now() - finished) / 1000
  const readTimes = reads ? await readLines(service, chainId, Math.floor(transfers / 100)) : []
  await service.stop()
  // Backends tell at their end; what is dirty is written.
  await database.sql`checkpoint`
  const io = ioLines(ioBefore, await readIo(database.sql), transfers)

  const [size] = await database.sql`
    select sum(pg_total_relation_size(c.oid)) as bytes, sum(pg_relation_size(c.oid)) as heap
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${`${schema}_${chainId}`} and c.relkind = 'r'`
  const tables = await database.sql`
    select c.relname as name, pg_relation_size(c.oid) as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${`${schema}_${chainId}`} and c.relkind in ('r', 'i') and pg_relation_size(c.oid) > 0
    order by 2 desc limit 8`
  const [rows] = await database.sql`
    select (select count(*) from ${database.sql(`${schema}_${chainId}.balance`)})::int as balances,
           (select count(*) from ${database.sql(`${schema}_${chainId}.balance_history`)})::int as history`
  const [approved] = await database.sql`
    select count(*)::int as rows, pg_total_relation_size(${`${schema}_${chainId}.approval`}::regclass)::int8 as bytes
    from ${database.sql(`${schema}_${chainId}.approval`)}`
  const rowsOfAll = transfers + made.nftRows
  const cpu = (who: keyof typeof before) => (after[who] - before[who]) / transfers
  const phaseLines = phases.map(({ phase, at: began, costs: from }, place) => {
    const { costs: to, at: ended } = phases[place + 1] ?? { costs: after, at: finished - performance.timeOrigin }
    const of = (who: keyof typeof before) => ((to[who] - from[who]) / transfers).toFixed(1)
    const both = (to.service - from.service + to.postgres - from.postgres) / transfers
    const took = ((ended - began) / 1000).toFixed(1)
    return [`  ${took} s ${phase}: service ${of("service")}, PostgreSQL ${of("postgres")}, both`, both, 1] as const
  })
  console.log(
    format([
      ["ERC-20 transfers/s, first request to last block visible", transfers / seconds, 0],
      ["rows/s, those of ERC-721 and ERC-1155 counted too", rowsOfAll / seconds, 0],
      ["seconds", seconds, 1],
      ["CPU µs an ERC-20 transfer, service", cpu("service"), 1],
      ["CPU µs an ERC-20 transfer, PostgreSQL", cpu("postgres"), 1],
      ["CPU µs an ERC-20 transfer, service and PostgreSQL", cpu("service") + cpu("postgres"), 1],
      ...phaseLines,
      ["CPU µs a row of any standard, the same", ((cpu("service") + cpu("postgres")) * transfers) / rowsOfAll, 1],
      ["CPU µs an ERC-20 transfer, the bench's node", cpu("node"), 1],
      ["bytes an ERC-20 transfer, tables and indexes of everything", Number(size!.bytes) / transfers, 0],
      ["bytes an ERC-20 transfer, tables only", Number(size!.heap) / transfers, 0],
      ["bytes an ERC-20 transfer, write-ahead log", wal / transfers, 0],
      ...tables.map(({ name, bytes }) => [`  of it ${name}`, Number(bytes) / transfers, 0] as const),
      [
        "bytes read and written an ERC-20 transfer, until all is on the disk",
        io.reduce((sum, [, of]) => sum + of, 0),
        0,
      ],
      ...io,
      ...readTimes,
      ["pairs an ERC-20 transfer", rows!.balances / transfers, 2],
      ["history rows an ERC-20 transfer", rows!.history / transfers, 2],
      ...(approvals ? ([["bytes an approval", Number(approved!.bytes) / approved!.rows, 0]] as const) : []),
      ["peak resident memory of the service, MB", memory, 0],
      ["tokens not described at the end", waiting, 0],
      ["seconds until they were", waiting === 0 ? 0 : described, 1],
      ["calls to the node", Object.values(served.requests).reduce((sum, count) => sum + count, 0), 0],
      ...Object.entries(served.requests).map(([method, count]) => [`  of them ${method}`, count, 0] as const),
    ]),
  )
  if (verify) {
    const { tokens, balances, nfts, differences } = await verifyLedger(database.sql, `${schema}_${chainId}`, chain)
    for (const difference of differences) console.error(difference)
    console.log(
      differences.length === 0
        ? `right: ${balances} balances, supplies and holder counts of ${tokens} ERC-20 tokens, ${nfts} owners and balances of ERC-721 and ERC-1155, all equal to the chain's own state`
        : "WRONG: the speed above counts for nothing",
    )
    if (differences.length > 0) process.exitCode = 1
  }
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
