/** `bench:events`: how long from a block's commit to its event at many subscribers, and what many of them cost the service that ingests. */
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { chainFlags } from "./chain/options.ts"
import { type ChainStatus, startChain, startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, quantile } from "./support/output.ts"
import { cpuOf } from "./support/processes.ts"

const flags = readFlags(
  {
    ...chainFlags,
    logs: 20_000,
    blockTime: 500,
    liveLogsPerBlock: 100,
    /** Subscribers whose delay is measured: each hears every transfer. */
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
  while ((await service.block(chainId)) < made.head) await pause(200)

  /** Calls back with each block that a subscriber hears of first. */
  const subscribe = async (query: string, heard: (block: number) => void, over: AbortSignal): Promise<void> => {
    const url = `${service.url}/v2/network/mainnet/evm/${chainId}/events?${query}`
    const response = await fetch(url, { signal: over })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    const read = async () => {
      const decoder = new TextDecoder()
      let last = -1
      for await (const bytes of response.body!) {
        for (const [, block] of decoder.decode(bytes).matchAll(/^event: transfer\ndata: .*?"block":(\d+)/gm)) {
          if (Number(block) > last) heard(Number(block))
          last = Math.max(last, Number(block))
        }
      }
    }
    read().catch(() => {})
  }
  const open = async (count: number, query: (place: number) => string, heard: (block: number) => void) => {
    const over = new AbortController()
    for (let place = 0; place < count; place += 50) {
      const some = Array.from({ length: Math.min(50, count - place) }, (_, more) => query(place + more))
      await Promise.all(some.map((it) => subscribe(it, heard, over.signal)))
    }
    return () => over.abort()
  }

  // The server's word of a commit comes when the block is there for everybody.
  const committed = new Map<number, number>()
  let newest = made.head
  await database.sql.listen(`${schema}_${chainId}`, () => {
    const at = performance.now()
    newest++
    committed.set(newest, at)
  })
  const delays: Array<number> = []
  const close = await open(
    subscribers,
    () => "kinds=transfer",
    (block) => {
      const at = committed.get(block)
      if (at !== undefined) delays.push(performance.now() - at)
    },
  )
  await pause(1000)
  await chain.post(`/start?blockTime=${chainOptions.blockTime}&logs=${chainOptions.liveLogsPerBlock}`)
  await pause(seconds * 1000)
  close()
  const shown = [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${quantile(delays, share).toFixed(1)}`).join(", ")
  console.log(
    `${subscribers} subscribers of every transfer, ${chainOptions.liveLogsPerBlock} a block: commit to event ${shown} ms (${delays.length} deliveries)`,
  )

  const costOf = async (count: number): Promise<number> => {
    const end = await open(
      count,
      (place) => `address=0x${(place + 1).toString(16).padStart(40, "0")}`,
      () => {},
    )
    await pause(2000)
    const [cpu, head] = [cpuOf(service.pid), newest]
    await pause(seconds * 1000)
    const cost = (cpuOf(service.pid) - cpu) / 1000 / (newest - head)
    end()
    await pause(1000)
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
