/** The made-up chain as a portal in the form of SQD's shows it: blocks as lines of JSON, gzip. */
import { topics } from "../../src/domain/ingest/decode/topics.ts"
import type { Block } from "../chain/Chain.ts"
import { renderHeader } from "../chain/header.ts"
import { logsOf } from "../chain/receipts.ts"

interface Query {
  readonly fromBlock: number
  readonly toBlock?: number
  readonly fields: Readonly<Record<"block" | "log", Readonly<Record<string, boolean>>>>
}

const followed = new Set<string>(Object.values(topics))
const numbers = new Set(["number", "timestamp", "logIndex", "transactionIndex"])

const pick = (from: Readonly<Record<string, unknown>>, names: ReadonlyArray<string>) =>
  Object.fromEntries(
    names.flatMap((name) =>
      from[name] === undefined ? [] : [[name, numbers.has(name) ? Number(from[name]) : from[name]]],
    ),
  )

/** Blocks of one piece of an answer. */
const blocksAtOnce = 64

/** Token logs of all blocks from one on up to `last`. */
export const streamOf = (
  { fromBlock, toBlock, fields }: Query,
  last: number,
  blockAt: (number: number) => Block,
): Response => {
  const [ofBlock, ofLog] = [Object.keys(fields.block), Object.keys(fields.log)]
  const to = Math.min(toBlock ?? last, last)
  if (fromBlock > to) return new Response(null, { status: 204 })
  const lineOf = (block: Block): string => {
    const header = pick(JSON.parse(renderHeader(block.header)), ofBlock)
    const logs = logsOf(block).filter((log) => followed.has(log.topics[0] ?? ""))
    return `${JSON.stringify({ header, logs: logs.map((log) => pick({ ...log }, ofLog)) })}\n`
  }
  let next = fromBlock
  const lines = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      const found: Array<string> = []
      for (let count = 0; next <= to && count < blocksAtOnce; count++) {
        found.push(lineOf(blockAt(next++)))
      }
      if (found.length > 0) controller.enqueue(Buffer.from(found.join("")))
      if (next > to) controller.close()
    },
  })
  return new Response(lines.pipeThrough(new CompressionStream("gzip")), {
    headers: { "content-type": "application/jsonl", "content-encoding": "gzip" },
  })
}
