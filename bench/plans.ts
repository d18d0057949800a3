/** `bench:plans`: the plan of every statement that the read stores send, on a large ledger with hot tokens and hot holders. */
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { readerParameters } from "../src/adapters/postgres/database/client.ts"
import { ChainId } from "../src/model/primitives.ts"
import { chainFlags } from "./chain/options.ts"
import { compareDepths, findDepths } from "./plans/depths.ts"
import type { Question } from "./plans/question.ts"
import { etherscanQuestions, seedApprovals } from "./plans/questions.etherscan.ts"
import { joinedQuestions } from "./plans/questions.joined.ts"
import { holdersWithoutContracts, seedCodes, seedTrust, trustedSwaps } from "./plans/questions.narrowed.ts"
import { findSeededFeeds, nftFeeds } from "./plans/questions.nftFeeds.ts"
import { swapFeeds } from "./plans/questions.swaps.ts"
import { questionsOf } from "./plans/questions.ts"
import { tokenQuestions, walletQuestions } from "./plans/questions.wallets.ts"
import { seedNfts } from "./plans/seedNfts.ts"
import { seedSwaps } from "./plans/seedSwaps.ts"
import { seedWallets } from "./plans/seedWallets.ts"
import { findSubjects } from "./plans/subjects.ts"
import { type ChainStatus, startChain, startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, quantile } from "./support/output.ts"
import { explain, type PlanFigures, type PlanMode } from "./support/plan.ts"
import { openStores } from "./support/stores.ts"

const flags = readFlags({ ...chainFlags, logs: 1_000_000, all: false }, process.argv.slice(2))
const { all, ...chainOptions } = flags
const { chainId } = chainOptions
const schema = "cowry_bench"
const chainSchema = `${schema}_${chainId}`
/** Its ERC-721 and ERC-1155 rows are made by SQL, as many as the other chain has ERC-20 transfers. */
const seededChain = ChainId.make("990002")
/** Its swaps are, as many again. */
const swapChain = ChainId.make("990003")
/** A tenth of them, where lists vouch for so many tokens that pairs of them are not looked up one by one. */
const listedChain = ChainId.make("990005")
/** Its wallets and a year of their prices are. */
const walletChain = ChainId.make("990004")
/** A statement may read so many times the rows of its answer… */
const mostRead = 20
/**
 * …and so many rows whatever it answers: at the end of a list an answer has no row, or one, and what finds that out are some
 * look-ups of its page, its token and its bounds. They are as many for any ledger, and take no tenth of a millisecond.
 */
const freeRows = 100
/** Tables that may be read from end to end: those of a few rows. */
const small = new Set(["state", "block", "marking"])

