/** A block's logs held against what was learned of them in other ways. Pure. */
import { type Log, logText } from "../../../model/block.ts"
import type { CrossCheck } from "../../../ports/ChainSource.ts"

/**
 * "the same", "unknown" where nothing could be compared, or what else was found. Receipts may leave out what a chain
 * adds beside its transactions; they never invent a log.
 */
export const compareLogs = (
  own: ReadonlyArray<Log>,
  { second, receipts }: CrossCheck,
  isFollowed: (log: Log) => boolean,
): string => {
  const textsOf = (logs: ReadonlyArray<Log>) => fingerprints(logs.filter(isFollowed))
  const texts = textsOf(own)
  const others = second && textsOf(second)
  if (others !== undefined && !equal(texts, others)) return `asked again it holds ${others.length}`
  const known = new Set(texts)
  const inReceipts = receipts && textsOf(receipts)
  if (inReceipts?.some((text) => !known.has(text))) return `its receipts hold ${inReceipts.length}`
  return others !== undefined || (inReceipts !== undefined && equal(texts, inReceipts)) ? "the same" : "unknown"
}

/** Each with how often it came before. */
const fingerprints = (logs: ReadonlyArray<Log>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  return logs.map((log) => {
    const text = logText(log)
    const before = counts.get(text) ?? 0
    counts.set(text, before + 1)
    return `${text} ${before}`
  })
}
const equal = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
  a.length === b.length && a.every((text, index) => text === b[index])
