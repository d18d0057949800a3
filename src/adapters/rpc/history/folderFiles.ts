/** Which files of a folder hold which blocks: by their names, as extractors write them. */
import { readdir } from "node:fs/promises"
import { join, relative } from "node:path"

export interface HistoryFile {
  readonly path: string
  /** `both`: lines of blocks with their logs, as a portal streams them. */
  readonly holds: "blocks" | "logs" | "both"
  readonly format: "lines" | "parquet"
  readonly from: number
  readonly to: number
}

/** What extractors write beside blocks and logs, in files of its own. */
const others =
  /transaction|trace|token_transfer|contract|receipt|balance|diff|eth_call|codes|nonces|slots|storage|appearance|erc(?:20|721)_/i
/** An extractor's own (cryo's reports), or a system's. */
const hidden = /(?:^|[\\/])\./
const formats = /\.(?:(ndjson|jsonl|json)(?:\.gz)?|parquet)$/i

/** Undefined where the name says nothing: the last two numbers of a path are the file's first and last block. */
export const fileOf = (folder: string, name: string): HistoryFile | undefined => {
  const found = formats.exec(name)
  if (found === null || hidden.test(name)) return undefined
  const numbers = name.slice(0, found.index).match(/\d+/g) ?? []
  const [from, to] = numbers.slice(-2).map(Number)
  if (from === undefined || to === undefined || from > to || !Number.isSafeInteger(to)) return undefined
  const base = name.split(/[\\/]/).at(-1)!
  const holds = /log/i.test(base) ? "logs" : /block/i.test(base) ? "blocks" : others.test(base) ? undefined : "both"
  if (holds === undefined) return undefined
  return { path: join(folder, name), holds, format: found[1] === undefined ? "parquet" : "lines", from, to }
}

/** Ascending by their first block. */
export const filesIn = async (folder: string): Promise<ReadonlyArray<HistoryFile>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  return names.flatMap((name) => fileOf(folder, name) ?? []).sort((a, b) => a.from - b.from || a.to - b.to)
}

/** The blocks from the first on up to the first gap. */
export const spanOf = (files: ReadonlyArray<HistoryFile>): { readonly from: number; readonly to: number } => {
  const runOf = (holds: HistoryFile["holds"]) => {
    const own = files.filter((file) => file.holds === holds || file.holds === "both")
    const first = own[0]?.from ?? 0
    let to = first - 1
    for (const file of own) if (file.from <= to + 1) to = Math.max(to, file.to)
    return { from: first, to }
  }
  const [blocks, logs] = [runOf("blocks"), runOf("logs")]
  return { from: Math.max(blocks.from, logs.from), to: Math.min(blocks.to, logs.to) }
}
