/** `bench:stream`: all holders of a large token at an old block, and a whole feed, streamed while blocks arrive; is it right, is memory flat. */
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { chainFlags } from "./chain/options.ts"
import { type ChainServer, type ChainStatus, type Service, startChain, startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, format } from "./support/output.ts"
import { memoryOf } from "./support/processes.ts"
import type { TokenTruth } from "./truth/truth.ts"

const flags = readFlags(
  {
    ...chainFlags,
    logs: 1_000_000,
    tokens: 20,
    blockTime: 500,
    liveLogsPerBlock: 500,
    /** Kilobytes a second that the slow client reads. */ slow: 2000,
  },
  process.argv.slice(2),
)
const { slow, ...chainOptions } = flags
const { chainId } = chainOptions
const schema = "cowry_bench"

interface Streamed {
  readonly rows: number
  readonly bytes: number
  readonly firstMs: number
  readonly wholeMs: number
  /** Megabytes resident: before, and the most while it went on. */
  readonly before: number
  readonly most: number
}

/** Reads a stream line by line. `kilobytes` a second at most; 0 = as fast as it comes. */
const stream = async (
  service: Service,
  path: string,
  kilobytes: number,
  onRow: (row: Record<string, string>) => void,
): Promise<Streamed> => {
  const before = memoryOf(service.pid)
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, memoryOf(service.pid))
  }, 50)
  const began = performance.now()
  const response = await fetch(`${service.url}/v2/network/mainnet/evm/${chainId}${path}`, {
    headers: { accept: "application/x-ndjson" },
  })
  if (!response.ok || response.body === null) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  const decoder = new TextDecoder()
  let [rows, bytes, firstMs, rest] = [0, 0, 0, ""]
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    if (bytes === 0) firstMs = performance.now() - began
    bytes += part.byteLength
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) onRow(JSON.parse(line))
    rows += lines.length
    if (kilobytes > 0) await pause(Math.max(0, bytes / kilobytes - (performance.now() - began)))
  }
  clearInterval(watch)
  if (rest !== "") throw new Error(`${path}: ends in the middle of a line`)
  return { rows, bytes, firstMs, wholeMs: performance.now() - began, before, most }
}

const report = (what: string, { rows, bytes, firstMs, wholeMs, before, most }: Streamed): void => {
  console.log(`${what}:`)
  console.log(
    format([
      ["rows", rows, 0],
      ["rows/s", (1000 * rows) / wholeMs, 0],
      ["megabytes", bytes / 1e6, 1],
      ["first byte after ms", firstMs, 0],
      ["resident memory before, MB", before, 0],
      ["the most while it went on, MB", most, 0],
    ]),
  )
}

const largest = async (
  chain: ChainServer,
): Promise<{ readonly token: TokenTruth; readonly truth: Map<string, string> }> => {
  const tokens = await chain.get<ReadonlyArray<TokenTruth>>("/truth/tokens")
  const token = tokens.reduce((most, next) => (next.holders > most.holders ? next : most))
  const pairs = await (await chain.text("/truth/pairs")).text()
  const truth = new Map<string, string>()
  for (const line of pairs.split("\n")) {
    const [address, holder, balance] = line.split(" ")
    if (address === token.address && BigInt(balance!) > 0n) truth.set(holder!, balance!)
  }
  return { token, truth }
}

/** Every holder once, with its true balance, the largest first. */
const holdersAgainst = (truth: ReadonlyMap<string, string>) => {
  const left = new Map(truth)
  let wrong = 0
  let last: bigint | undefined
  return {
    onRow: ({ address, balance }: Record<string, string>) => {
      const amount = BigInt(balance!)
      if (left.get(address!) !== balance || (last !== undefined && amount > last)) wrong++
      left.delete(address!)
      last = amount
    },
    differences: () => wrong + left.size,
  }
}

const database = await openDatabase(schema)
try {
  const chain = await startChain(chainOptions)
  const made = await chain.get<ChainStatus>("/status")
  const { token, truth } = await largest(chain)
  console.log(describeMachine(database.version))
  const service = await startService({
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: schema,
    [`RPC_URL_${chainId}`]: chain.url,
    [`WRAPPED_NATIVE_${chainId}`]: await (await chain.text("/wrapped-native")).text(),
  })
  console.log(`a ledger of ${made.transfers} transfers is made first …`)
  while ((await service.block(chainId)) < made.head) await pause(200)
  await chain.post("/start")
  while ((await service.block(chainId)) < made.head + 5) await pause(200)

  const holders = `/erc20/${token.address}/holders?blockNumber=${made.head}`
  let differences = 0
  for (const [what, speed] of [
    ["as fast as it comes", 0],
    [`at ${slow} KB/s`, slow],
  ] as const) {
    const check = holdersAgainst(truth)
    report(
      `${truth.size} holders at an old block while blocks arrive, ${what}`,
      await stream(service, holders, speed, check.onRow),
    )
    differences += check.differences()
  }
  let order = 0
  const feed = await stream(service, `/erc20-transfers?sort=asc&blockNumberTo=${made.head}`, 0, (row) => {
    const place = Number(row.blockNumber) * 2 ** 24 + Number(row.logIndex)
    if (place <= order) differences++
    order = place
  })
  if (feed.rows !== made.transfers) differences++
  report("the whole feed of ERC-20 transfers up to that block", feed)
  const head = await service.block(chainId)
  console.log(`the head moved from ${made.head} to ${head} meanwhile; ${differences} differences`)
  if (differences > 0 || head <= made.head) process.exitCode = 1
  await service.stop()
} finally {
  await stopChildren()
  await database.close()
}
process.exit()