const database = await openDatabase(schema)
try {
  const chain = await startChain(chainOptions)
  const made = await chain.get<ChainStatus>("/status")
  console.log(describeMachine(database.version))
  const service = await startService({
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: schema,
    [`RPC_URL_${chainId}`]: chain.url,
    [`WRAPPED_NATIVE_${chainId}`]: await (await chain.text("/wrapped-native")).text(),
  })
  while ((await service.block(chainId)) < made.head) await pause(200)
  const undescribed = database.sql(`${chainSchema}.token`)
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(200)) {
    const [row] = await database.sql`select count(*)::int as left from ${undescribed} where not described`
    if (row!.left === 0) break
  }
  await service.stop()
  await chain.stop()

  const subjects = await findSubjects(database.sql, chainSchema, chainId)
  const depths = await findDepths(database.sql, chainSchema, subjects)
  await seedNfts(database.sql, `${schema}_${seededChain}`, chainOptions.logs)
  const seeded = await findSeededFeeds(database.sql, `${schema}_${seededChain}`, seededChain)
  await seedSwaps(database.sql, `${schema}_${swapChain}`, chainOptions.logs)
  await seedTrust(database.sql, `${schema}_${swapChain}`, [1, 2, 3, 30, 15_000])
  const listedSwaps = Math.ceil(chainOptions.logs / 10)
  await seedSwaps(database.sql, `${schema}_${listedChain}`, listedSwaps)
  await seedTrust(
    database.sql,
    `${schema}_${listedChain}`,
    Array.from({ length: 500 }, (_, at) => at + 1),
  )
  await seedCodes(database.sql, chainSchema, subjects)
  await seedWallets(database.sql, `${schema}_${walletChain}`)
  const questions = [
    ...questionsOf(subjects, depths),
    ...etherscanQuestions(subjects, depths.feed.time),
    ...seeded.flatMap(nftFeeds),
    ...swapFeeds(swapChain, chainOptions.logs),
    ...trustedSwaps(swapChain, chainOptions.logs, "five"),
    ...trustedSwaps(
      listedChain,
      listedSwaps,
      "500",
      "each of 500 trusted tokens is looked up, and gives its first row",
    ),
    ...holdersWithoutContracts(subjects, depths),
    ...joinedQuestions(subjects),
    ...tokenQuestions(subjects),
    ...walletQuestions(walletChain),
  ]
  await seedApprovals(database.sql, chainSchema, Math.ceil(chainOptions.logs / 10))
  const stores = await openStores(database.url, schema)
  await stores.run(questions[0]!.ask)
  const planner = await database.sql.reserve()
  for (const [name, value] of Object.entries(readerParameters))
    await planner`select set_config(${name}, ${value}, false)`

  let statements = 0
  const faults: Array<string> = []
  const excused = new Map<string, number>()
  const times: Array<Pick<PlanFigures, "milliseconds" | "planning">> = []
  const judge = (question: Question, rows: number, mode: PlanMode, figures: PlanFigures) => {
    const scanned = figures.scanned.filter((table) => !small.has(table))
    const ratio = figures.read / Math.max(1, rows)
    const line =
      `${question.name} (${mode}): ${Math.round(figures.read)} rows read for ${rows}, ` +
      `${figures.pages} pages, ${figures.milliseconds.toFixed(2)} ms, planned in ${figures.planning.toFixed(2)}; most by ${figures.widest}`
    if (mode === "custom") times.push(figures)
    if (all) console.log(`  ${line}`)
    if (scanned.length > 0) faults.push(`${line}; reads all of ${scanned.join(", ")}`)
    else if (figures.read <= freeRows || ratio <= mostRead) return
    else if (question.excuse === undefined) faults.push(line)
    else excused.set(question.excuse!, Math.max(ratio, excused.get(question.excuse!) ?? 0))
  }
  for (const question of questions) {
    stores.sent()
    const rows = await stores.run(question.ask)
    for (const statement of stores.sent()) {
      statements++
      for (const mode of ["custom", "generic"] as const)
        judge(question, rows, mode, await explain(planner, statement, mode))
    }
  }
  planner.release()
  console.log(
    `${questions.length} questions, ${statements} statements, each planned twice, on ${subjects.transfers} ERC-20 transfers, ` +
      `as many of ERC-721 and of ERC-1155 and as many swaps on chains made by SQL: ` +
      `${faults.length} read a whole table, or more than ${freeRows} rows and ${mostRead} times those they return`,
  )
  const middle = (of: "milliseconds" | "planning", share: number) =>
    quantile(
      times.map((it) => it[of]),
      share,
    ).toFixed(2)
  console.log(
    `milliseconds of a statement, median and 99th percentile: ${middle("planning", 0.5)} and ${middle("planning", 0.99)} to plan it each ` +
      `time, ${middle("milliseconds", 0.5)} and ${middle("milliseconds", 0.99)} to run it; one that is kept is not planned again`,
  )
  for (const fault of faults) console.error(`  ${fault}`)
  for (const [excuse, ratio] of excused) console.log(`  excused, up to ${Math.round(ratio)} times: ${excuse}`)
  if (faults.length > 0) process.exitCode = 1

  for (const line of await compareDepths(stores, subjects, depths, seeded)) console.log(line)
  await stores.close()
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
