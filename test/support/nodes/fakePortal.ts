/** A portal in the form of SQD's over a replay chain, with its documented limits and every way in which one can fail or lie. */
import type { ReplayChain, ReplayLog } from "./replayNode.ts"

export interface PortalLine {
  readonly header: Readonly<Record<string, unknown>>
  readonly logs?: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export interface PortalFaults {
  /** The newest block that it has; default: the chain's. */
  upTo?: number
  startBlock?: number
  /** Blocks of one answer. */
  mostBlocks?: number
  /** In place of an answer to a path (`finalized-stream`, …). */
  answer?: (path: string) => Response | undefined
  /** In place of the lines of one answer. */
  lines?: (lines: ReadonlyArray<PortalLine>) => ReadonlyArray<PortalLine>
  /** In place of the text of one answer. */
  text?: (text: string) => string
  /** The answer breaks off behind this share of it, in the middle of its gzip. */
  cut?: number
  /** The connection is torn down behind this share. */
  torn?: number
  /** Blocks without logs are left out, whatever is asked for. */
  sparse?: boolean
}

export interface FakePortal {
  readonly url: string
  faults: PortalFaults
  readonly requests: Array<{ readonly path: string; readonly at: number; readonly body?: PortalBody }>
  readonly stop: () => Promise<void>
}

interface PortalBody {
  readonly fromBlock: number
  readonly toBlock: number
  readonly includeAllBlocks?: boolean
  readonly fields: Readonly<Record<"block" | "log", Readonly<Record<string, boolean>>>>
  readonly logs: ReadonlyArray<{ readonly topic0: ReadonlyArray<string>; readonly address?: ReadonlyArray<string> }>
}

/** Those of the documentation: of others it says 400. */
const known = new Set(
  (
    "number hash parentHash timestamp transactionsRoot receiptsRoot stateRoot logsBloom sha3Uncles extraData miner nonce mixHash " +
    "size gasLimit gasUsed difficulty totalDifficulty baseFeePerGas l1BlockNumber " +
    "logIndex transactionIndex transactionHash address data topics"
  ).split(" "),
)
const numbers = new Set(["number", "timestamp", "logIndex", "transactionIndex"])
const shown = (name: string, value: unknown) => (numbers.has(name) ? Number(value) : value)

export const startFakePortal = (chain: ReplayChain, faults: PortalFaults = {}): FakePortal => {
  const requests: FakePortal["requests"] = []
  const pick = (from: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, boolean>>) =>
    Object.fromEntries(
      Object.keys(fields).flatMap((name) => (from[name] === undefined ? [] : [[name, shown(name, from[name])]])),
    )
  const lineOf = (number: number, { fields, logs: [filter] }: PortalBody): PortalLine => {
    const block = chain.find(number)!
    const wanted = ({ topics, address }: ReplayLog) =>
      filter!.topic0.includes(topics[0] ?? "") && (filter!.address?.includes(address) ?? true)
    const logs = block.receipts
      .flatMap((receipt) => receipt.logs.filter(wanted))
      .sort((a, b) => Number(a.logIndex) - Number(b.logIndex))
    const header = pick({ ...block.header, number }, fields.block)
    return { header, ...(logs.length === 0 ? {} : { logs: logs.map((log) => pick({ ...log }, fields.log)) }) }
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const { faults: now } = portal
      const path = new URL(request.url).pathname.split("/").at(-1)!
      const body = request.method === "POST" ? ((await request.json()) as PortalBody) : undefined
      requests.push({ path, at: performance.now(), ...(body && { body }) })
      const other = now.answer?.(path)
      if (other !== undefined) return other
      const upTo = now.upTo ?? chain.head
      if (path === "finalized-head") return Response.json({ number: upTo, hash: chain.find(upTo)?.header.hash })
      if (path === "metadata") return Response.json({ dataset: "test", start_block: now.startBlock ?? 0 })
      if (path !== "finalized-stream" || body === undefined) return new Response("not found", { status: 404 })
      const asked = [...Object.keys(body.fields.block), ...Object.keys(body.fields.log)]
      if (!asked.every((name) => known.has(name))) return new Response("unknown field", { status: 400 })
      if (body.fromBlock > upTo) return new Response(null, { status: 204 })
      const to = Math.min(body.toBlock, upTo, body.fromBlock + (now.mostBlocks ?? 1000) - 1)
      const all = Array.from({ length: to - body.fromBlock + 1 }, (_, at) => lineOf(body.fromBlock + at, body))
      const isKept = (line: PortalLine, at: number) => at === 0 || at === all.length - 1 || line.logs !== undefined
      const lines = now.sparse === true || body.includeAllBlocks !== true ? all.filter(isKept) : all
      const said = (now.lines?.(lines) ?? lines).map((line) => `${JSON.stringify(line)}\n`).join("")
      return send(now, Bun.gzipSync(Buffer.from(now.text?.(said) ?? said)))
    },
  })
  const portal: FakePortal = {
    url: `http://127.0.0.1:${server.port}/datasets/s3cret-name`,
    faults,
    requests,
    stop: () => server.stop(true),
  }
  return portal
}

const send = ({ cut, torn }: PortalFaults, bytes: Uint8Array<ArrayBuffer>): Response => {
  const headers = { "content-type": "application/jsonl", "content-encoding": "gzip" }
  if (cut !== undefined) return new Response(bytes.slice(0, Math.floor(bytes.length * cut)), { headers })
  if (torn === undefined) return new Response(bytes, { headers })
  // It promises more than comes.
  const part = bytes.slice(0, Math.floor(bytes.length * torn))
  const stream = new ReadableStream({
    start: (controller) => {
      controller.enqueue(part)
      setTimeout(() => controller.close(), 20)
    },
  })
  return new Response(stream, { headers })
}
