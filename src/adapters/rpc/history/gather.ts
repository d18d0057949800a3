/** Blocks gathered into parts of a digestible size: what is verified and stored at once. */
import type { Log } from "../../../model/block.ts"
import type { HistoryHeader, HistoryPart } from "../../../ports/HistorySource.ts"
import type { ReadBlock } from "./readBlock.ts"

/** A part is full at so many logs, blocks or bytes, or where its first block came so long ago: what comes slowly is not waited for. */
export interface PartLimits {
  readonly mostLogs: number
  readonly mostBlocks: number
  readonly mostBytes: number
  readonly mostMs: number
}

export const partLimits: PartLimits = { mostLogs: 4_000, mostBlocks: 4_000, mostBytes: 16 * 1024 * 1024, mostMs: 1000 }

export interface Gathering {
  /** The part that this block made full. */
  readonly add: (block: ReadBlock, bytes: number) => HistoryPart | undefined
  /** What is left; undefined = nothing. */
  readonly rest: () => HistoryPart | undefined
}

export const makeGathering = ({ mostLogs, mostBlocks, mostBytes, mostMs } = partLimits): Gathering => {
  let begunAt = 0
  let headers: Array<HistoryHeader> = []
  let logs: Array<Log> = []
  let bytes = 0
  const rest = (): HistoryPart | undefined => {
    if (headers.length === 0) return undefined
    const part = { headers, logs, bytes }
    headers = []
    logs = []
    bytes = 0
    return part
  }
  return {
    add: (block, size) => {
      const now = performance.now()
      if (headers.length === 0) begunAt = now
      headers.push(block.header)
      for (const log of block.logs) logs.push(log)
      bytes += size
      const isFull = logs.length >= mostLogs || headers.length >= mostBlocks || bytes >= mostBytes
      return isFull || now - begunAt >= mostMs ? rest() : undefined
    },
    rest,
  }
}
