/** What a block's logs and those of its receipts disagree on. Pure. */
import { type Log, logText } from "../../../model/block.ts"
import type { ProvenReceipts } from "../../../ports/ChainSource.ts"

/** `logs`: those of the block that are followed. Undefined = they agree. */
export const receiptsDispute = (
  logs: ReadonlyArray<Log>,
  proof: ProvenReceipts,
): { readonly why: string; readonly kind?: "order" } | undefined => {
  const proven = countsOf(proof.logs)
  if (isMore(proven, countsOf(logs))) return { why: `its receipts hold ${proof.logs.length}` }
  // A chain may add logs beside its transactions; of a transaction the receipt holds them all.
  const inTransactions = logs.filter(({ txHash }) => proof.transactions.has(txHash))
  if (isMore(countsOf(inTransactions), proven)) return { why: "some of which are in no receipt" }
  const disorder = disorderOf(inTransactions, proof)
  return disorder === undefined ? undefined : { why: disorder, kind: "order" }
}

/** Why these logs, the same as those of the receipts, do not come in their order or with their indexes. */
const disorderOf = (logs: ReadonlyArray<Log>, proof: ProvenReceipts): string | undefined => {
  for (const [place, log] of logs.entries()) {
    const own = proof.logs[place]
    if (own === undefined || logText(log) !== logText(own)) return "in another order than its receipts have them"
    if (proof.indexed && log.logIndex !== own.logIndex)
      return `of which number ${log.logIndex} is ${own.logIndex} in its receipts`
  }
  return undefined
}

/** How often each log is there. */
const countsOf = (logs: ReadonlyArray<Log>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const text of logs.map(logText)) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

const isMore = (some: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean =>
  [...some].some(([text, count]) => count > (others.get(text) ?? 0))
