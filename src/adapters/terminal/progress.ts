/** Shows how the chains are doing: lines that refresh on a terminal, a plain line now and then elsewhere. */
import { Effect } from "effect"
import { printable } from "../../model/printable.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { type ChainSyncStatus, SyncStatus } from "../../ports/SyncStatus.ts"
import { changeLine, progressLine } from "./lines.ts"
import { jsonLine } from "./loggers.ts"

/** Where to: `process.stderr`, or a test's own. */
export interface Output {
  readonly isTTY?: boolean
  /** 0 = the terminal does not say. */
  readonly columns?: number
  write(text: string): unknown
}

const tickMs = 500
/** Milliseconds between two plain lines of a chain. */
const plainEveryMs = 5000

/** Never ends. One line a chain until it is live; after that only changes of its state. */
export const showProgressOn = Effect.fnUntraced(function* (output: Output) {
  const status = yield* SyncStatus
  let before = new Map<string, ChainSyncStatus>()
  let plainAt = Number.NEGATIVE_INFINITY
  while (true) {
    const chains = status.list()
    const now = yield* steadyMillis
    const changes = chains.flatMap((chain) => changeLine(before.get(chain.chainId), chain) ?? [])
    const running = chains.filter(({ phase }) => phase !== "live" && phase !== "stopped").map(progressLine)
    const due = now - plainAt >= plainEveryMs
    if (due) plainAt = now
    const lines = output.isTTY || due ? running : []
    output.write(output.isTTY ? refreshed(changes, lines, output.columns || 80) : plain([...changes, ...lines]))
    before = new Map(chains.map((chain) => [chain.chainId, chain]))
    yield* Effect.sleep(tickMs)
  }
})

export const showProgress = Effect.suspend(() => showProgressOn(process.stderr))

/** The same as the log is written: `json` = an entry a line. */
export const showProgressAs = (format: string) =>
  format === "json"
    ? showProgressOn({
        write: (text) => {
          for (const line of text.split("\n")) if (line !== "") process.stderr.write(`${jsonLine(line)}\n`)
        },
      })
    : showProgress

/** A problem may be in a node's words. */
const plain = (lines: ReadonlyArray<string>): string => lines.map((line) => `${printable(line)}\n`).join("")

/** To what one row of the terminal holds. What is no Latin, Greek or Cyrillic may be two columns wide. */
const cut = (line: string, columns: number): string => {
  let width = 0
  let end = 0
  /** Where the cut is, with a column left for the sign of it. */
  let cutAt = 0
  for (const character of line) {
    width += character < "\u1100" || character === "–" ? 1 : 2
    if (width >= columns) return `${line.slice(0, cutAt)}…`
    end += character.length
    if (width <= columns - 2) cutAt = end
  }
  return line
}

/** Changes stay; the lines below them are overwritten next time. The cursor waits above them, so that a log line takes their place. */
const refreshed = (changes: ReadonlyArray<string>, lines: ReadonlyArray<string>, columns: number): string => {
  const short = lines.map((line) => cut(printable(line), columns))
  const back = short.length === 0 ? "" : `\x1b[${short.length}A`
  return `\x1b[J${plain(changes)}${plain(short)}${back}`
}
