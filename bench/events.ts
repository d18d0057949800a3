/** `bench:events`: how long from a block's commit to its event at many subscribers, and what many of them cost the service that ingests. */
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { chainFlags } from "./chain/options.ts"
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
  },
  process.argv.slice(2),
)
const { subscribers, idle, seconds, pairs, ...chainOptions } = flags
const { chainId } = chainOptions
const schema = "cowry_bench"

const database = await openDatabase(schema)
try {
  const chain = await startChain(chainOptions)
  const made = await chain.get<ChainStatus>("/status")
  console.log(describeMachine(database.version))
  const service = await startService({
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: schema,
    EVENT_STREAMS: "100000",
    [`RPC_URL_${chainId}`]: chain.url,
    [`POLL_MS_${chainId}`]: "50",
    [`AUDIT_${chainId}`]: "off",
  })
  for (const deadline = Date.now() + 300_000; (await service.block(chainId)) < made.head; await pause(200))
    if (Date.now() > deadline) throw new Error(`not synced after five minutes:\n${service.output()}`)

  const origin = new URL(service.url)
  const open = (
    count: number,
    query: (place: number) => string,
    heard: (block: number, at: number) => void = () => {},
  ) =>
    openSubscribers({
      origin,
      count,
      path: (place) => `/v2/network/mainnet/evm/${chainId}/events?${query(place)}`,
      heard,
    })

  // The server's word of a commit comes when the block is there for everybody.
  const committed = new Map<number, number>()
  let newest = made.head
  const stored = async (at: number) => {
    const [row] = await database.sql<Array<{ next: number }>>`
      select next_block as next from ${database.sql(`${schema}_${chainId}.state`)}`
    for (const next = Number(row!.next); newest + 1 < next; ) committed.set(++newest, at)
  }
  await database.sql.listen(`${schema}_${chainId}`, () => void stored(performance.now()).catch(() => {}))
  const tokens = await chain.get<ReadonlyArray<TokenTruth>>("/truth/tokens")
  await chain.post(`/start?blockTime=${chainOptions.blockTime}&logs=${chainOptions.liveLogsPerBlock}`)

  const delayOf = async (what: string, query: (place: number) => string): Promise<void> => {
    const delays: Array<number> = []
    const streams = await open(subscribers, query, (block, at) => {
      const since = committed.get(block)
      if (since !== undefined) delays.push(at - since)
    })
    await pause(2000)
    delays.length = 0
    const [cpu, head] = [cpuOf(service.pid), newest]
    await pause(seconds * 1000)
    const cost = (cpuOf(service.pid) - cpu) / 1000 / (newest - head)
    streams.close()
    const shown = [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${quantile(delays, share).toFixed(1)}`).join(", ")
    console.log(
      `${subscribers} subscribers of ${what}, ${chainOptions.liveLogsPerBlock} transfers a block: commit to a block's last event ${shown} ms (${delays.length} blocks told, ${streams.ended()} subscribers let go, ${cost.toFixed(1)} ms CPU a block)`,
    )
    await pause(1000)
  }
  if (subscribers > 0)
    await delayOf("one token each", (place) => `kinds=transfer&tokenAddress=${tokens[place % tokens.length]!.address}`)
  if (subscribers > 0) await delayOf("every transfer", () => "kinds=transfer")

  const costOf = async (count: number): Promise<number> => {
    const streams = await open(count, (place) => `address=0x${(place + 1).toString(16).padStart(40, "0")}`)
    // What making so many connections left behind is not what is measured.
    await pause(count === 0 ? 2000 : 10_000)
    const [cpu, head] = [cpuOf(service.pid), newest]
    await pause(seconds * 1000)
    const cost = (cpuOf(service.pid) - cpu) / 1000 / (newest - head)
    streams.close()
    await pause(2000)
    return cost
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
