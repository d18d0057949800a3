/** Blocks gathered into parts of a digestible size: what is verified and stored at once. */
import type { Log } from "../../../model/block.ts"
import type { HistoryHeader, HistoryPart } from "../../../ports/HistorySource.ts"
import type { ReadBlock } from "./readBlock.ts"

/** A part is full at so many logs, blocks or bytes. */
const mostLogs = 4_000
const mostBlocks = 4_000
const mostBytes = 16 * 1024 * 1024

export interface Gathering {
  /** The part that this block made full. */
  readonly add: (block: ReadBlock, bytes: number) => HistoryPart | undefined
  /** What is left; undefined = nothing. */
  readonly rest: () => HistoryPart | undefined
}

export const makeGathering = (): Gathering => {
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
      headers.push(block.header)
      for (const log of block.logs) logs.push(log)
      bytes += size
      return logs.length >= mostLogs || headers.length >= mostBlocks || bytes >= mostBytes ? rest() : undefined
    },
    rest,
  }
}
