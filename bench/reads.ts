/** `bench:reads`: the service beside a bare server on the same database: rate, waiting and CPU of every list and figure, quiet and while blocks arrive. */
import { spawn } from "node:child_process"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { startChild, stopChildren } from "../demo/chain/child.ts"
import { openTemporaryFolder } from "../test/support/postgres.ts"
import { chainFlags } from "./chain/options.ts"
import type { LoadOptions, LoadResult } from "./reads/load.ts"
import { type Question, questionsOf } from "./reads/questions.ts"
import { openStatementTimes } from "./reads/statementTimes.ts"
import { type ChainStatus, startChain, startService, untilPrinted } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine } from "./support/output.ts"
import { cpuOf, cpuOfTree } from "./support/processes.ts"

const flags = readFlags(
  {
    ...chainFlags,
    /** Connections of each quiet round, joined by commas; empty = no such rounds. */ connections: "4,64,256",
    /** Milliseconds between blocks of the rounds in which blocks arrive; 0 = no such rounds. */ blocksEvery: 2000,
    /** Seconds of each measurement, and those before it that count for nothing. */ seconds: 4,
    warmUp: 3,
    /** Questions whose names hold one of these, joined by commas; absent = all. */ only: "",
    /** Tokens that are asked about in turn, and holders of each. */ variedTokens: 20,
    variedHolders: 50,
    /** Chains that `all` is asked of beside the large one, of 1,000 transfers each. */ others: 2,
    /** Megabytes of answers that the service keeps; 0 = every answer is made anew, absent = as shipped. */ answersMb:
      "",
  },
  process.argv.slice(2),
)
const {
  connections,
  blocksEvery,
  seconds,
  warmUp,
  only,
  others,
  answersMb,
  variedTokens,
  variedHolders,
  ...chainOptions
} = flags
const { chainId } = chainOptions
const schema = "cowry_bench"
const root = fileURLToPath(new URL("../", import.meta.url))

const load = (options: Omit<LoadOptions, "milliseconds" | "warmUpMilliseconds">): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["bench/reads/load.ts"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] })
    let output = ""
    child.stdout.on("data", (piece) => {
      output += piece
    })
    child.on("close", (code) => (code === 0 ? resolve(JSON.parse(output)) : reject(new Error("the load ended"))))
    child.stdin.end(JSON.stringify({ ...options, milliseconds: seconds * 1000, warmUpMilliseconds: warmUp * 1000 }))
  })

interface Server {
  readonly url: string
  readonly pid: number
}

interface Measured extends LoadResult {
  /** Microseconds a request. */
  readonly cpu: number
  readonly databaseCpu: number
  readonly planning: number
  readonly execution: number
}

const database = await openDatabase(
  schema,
  // A service of many chains keeps a few connections for each.
  `shared_preload_libraries=pg_stat_statements,pg_stat_statements.track_planning=on,max_connections=${100 + 4 * others}`,
)
try {
  const chain = await startChain({ ...chainOptions, ...(blocksEvery > 0 ? { blockTime: blocksEvery } : {}) })
  const small = await Promise.all(
    Array.from({ length: others }, (_, index) =>
      startChain({ chainId: chainId + 1 + index, logs: 1000, seed: 2 + index }),
    ),
  )
  const made = await chain.get<ChainStatus>("/status")
  console.log(describeMachine(database.version))
  const service = await startService({
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: schema,
    ...(answersMb === "" ? {} : { ANSWERS_MB: answersMb }),
    [`RPC_URL_${chainId}`]: chain.url,
    [`WRAPPED_NATIVE_${chainId}`]: await (await chain.text("/wrapped-native")).text(),
    ...Object.fromEntries(small.map(({ url }, index) => [`RPC_URL_${chainId + 1 + index}`, url])),
  })
  while ((await service.block(chainId)) < made.head) await pause(200)
  await pause(10_000)
  await database.sql`vacuum analyze`

  /** A new one for each question: one that has answered a million is a third as fast as a young one. */
  const measureBare = async (paths: ReadonlyArray<string>, count: number): Promise<Measured> => {
    const bare = startChild(
      process.execPath,
      ["bench/reads/bare.ts", database.url, `${schema}_${chainId}`, String(chainId)],
      { cwd: root, env: process.env, folder: openTemporaryFolder("cowry-bench-bare-") },
    )
    const url = await untilPrinted(bare.process, /listens on (http\S+)/)
    const found = await measure({ url, pid: bare.process.pid! }, paths, count)
    await bare.stop()
    return found
  }

  const times = await openStatementTimes(database.sql)
  const measure = async ({ url, pid }: Server, paths: ReadonlyArray<string>, count: number): Promise<Measured> => {
    const costs = () => [cpuOf(pid), database.server === undefined ? Number.NaN : cpuOfTree(database.server)] as const
    await times.reset()
    const [own, db] = costs()
    const found = await load({ url, paths, connections: count })
    const [ownAfter, dbAfter] = costs()
    const { planning, execution } = await times.read()
    // The requests of the first seconds are not counted, and cost as much.
    const all = (found.requests * (seconds + warmUp)) / seconds
    return {
      ...found,
      cpu: (ownAfter - own) / all,
      databaseCpu: (dbAfter - db) / all,
      planning: planning / all,
      execution: execution / all,
    }
  }

  const words = (it: Measured): string =>
    [
      `${Math.round(it.requests / it.seconds)}/s`.padStart(8),
      `p50 ${it.p50.toFixed(1)}`.padStart(11),
      `p99 ${it.p99.toFixed(1)}`.padStart(11),
      `cpu ${it.cpu.toFixed(0)} + ${it.databaseCpu.toFixed(0)} µs`.padStart(20),
      `plan ${it.planning.toFixed(0)} run ${it.execution.toFixed(0)} µs`.padStart(22),
      Object.keys(it.statuses).every((status) => status === "200") ? "" : ` ${JSON.stringify(it.statuses)}`,
    ].join("")

  const ask = async ({ name, service: paths, bare: barePaths, wanted }: Question, count: number) => {
    const ours = await measure(service, paths, count)
    const theirs = barePaths && (await measureBare(barePaths, count))
    console.log(`  ${name.padEnd(34)}${words(ours)}`)
    if (theirs === undefined) return
    const rate = ours.requests / theirs.requests
    const slower = ours.p99 / theirs.p99
    const misses = count === 64 && wanted !== undefined && (rate < wanted.leastRate || slower > wanted.mostP99)
    console.log(
      `  ${"  bare".padEnd(34)}${words(theirs)}   rate ${rate.toFixed(2)}, p99 ${slower.toFixed(2)} times${misses ? "   MISSED" : ""}`,
    )
  }

  const variety = { tokens: variedTokens, holders: variedHolders }
  const all = await questionsOf(database.sql, `${schema}_${chainId}`, chainId, variety)
  const questions = all.filter(({ name }) => only.split(",").some((part) => name.includes(part)))
  for (const count of connections.split(",").filter(Boolean).map(Number)) {
    console.log(`${count} connections, no blocks:`)
    for (const question of questions) await ask(question, count)
  }
  if (blocksEvery > 0) {
    await chain.post("/start")
    console.log(`64 connections, a block every ${blocksEvery} ms:`)
    for (const question of questions) await ask(question, 64)
  }
  await service.stop()
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
