/** The chain server: a made-up chain behind JSON-RPC over HTTP, in a process of its own. Flags: options.ts. */

import { streamOf } from "../history/portal.ts"
import { readFlags } from "../support/flags.ts"
import { nftsOf } from "../truth/nftTruth.ts"
import { pairsOf, tokensOf } from "../truth/truth.ts"
import { Chain } from "./Chain.ts"
import { Faults } from "./faults.ts"
import { Node } from "./Node.ts"
import { chainFlags } from "./options.ts"
import { growTo, StreamedChain } from "./StreamedChain.ts"

interface Request1 {
  readonly id: number | string | null
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

const options = readFlags(chainFlags, process.argv.slice(2))
if (options.stream && options.reorgs > 0) throw new Error("--reorgs: blocks of a streamed chain cannot be taken back")
const streamed = options.stream ? new StreamedChain(options, options) : undefined
const chain = streamed?.chain ?? new Chain(options)
if (streamed === undefined) while (growTo(chain, options));
const node = new Node(streamed ?? chain, options)
const made = streamed ?? chain
const faults = new Faults(options)
const requests = new Map<string, number>()
let bytes = 0
node.show(made.head.number)

const answerOne = ({ id, method, params = [] }: Request1, head: number): ReadonlyArray<Uint8Array | string> => {
  requests.set(method, (requests.get(method) ?? 0) + 1)
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`
  if (method === "eth_getLogs" && faults.forgets()) return [`${start}"result":[]}`]
  const answer = node.answer(method, params, head)
  return "code" in answer ? [`${start}"error":${JSON.stringify(answer)}}`] : [`${start}"result":`, ...answer, "}"]
}

const answer = async (request: Request): Promise<Response> => {
  const body = (await request.json()) as Request1 | ReadonlyArray<Request1>
  if (options.latency > 0) await new Promise((resolve) => setTimeout(resolve, options.latency))
  const failure = faults.failure()
  if (failure !== undefined) return failure
  const head = faults.headOf(node.head)
  if (!Array.isArray(body)) return send(answerOne(body as Request1, head))
  if (body.length > options.maxBatch) {
    const error = { code: -32600, message: `batch of ${body.length} calls exceeds ${options.maxBatch}` }
    return Response.json({ jsonrpc: "2.0", id: null, error })
  }
  const parts = (body as ReadonlyArray<Request1>).flatMap((call, index) => [
    index > 0 ? "," : "",
    ...answerOne(call, head),
  ])
  return send(["[", ...parts, "]"])
}

const send = (parts: ReadonlyArray<Uint8Array | string>): Response => {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)))
  bytes += body.length
  return new Response(body, { headers: { "content-type": "application/json" } })
}

let added = 0
/** A new block; now and then the newest ones are replaced by as many others first. */
const addBlock = (): void => {
  if (options.reorgs > 0 && ++added % options.reorgs === 0) {
    chain.rewind(options.reorgDepth)
    node.replacedFrom(chain.blocks.length)
    for (let count = 0; count < options.reorgDepth; count++) grow()
  }
  grow()
  node.show(made.head.number)
}
/** Of the blocks to come, as the last `POST /start` wanted them. */
let liveLogs: number | undefined = options.liveLogsPerBlock || undefined
const grow = () => made.grow(undefined, liveLogs)

/** By the clock, so that a late block does not make all later ones late. */
const every = (milliseconds: number, work: () => void): (() => void) => {
  let next = performance.now() + milliseconds
  const timer = setInterval(
    () => {
      for (; performance.now() >= next; next += milliseconds) work()
    },
    Math.max(1, milliseconds / 4),
  )
  return () => clearInterval(timer)
}

let clock: (() => void) | undefined
const stopClock = () => clock?.()

const text = (parts: Iterator<string>): Response =>
  new Response(
    new ReadableStream({
      pull: (controller) => {
        const { done, value } = parts.next()
        if (done === true) controller.close()
        else controller.enqueue(Buffer.from(value))
      },
    }),
  )

const lastFinal = () => Math.max(0, node.head - options.finality)

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: options.port,
  // Between two parts of the truth a large token is sorted, and who compares it sorts the stored side first.
  idleTimeout: 0,
  routes: {
    "/": { POST: answer },
    /** The same chain as a portal shows it. */
    "/datasets/bench/finalized-head": () => Response.json({ number: lastFinal(), hash: null }),
    "/datasets/bench/metadata": () => Response.json({ dataset: "bench", start_block: 0 }),
    "/datasets/bench/finalized-stream": {
      POST: async (request) => {
        requests.set("finalized-stream", (requests.get("finalized-stream") ?? 0) + 1)
        node.firstLogsAt ??= performance.timeOrigin + performance.now()
        return streamOf((await request.json()) as never, lastFinal(), (number) => made.blockOf(number)!)
      },
    },
    "/start": {
      /** `?blockTime=…&logs=…` over the flags; `logs=0` are blocks without any. */
      POST: ({ url }) => {
        const { searchParams } = new URL(url)
        const logs = searchParams.get("logs")
        if (logs !== null) liveLogs = Number(logs)
        stopClock()
        clock = every(Number(searchParams.get("blockTime") ?? options.blockTime), addBlock)
        return new Response("started")
      },
    },
    "/stop": {
      POST: () => {
        stopClock()
        return new Response("stopped")
      },
    },
    "/status": () =>
      Response.json({
        head: node.head,
        headHash: `0x${Buffer.from(made.head.hash).toString("hex")}`,
        transfers: made.transfers,
        nftLogs: made.collections.logs,
        nftRows: made.collections.rows,
        firstLogsAt: node.firstLogsAt,
        logsServed: node.logsServed,
        bytes,
        requests: Object.fromEntries(requests),
        cpuMicroseconds: process.cpuUsage().user + process.cpuUsage().system,
      }),
    /** Milliseconds since 1970, by block. */
    "/moments": () =>
      Response.json({
        shown: Object.fromEntries(node.shownAt),
        header: Object.fromEntries(node.headerAt),
        served: Object.fromEntries(node.servedAt),
        receipts: Object.fromEntries(node.receiptsAt),
      }),
    "/truth/tokens": () => Response.json(tokensOf(chain)),
    "/truth/nfts": () => Response.json(nftsOf(chain)),
    "/truth/pairs": () => text(pairsOf(chain)),
    /** The wrapped native token of this chain. */
    "/wrapped-native": () => new Response(`0x${Buffer.from(chain.population.tokens[0]!.hex).toString("latin1")}`),
  },
  fetch: () => new Response("not found", { status: 404 }),
})

for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => process.exit(0))
console.log(`ready ${server.url.href} block ${made.head.number} with ${made.transfers} transfers`)
