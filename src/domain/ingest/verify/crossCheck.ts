/** A block's logs held against what was learned of them in other ways. Pure. */
import type { Log } from "../../../model/block.ts"
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
  const textsOf = (logs: ReadonlyArray<Log>) => logs.filter(isFollowed).map(fingerprint)
  const texts = textsOf(own)
  const others = second && textsOf(second)
  if (others !== undefined && !equal(texts, others)) return `asked again it holds ${others.length}`
  const known = new Set(texts)
  const inReceipts = receipts && textsOf(receipts)
  if (inReceipts?.some((text) => !known.has(text))) return `its receipts hold ${inReceipts.length}`
  return others !== undefined || (inReceipts !== undefined && equal(texts, inReceipts)) ? "the same" : "unknown"
}

const fingerprint = ({ logIndex, address, topics, data, txHash }: Log) =>
  [logIndex, address, ...topics, data, txHash].join()
const equal = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
  a.length === b.length && a.every((text, index) => text === b[index])
