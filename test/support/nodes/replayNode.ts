/** A JSON-RPC node that replays given blocks over HTTP, with the limits and faults of real providers, all by a seed. */
import { setTimeout as pause } from "node:timers/promises"
import { type Random, randomOf } from "../../../demo/chain/random.ts"

export interface ReplayLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly transactionHash: string
  readonly logIndex: string
  readonly transactionIndex?: string
}

/** A block as JSON-RPC shows it; every log is in one receipt. */
export interface ReplayBlock {
  readonly number: number
  readonly header: { readonly hash: string; readonly [field: string]: unknown }
  readonly receipts: ReadonlyArray<{
    readonly transactionHash: string
    readonly logs: ReadonlyArray<ReplayLog>
    /** Of the contract that the transaction made. */
    readonly contractAddress?: string | null
  }>
}

export interface ReplayChain {
  /** In decimal. */
  readonly chainId: string
  readonly head: number
  readonly find: (block: number | string) => ReplayBlock | undefined
  /** Blocks with logs between two numbers (inclusive), ascending. */
  readonly withLogs: (from: number, to: number) => ReadonlyArray<ReplayBlock>
  /** What `eth_call` returns after a block; undefined = it reverts. Absent: every call does, and no code is known either. */
  readonly call?: (to: string | undefined, data: string, block: ReplayBlock) => string | undefined
}

export interface ReplayFaults {
  seed?: number
  /** Share of requests that fail in one of many ways. */
  errors?: number
  /** Share of requests that are never answered. */
  stalls?: number
  /** Milliseconds before a request of these calls is answered. */
  delay?: (methods: ReadonlyArray<string>) => number
  /** Share of requests that a node answers which is `behind` blocks behind, and says nothing of it. */
  stale?: number
  behind?: number
  /** Share of calls, each drawn by itself, that are answered so: a balancer that splits requests. */
  staleCalls?: number
  /** Logs of ranges are `behind` blocks behind, headers and logs by hash are not. */
  staleRanges?: boolean
  mostBlocks?: number
  /** Also of a single block, by number or hash. */
  mostLogs?: number
  /** Calls in one request. */
  mostCalls?: number
  /** Methods that are not known. */
  unknown?: ReadonlyArray<string>
  /** Blocks whose logs `eth_getLogs` keeps back. */
  hides?: (block: number) => boolean
  /** The same where it is asked for a range, and not by hash: its index of logs has a hole. */
  hidesInRanges?: (block: number) => boolean
  /** Blocks one receipt of which is missing. */
  lacksReceipt?: (block: number) => boolean
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<never>
}

interface LogFilter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: string | ReadonlyArray<string>
  readonly topics: readonly [ReadonlyArray<string>]
}

export interface ReplayNode {
  readonly url: string
  /** May be changed while it runs. */
  readonly faults: ReplayFaults
  /** Every call by method, and when each request came (milliseconds) with how many. */
  readonly counts: Map<string, number>
  readonly requests: Array<{ readonly at: number; readonly calls: number }>
  readonly stop: () => Promise<void>
}

