/** What the calls for several lists of tokens tell together. What one of them does not tell, nobody tells. Pure. */
import type { Log } from "../../../model/block.ts"
import { RangeRefused, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { Malformed } from "../wire/shapes.ts"
import { type BlockTold, type RangeTold, Unwilling } from "./logCalls.ts"
import { joinLogs, type Misnumbered } from "./logs.ts"

/** A failure where they cannot be of one chain. Of several refusals the one that proposes least. */
export const joinRange = (parts: ReadonlyArray<RangeTold>): RangeTold | SourceUnavailable => {
  if (parts.length === 1) return parts[0]!
  const refused = parts.filter((part) => part instanceof RangeRefused)
  if (refused.length > 0) return refused.reduce((a, b) => (endOf(b) < endOf(a) ? b : a))
  const unwilling = parts.find((part) => part instanceof Unwilling)
  if (unwilling !== undefined) return unwilling
  const joined = joinUnlessMalformed(parts.filter(isLogs))
  if (!(joined instanceof Malformed)) return joined
  return new SourceUnavailable({ kind: joined.what, message: `eth_getLogs: ${joined.message}` })
}

/** Where they contradict each other the receipts are to tell. */
export const joinBlock = (parts: ReadonlyArray<BlockTold>): BlockTold => {
  if (parts.length === 1) return parts[0]
  if (parts.includes(undefined)) return undefined
  if (parts.includes("refused")) return "refused"
  const joined = joinUnlessMalformed(parts.filter(isLogs))
  return joined instanceof Malformed ? "refused" : joined
}

type Logs = ReadonlyArray<Log> | Misnumbered

export const isLogs = (part: RangeTold | BlockTold): part is Logs =>
  part !== undefined && part !== "refused" && !(part instanceof RangeRefused) && !(part instanceof Unwilling)

const endOf = ({ suggestedTo = Number.POSITIVE_INFINITY }: RangeRefused): number => suggestedTo

const joinUnlessMalformed = (parts: ReadonlyArray<Logs>): Logs | Malformed => {
  try {
    return joinLogs(parts)
  } catch (error) {
    if (error instanceof Malformed) return error
    throw error
  }
}
