/** `bench:events`: how long from a block's commit to its event at many subscribers, and what many of them cost the service that ingests. */
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { chainFlags } from "./chain/options.ts"
import { startBareSender } from "./events/bare.ts"
import { watchCommits } from "./events/commits.ts"
import { openSubscribers } from "./events/subscribers.ts"
import { type ChainStatus, startChain, startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, quantile } from "./support/output.ts"
import { cpuOf } from "./support/processes.ts"
import type { TokenTruth } from "./truth/truth.ts"

const flags = readFlags(
  {
    ...chainFlags,
    logs: 20_000,
    blockTime: 500,
    liveLogsPerBlock: 100,
    /** Subscribers whose delay is measured: of one token each, then of every transfer. 0 = it is not measured. */
    subscribers: 1000,
    /** Subscribers whose cost is measured: each of an address of its own. */
    idle: 5000,
    /** Seconds of each part; parts of the cost come by turns, with and without subscribers. */
    seconds: 15,
    pairs: 2,
    /** Where a CPU profile of the service is written; empty = none is made. */
    profile: "",
  },
  process.argv.slice(2),
)
const { subscribers, idle, seconds, pairs, profile, ...chainOptions } = flags
const { chainId, blockTime, liveLogsPerBlock } = chainOptions
const schema = "cowry_bench"

const database = await openDatabase(schema, "track_commit_timestamp=on")
try {
  const chain = await startChain(chainOptions)
  const made = await chain.get<ChainStatus>("/status")
  console.log(describeMachine(database.version))
  const service = await startService(
    {
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: schema,
      EVENT_STREAMS: "100000",
      [`RPC_URL_${chainId}`]: chain.url,
      [`POLL_MS_${chainId}`]: "50",
      [`AUDIT_${chainId}`]: "off",
    },
    profile === "" ? undefined : profile,
  )
  for (const deadline = Date.now() + 300_000; (await service.block(chainId)) < made.head; await pause(200))
    if (Date.now() > deadline) throw new Error(`not synced after five minutes:\n${service.output()}`)

  const open = (count: number, query: (place: number) => string) =>
    openSubscribers(
      service.url,
      Array.from({ length: count }, (_, place) => `/v2/network/mainnet/evm/${chainId}/events?${query(place)}`),
    )
  const commits = await watchCommits(database.sql, `${schema}_${chainId}`)
  const tokens = await chain.get<ReadonlyArray<TokenTruth>>("/truth/tokens")
  await chain.post(`/start?blockTime=${blockTime}&logs=${liveLogsPerBlock}`)

  /** CPU of a process, milliseconds a block, in some seconds. */
  const cpuABlock = async (...pids: ReadonlyArray<number>): Promise<ReadonlyArray<number>> => {
    const [before, head] = [pids.map(cpuOf), commits.newest()]
    await pause(seconds * 1000)
    return pids.map((pid, place) => (cpuOf(pid) - before[place]!) / 1000 / (commits.newest() - head))
  }
  const shares = (delays: ReadonlyArray<number>) =>
    [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${quantile(delays, share).toFixed(1)}`).join(", ")

  const delayOfBare = async (rows: number): Promise<void> => {
    const sender = await startBareSender(blockTime, rows)
    const streams = await openSubscribers(
      sender.url,
      Array.from({ length: subscribers }, () => "/"),
    )
    await pause(1000)
    streams.begin()
    await pause(seconds * 1000)
    const { heard } = await streams.end()
    const sent = await sender.sent()
    await Promise.all([streams.close(), sender.stop()])
    const delays = heard.map(([block, at]) => at - sent.get(block)!)
    console.log(
      `a sender that does nothing else, ${subscribers} receivers, rows a block to each: ${rows}: sent to a block's last row ${shares(delays)} ms (${delays.length} blocks told)`,
    )
  }
  const delayOf = async (what: string, query: (place: number) => string): Promise<void> => {
    const streams = await open(subscribers, query)
    await pause(3000)
    streams.begin()
    const [cost, receiving] = await cpuABlock(service.pid, streams.pid)
    const { heard, bytes, ended } = await streams.end()
    await streams.close()
    const delays = heard.flatMap(([block, at]) => {
      const since = commits.of(block)
      return since === undefined ? [] : [at - since]
    })
    console.log(
      `${subscribers} subscribers of ${what}, ${liveLogsPerBlock} transfers a block: commit to a block's last row ${shares(delays)} ms (${delays.length} blocks told, ${(bytes / 1e6).toFixed(0)} MB, ${ended} subscribers let go, CPU a block: service ${cost!.toFixed(1)}, receivers ${receiving!.toFixed(1)} ms)`,
    )
    await pause(1000)
  }
  if (subscribers > 0) {
    await delayOfBare(1)
    await delayOf("one token each", (place) => `kinds=transfer&tokenAddress=${tokens[place % tokens.length]!.address}`)
    await delayOfBare(liveLogsPerBlock)
    await delayOf("every transfer", () => "kinds=transfer")
  }

  const costOf = async (count: number): Promise<number> => {
    const streams = await open(count, (place) => `address=0x${(place + 1).toString(16).padStart(40, "0")}`)
    // What making so many connections left behind is not what is measured.
    await pause(count === 0 ? 2000 : 10_000)
    const [cost] = await cpuABlock(service.pid)
    await streams.close()
    await pause(2000)
    return cost!
  }
  const costs: Array<readonly [number, number]> = []
  for (let pair = 0; pair < pairs; pair++) costs.push([await costOf(0), await costOf(idle)])
  for (const [without, with_] of costs) {
    const more = (100 * (with_ - without)) / without
    console.log(
      `CPU ms a block: ${without.toFixed(1)} without subscribers, ${with_.toFixed(1)} with ${idle}: ${more.toFixed(1)} % more`,
    )
  }
  await chain.post("/stop")
  await service.stop()
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