export const startReplayNode = (chain: ReplayChain, faults: ReplayFaults = {}): ReplayNode => {
  const random = randomOf(faults.seed ?? 1)
  const counts = new Map<string, number>()
  const requests: Array<{ at: number; calls: number }> = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const body = (await request.json()) as Call | ReadonlyArray<Call>
      const calls = [body].flat() as ReadonlyArray<Call>
      requests.push({ at: performance.now(), calls: calls.length })
      for (const { method } of calls) counts.set(method, (counts.get(method) ?? 0) + 1)
      const delay = faults.delay?.(calls.map(({ method }) => method)) ?? 0
      if (delay > 0) await pause(delay)
      if (random.chance(faults.stalls ?? 0)) return new Promise<Response>(() => {})
      if (calls.length > (faults.mostCalls ?? 1000)) {
        return Response.json({ id: null, error: { code: -32600, message: "batch too large" } })
      }
      const head = random.chance(faults.stale ?? 0) ? chain.head - (faults.behind ?? 10) : chain.head
      const behind = chain.head - (faults.behind ?? 10)
      const answers = calls.map((call) => {
        const isBehind = faults.staleRanges === true && isRange(call)
        return answerOf(chain, faults, random, isBehind || random.chance(faults.staleCalls ?? 0) ? behind : head, call)
      })
      const text = JSON.stringify(Array.isArray(body) ? shuffled(random, answers) : answers[0])
      return random.chance(faults.errors ?? 0)
        ? failure(random, text)
        : new Response(text, { headers: { "content-type": "application/json" } })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/`,
    faults,
    counts,
    requests,
    stop: () => server.stop(true),
  }
}

const isRange = ({ method, params }: Call): boolean =>
  method === "eth_getLogs" && (params[0]! as LogFilter).blockHash === undefined

const shuffled = <Value>(random: Random, values: ReadonlyArray<Value>) =>
  random.chance(0.5) ? values : [...values].reverse()

const failure = (random: Random, text: string): Response =>
  random.pick([
    () => new Response("upstream down", { status: 503 }),
    () => new Response("slow down", { status: 429, headers: { "retry-after": "0" } }),
    () => new Response(text.slice(0, Math.floor(text.length / 2))),
    () => new Response("<html>Bad Gateway</html>", { status: 502 }),
    () => Response.json({ id: null, error: { code: -32603, message: "internal error" } }),
    () => Response.json([]),
    () => new Response(text.replaceAll(/"result":(?!null)/g, '"result":null,"was":')),
  ])()

const answerOf = (
  chain: ReplayChain,
  faults: ReplayFaults,
  random: Random,
  head: number,
  { id, method, params }: Call,
) => {
  const refuse = (code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } })
  const give = (result: unknown) => ({ jsonrpc: "2.0", id, result })
  const find = (key: number | string) => {
    const block = chain.find(key)
    return block !== undefined && block.number <= head ? block : undefined
  }
  if (faults.unknown?.includes(method)) return refuse(-32601, `the method ${method} does not exist/is not available`)
  switch (method) {
    case "eth_chainId":
      return give(`0x${Number(chain.chainId).toString(16)}`)
    case "eth_getBlockByNumber": {
      const block = find(params[0] === "latest" ? head : Number(params[0]))
      return give(block === undefined ? null : headerOf(block, params[1]))
    }
    case "eth_getBlockByHash": {
      const block = find(params[0]!)
      return give(block === undefined ? null : headerOf(block))
    }
    case "eth_getBlockReceipts": {
      const block = find(Number(params[0]))
      if (block === undefined) return give(null)
      const receipts = block.receipts.map((receipt) => ({ ...receipt, blockHash: block.header.hash }))
      return give(faults.lacksReceipt?.(block.number) === true ? receipts.slice(1) : receipts)
    }
    case "eth_getTransactionReceipt": {
      const block = chain
        .withLogs(0, head)
        .find(({ receipts }) => receipts.some((it) => it.transactionHash === params[0]))
      if (block === undefined || faults.lacksReceipt?.(block.number) === true) return give(null)
      const receipt = block.receipts.find(({ transactionHash }) => transactionHash === params[0])
      return give({ ...receipt, blockHash: block.header.hash, blockNumber: `0x${block.number.toString(16)}` })
    }
    case "eth_getCode":
      if (chain.call === undefined) return refuse(-32601, "the method eth_getCode does not exist")
      return params[1] === "latest" ? give("0x") : refuse(-32000, "missing trie node")
    case "eth_call": {
      const { to, data } = params[0]! as { readonly to?: string; readonly data: string }
      const at = params[1]! as string | { readonly blockHash: string }
      const block = typeof at === "string" ? find(at === "latest" ? head : Number(at)) : find(at.blockHash)
      if (block === undefined) return refuse(-32000, "header not found")
      if (find(block.number) !== block) return refuse(-32000, `hash ${block.header.hash} is not currently canonical`)
      const returned = chain.call?.(to, data, block)
      return returned === undefined ? refuse(3, "execution reverted") : give(returned)
    }
    case "eth_getLogs": {
      const { fromBlock, toBlock, blockHash, address, topics } = params[0]! as LogFilter
      const block = blockHash === undefined ? undefined : find(blockHash)
      if (blockHash !== undefined && block === undefined) {
        return random.chance(0.5) ? give([]) : refuse(-32000, "unknown block")
      }
      const from = block?.number ?? Number(fromBlock)
      const to = block?.number ?? Number(toBlock)
      if (to - from + 1 > (faults.mostBlocks ?? Number.POSITIVE_INFINITY))
        return refuse(-32602, longWords(random, faults, from))
      const addresses = address === undefined ? undefined : new Set([address].flat())
      const logs = chain
        .withLogs(from, Math.min(to, head))
        .filter(({ number }) => faults.hides?.(number) !== true)
        .filter(({ number }) => blockHash !== undefined || faults.hidesInRanges?.(number) !== true)
        .flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs))
        .filter((log) => topics[0].includes(log.topics[0]!))
        .filter((log) => addresses === undefined || addresses.has(log.address.toLowerCase()))
      return logs.length > (faults.mostLogs ?? Number.POSITIVE_INFINITY)
        ? refuse(-32005, manyWords(random, faults, from, to))
        : give(logs)
    }
    default:
      return refuse(-32601, `the method ${method} does not exist`)
  }
}

/** `full`: with transactions, which all call somebody. */
const headerOf = ({ number, header, receipts }: ReplayBlock, full: unknown = false) => ({
  ...header,
  number: `0x${number.toString(16)}`,
  transactions:
    header.transactions ??
    receipts.map(({ transactionHash: hash }) => (full === true ? { hash, to: `0x${"99".repeat(20)}` } : hash)),
})

/** Refusals of long ranges in providers' own words; some propose a range. */
const longWords = (random: Random, { mostBlocks = 0 }: ReplayFaults, from: number): string =>
  random.pick([
    `exceed maximum block range: ${mostBlocks}`,
    `eth_getLogs is limited to a ${mostBlocks} range`,
    "block range is too wide",
    `You can make eth_getLogs requests with up to a ${mostBlocks} block range. Based on your parameters, this block range should work: [0x${from.toString(16)}, 0x${(from + mostBlocks - 1).toString(16)}]`,
    `query exceeds max block range ${mostBlocks}`,
  ])

const manyWords = (random: Random, { mostLogs = 0 }: ReplayFaults, from: number, to: number): string =>
  random.pick([
    `query returned more than ${mostLogs} results`,
    `query returned more than ${mostLogs} results. Try with this block range [0x${from.toString(16)}, 0x${Math.floor((from + to) / 2).toString(16)}].`,
    `query exceeds max results ${mostLogs}`,
    "Log response size exceeded.",
    "backend response too large",
  ])
