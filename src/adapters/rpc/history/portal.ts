/** A portal in the form of SQD's: `finalized-head`, `metadata` and `finalized-stream` of one dataset, over HTTP. */
import { HistoryUnavailable } from "../../../ports/HistorySource.ts"
import { type Endpoint, endpointOf, redact } from "../transport/endpoint.ts"
import { Malformed, quote } from "../wire/shapes.ts"
import { makeGathering, type PartLimits, partLimits } from "./gather.ts"
import { linesOf, mostLineBytes } from "./lines.ts"
import type { Place } from "./place.ts"
import { naturalOf, type ReadBloom, readBlock } from "./readBlock.ts"

export interface PortalLimits {
  readonly part: PartLimits
  /** Until an answer begins, and between two pieces of one. */
  readonly silenceMs: number
  readonly mostLineBytes: number
}

export const portalLimits: PortalLimits = { part: partLimits, silenceMs: 30_000, mostLineBytes }

export interface PortalQuery {
  readonly topics: ReadonlyArray<string>
  readonly addresses?: ReadonlyArray<string>
  readonly readBloom: ReadBloom
}

/** A portal refuses fields that it does not know: those that its documentation names. */
const blockFields = [
  ..."number hash parentHash timestamp logsBloom receiptsRoot sha3Uncles miner stateRoot transactionsRoot".split(" "),
  ..."difficulty gasLimit gasUsed extraData mixHash nonce baseFeePerGas".split(" "),
]
const logFields = "address topics data logIndex transactionIndex transactionHash".split(" ")
const all = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, true]))

export const makePortal = (url: string, query: PortalQuery, limits = portalLimits): Place => {
  const endpoint = endpointOf(url)
  const ask = (path: string, init: RequestInit, signal: AbortSignal) => request(endpoint, path, init, limits, signal)
  const get = async (path: string, signal: AbortSignal): Promise<unknown> => {
    const response = await ask(path, { method: "GET" }, signal)
    const text = response.body === null ? "" : await shortText(path, response.body, limits)
    try {
      return text === "" ? null : JSON.parse(text)
    } catch {
      throw new Malformed(`${path}: expected JSON, got ${quote(text)}`)
    }
  }
  /** Of one answer. */
  const linesFrom = async function* (from: number, to: number, signal: AbortSignal) {
    const body = JSON.stringify(bodyOf(query, from, to))
    const headers = { "content-type": "application/json" }
    const { status, body: stream } = await ask("finalized-stream", { method: "POST", body, headers }, signal)
    if (status === 204 || stream === null) return
    const lines = { mostBytes: limits.mostLineBytes, silenceMs: limits.silenceMs }
    for await (const list of linesOf(stream, lines)) yield* list
  }
  return {
    label: endpoint.label,
    clean: (text) => redact(endpoint, text),
    span: async (signal) => {
      const head = await get("finalized-head", signal)
      if (head === null) return { from: 0, to: -1 }
      const to = naturalOf((Object(head) as { number?: unknown }).number, "finalized-head: number")
      // Not every portal tells it; then it is the first block.
      const metadata = await get("metadata", signal).catch(() => null)
      const start = (Object(metadata) as { start_block?: unknown }).start_block
      return { from: start === undefined || start === null ? 0 : naturalOf(start, "metadata: start_block"), to }
    },
    // A part goes on over answers: how long those are is the portal's choice, how much is compared at once is not.
    parts: async function* (from, to, signal) {
      const gathering = makeGathering(limits.part)
      for (let next = from; next <= to; ) {
        const before = next
        for await (const line of linesFrom(next, to, signal)) {
          const block = readBlock(line, query.readBloom)
          const { number } = block.header
          if (number < next || number > to) {
            throw new Malformed(`block ${number} came where block ${next} was to come`, "order")
          }
          next = number + 1
          const part = gathering.add(block, line.length)
          if (part !== undefined) yield part
        }
        if (next === before) throw new Malformed(`it has no block ${next}, though it announced block ${to}`, "behind")
      }
      const rest = gathering.rest()
      if (rest !== undefined) yield rest
    },
  }
}

const mostTextBytes = 1024 * 1024

/** Of what is no stream of blocks: neither long nor slow, however many lines it comes in. */
const shortText = async (
  path: string,
  body: ReadableStream<Uint8Array>,
  { silenceMs }: PortalLimits,
): Promise<string> => {
  const begun = performance.now()
  let text = ""
  for await (const lines of linesOf(body, { mostBytes: mostTextBytes, silenceMs, isText: true })) {
    text += `${lines.join("\n")}\n`
    if (text.length > mostTextBytes) throw new Malformed(`${path}: more than ${mostTextBytes} bytes`)
    if (performance.now() - begun > 2 * silenceMs)
      throw new Malformed(`${path}: not whole after ${(2 * silenceMs) / 1000} s`)
  }
  return text.trim()
}

const bodyOf = ({ topics, addresses }: PortalQuery, fromBlock: number, toBlock: number) => ({
  type: "evm",
  fromBlock,
  toBlock,
  includeAllBlocks: true,
  fields: { block: all(blockFields), log: all(logFields) },
  logs: [{ topic0: topics, ...(addresses === undefined ? {} : { address: addresses }) }],
})

const request = async (
  { url, label, headers }: Endpoint,
  path: string,
  init: RequestInit,
  { silenceMs }: PortalLimits,
  signal: AbortSignal,
): Promise<Response> => {
  const place = new URL(url)
  place.pathname = `${place.pathname.replace(/\/+$/, "")}/${path}`
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), silenceMs)
  try {
    const response = await fetch(place, {
      ...init,
      headers: { ...headers, ...init.headers, "accept-encoding": "gzip" },
      // Where it leads is not what was configured.
      redirect: "manual",
      signal: AbortSignal.any([signal, late.signal]),
    })
    if (response.status === 200 || response.status === 204) return response
    response.body?.cancel().catch(() => {})
    const retryAfterMs = retryAfterOf(response.headers.get("retry-after"))
    throw new HistoryUnavailable({
      kind: "call",
      message: `${label}: ${path}: HTTP ${response.status}`,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  } catch (cause) {
    if (late.signal.aborted) throw new Malformed(`${path}: no answer within ${silenceMs / 1000} s`)
    throw cause
  } finally {
    clearTimeout(timer)
  }
}

const longestRestMs = 600_000

/** Seconds, or a date. Nobody is obeyed for longer than ten minutes. */
const retryAfterOf = (value: string | null): number | undefined => {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longestRestMs)
}
