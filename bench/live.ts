/** `bench:live`: how long a block takes from the node to an HTTP answer, on a ledger that is large already; where the time goes; whether it keeps up with fast chains. */
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { chainFlags } from "./chain/options.ts"
import { runFast } from "./live/fast.ts"
import { describePhase, runPhase, type World } from "./live/phase.ts"
import { openStatementCosts } from "./live/statements.ts"
import { type ChainStatus, startChain, startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, format } from "./support/output.ts"
import { peakMemoryOf } from "./support/processes.ts"
import { verifyLedger } from "./support/verify.ts"

const flags = readFlags(
  {
    ...chainFlags,
    logs: 1_000_000,
    blockTime: 500,
    liveLogsPerBlock: 500,
    /** Blocks measured, after `warmup` that are not. */
    liveBlocks: 200,
    warmup: 20,
    /** POLL_MS: how often the service looks at the head. */
    poll: 50,
    /** Seconds between the load and the first block: names, URIs, creators and the audit of what was loaded are asked for meanwhile. */
    rest: 0,
    /** Then so many blocks of each of these sizes, in transfers. */
    sizes: "0,1,15",
    sizeBlocks: 60,
    /** Then chains of so many blocks a second, each for so long, with so many transfers a block. */
    rates: "10,20,50,100",
    fastSeconds: 15,
    fastLogs: 15,
    /** Settings of the embedded server over the service's own: `name=value,…`. */
    postgres: "",
    verify: true,
  },
  process.argv.slice(2),
)
const {
  liveBlocks,
  warmup,
  poll,
  rest,
  sizes,
  sizeBlocks,
  rates,
  fastSeconds,
  fastLogs,
  postgres,
  verify,
  ...chainOptions
} = flags
const { chainId } = chainOptions
const schema = "cowry_bench"

const numbersOf = (list: string) => list.split(",").filter(Boolean).map(Number)

const database = await openDatabase(schema, `shared_preload_libraries=pg_stat_statements,${postgres}`)
try {
  const chain = await startChain(chainOptions)
  const wrapped = await (await chain.text("/wrapped-native")).text()
  const made = await chain.get<ChainStatus>("/status")
  console.log(describeMachine(database.version))
  const service = await startService({
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: schema,
    [`RPC_URL_${chainId}`]: chain.url,
    [`WRAPPED_NATIVE_${chainId}`]: wrapped,
    [`POLL_MS_${chainId}`]: `${poll}`,
  })
  console.log(`a ledger of ${made.transfers} transfers is made first …`)
  while ((await service.block(chainId)) < made.head) await pause(200)
  await pause(rest * 1000)
  const world: World = {
    chainId,
    chain,
    service,
    server: database.server,
    statements: await openStatementCosts(database.sql),
  }
  const measure = async (logs: number, blocks: number) => {
    // What a long backfill leaves behind is not what is measured; every first touch of a page is dear from here on.
    await database.sql`checkpoint`.catch(() => {})
    const options = { logs, blocks, blockTime: chainOptions.blockTime, warmup }
    console.log(describePhase(options, await runPhase(world, options)))
  }
  await measure(chainOptions.liveLogsPerBlock, liveBlocks)
  for (const logs of numbersOf(sizes)) await measure(logs, sizeBlocks)
  for (const blocksPerSecond of numbersOf(rates))
    console.log(await runFast(world, { blocksPerSecond, logs: fastLogs, seconds: fastSeconds }))
  console.log(format([["peak resident memory of the service, MB", peakMemoryOf(service.pid), 0]]))
  await service.stop()
  if (verify) {
    const { tokens, balances, nfts, differences } = await verifyLedger(database.sql, `${schema}_${chainId}`, chain)
    for (const difference of differences) console.error(difference)
    console.log(
      differences.length === 0
        ? `right: ${balances} balances, supplies and holder counts of ${tokens} ERC-20 tokens, ${nfts} owners and balances of ERC-721 and ERC-1155, all equal to the chain's own state`
        : "WRONG: the times above count for nothing",
    )
    if (differences.length > 0) process.exitCode = 1
  }
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
