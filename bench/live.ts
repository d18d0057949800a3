/** `bench:live`: how long a block of 500 transfers takes from the node to an HTTP answer, on a ledger that is large already. */
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { chainFlags } from "./chain/options.ts"
import { type ChainStatus, startChain, startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, format, quantile } from "./support/output.ts"
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
    verify: true,
  },
  process.argv.slice(2),
)
const { liveBlocks, warmup, poll, verify, ...chainOptions } = flags
const { chainId } = chainOptions
const schema = "cowry_bench"

/** Moments are milliseconds since 1970, the same clock in all processes. */
const now = () => performance.timeOrigin + performance.now()

const database = await openDatabase(schema)
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
  // What a long backfill leaves behind is not what is measured.
  await database.sql`checkpoint`.catch(() => {})
  await chain.post("/start")

  const last = made.head + warmup + liveBlocks
  const visibleAt = new Map<number, number>()
  for (let block = made.head; block < last; ) {
    const asked = now()
    const seen = await service.block(chainId)
    // The answer was made between the question and now; every block up to it is visible by now.
    for (let number = block + 1; number <= seen; number++) visibleAt.set(number, now())
    block = Math.max(block, seen)
    await pause(Math.max(0, 5 - (now() - asked)))
  }
  await chain.post("/stop")
  const moments = await chain.get<Record<"shown" | "served", Record<string, number>>>("/moments")
  const end = await chain.get<ChainStatus>("/status")
  while ((await service.block(chainId)) < end.head) await pause(20)

  const measured = [...visibleAt].filter(([block]) => block > made.head + warmup)
  const since = (which: "shown" | "served") =>
    measured.flatMap(([block, at]) => {
      const from = moments[which][block]
      return from === undefined ? [] : [at - from]
    })
  const report = (label: string, values: ReadonlyArray<number>) =>
    [
      [`${label}, p50 ms`, quantile(values, 0.5), 1],
      [`${label}, p99 ms`, quantile(values, 0.99), 1],
      [`${label}, most ms`, quantile(values, 1), 1],
    ] as const
  console.log(
    `${measured.length} blocks of ${chainOptions.liveLogsPerBlock} ERC-20 transfers (and ${(100 * chainOptions.nfts).toFixed(1)} % as many ERC-721 and ERC-1155 logs), one every ${chainOptions.blockTime} ms:`,
  )
  console.log(
    format([
      ...report("from serving a block's logs to its being visible over HTTP", since("served")),
      ...report(`from announcing a block (POLL_MS ${poll}) to its being visible`, since("shown")),
      ["peak resident memory of the service, MB", peakMemoryOf(service.pid), 0],
    ]),
  )
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
