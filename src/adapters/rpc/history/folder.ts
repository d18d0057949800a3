/** A folder of extracted blocks and logs: NDJSON (also gzip) and Parquet, as cryo, ethereum-etl or a portal's client write them. */
import { createReadStream } from "node:fs"
import { basename } from "node:path"
import { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { jsonOf } from "../../../model/outside/json.ts"
import { Malformed } from "../wire/shapes.ts"
import { filesIn, type HistoryFile, spanOf } from "./folderFiles.ts"
import { makeGathering } from "./gather.ts"
import { linesOf, mostLineBytes } from "./lines.ts"
import { parquetRows } from "./parquetRows.ts"
import type { Place } from "./place.ts"
import type { PortalQuery } from "./portal.ts"
import { headerOf, type ReadBlock } from "./readBlock.ts"
import { blockOfLog, headerRow, headOf, logRow, numberOf, type Row, signatureOf } from "./rows.ts"

const lineLimits = { mostBytes: mostLineBytes, silenceMs: 30_000 }
/** About a row, for what is counted as read. */
const bytesOfRow = { block: 1000, log: 400 } as const

export const makeFolder = (folder: string, query: PortalQuery): Place => ({
  label: `folder ${basename(folder)}`,
  clean: (text) => text.replaceAll(folder, basename(folder)),
  span: async () => spanOf(await filesIn(folder)),
  parts: async function* (from, to, signal) {
    const gathering = makeGathering()
    for await (const { block, bytes } of blocksOf(await filesIn(folder), { from, to }, query)) {
      if (signal.aborted) return
      const part = gathering.add(block, bytes)
      if (part !== undefined) yield part
    }
    const rest = gathering.rest()
    if (rest !== undefined) yield rest
  },
})

interface Range {
  readonly from: number
  readonly to: number
}

/** Blocks joined with their logs; both come in the order of blocks. */
async function* blocksOf(
  files: ReadonlyArray<HistoryFile>,
  range: Range,
  { topics, addresses, readBloom }: PortalQuery,
): AsyncGenerator<{ readonly block: ReadBlock; readonly bytes: number }> {
  const signatures = new Set(topics)
  const wanted = addresses && new Set(addresses)
  const logs = rowsOf(files, "logs", range)
  let next = await logs.next()
  try {
    for await (const row of rowsOf(files, "blocks", range)) {
      // Before the rest is read: of a large file much may have to be passed over.
      const number = numberOf(row)
      if (number < range.from) continue
      if (number > range.to) return
      const header = headerOf(headerRow(headOf(row)), readBloom)
      const { hash } = header
      const own = row.logs as ReadonlyArray<Row> | null | undefined
      const found: Array<Row> = [...(own ?? [])]
      for (; next.done !== true && blockOfLog(next.value) <= number; next = await logs.next()) {
        const of = blockOfLog(next.value)
        // A block that has its logs with it has them all.
        if (of === number && (own ?? undefined) === undefined) found.push(next.value)
        if (of < number && of >= range.from)
          throw new Malformed(`a log of block ${of} comes after block ${number}`, "order")
      }
      const read = found
        .filter((log) => signatures.has(signatureOf(log) ?? ""))
        .map((log) => logRow(log, number, hash))
        .filter(({ address }) => wanted?.has(address) ?? true)
        .sort((a, b) => a.logIndex - b.logIndex)
      yield { block: { header, logs: read }, bytes: bytesOfRow.block + bytesOfRow.log * found.length }
    }
  } finally {
    await logs.return(undefined)
  }
}

/** Rows of the files that may hold blocks of the range, in their order; of blocks that two files hold, those of the first. */
async function* rowsOf(
  files: ReadonlyArray<HistoryFile>,
  holds: "blocks" | "logs",
  { from, to }: Range,
): AsyncGenerator<Row, undefined> {
  let reached = -1
  for (const file of files) {
    const isWanted = file.holds === holds || (file.holds === "both" && holds === "blocks")
    if (!isWanted || file.to < from || file.from > to || file.to <= reached) continue
    const before = reached
    const isRead = (row: Row) => file.from > before || (holds === "logs" ? blockOfLog : numberOf)(row) > before
    for await (const rows of file.format === "parquet" ? parquetRows(file.path) : lineRows(file.path))
      yield* rows.filter(isRead)
    reached = file.to
  }
}

async function* lineRows(path: string): AsyncGenerator<ReadonlyArray<Row>> {
  const packed = createReadStream(path)
  const plain = path.endsWith(".gz") ? packed.pipe(createGunzip()) : packed
  packed.on("error", (cause) => plain.destroy(cause))
  try {
    for await (const lines of linesOf(Readable.toWeb(plain) as ReadableStream<Uint8Array>, lineLimits)) {
      yield lines.map((line) => {
        const row = jsonOf(line)
        if (typeof row !== "object" || row === null)
          throw new Malformed(`${basename(path)}: a line of ${line.length} characters is no JSON object`)
        return row as Row
      })
    }
  } finally {
    // Who unpacks it does not close it.
    packed.destroy()
  }
}
