/** Logs of blocks near the head held against their receipts, where those give the root in the header: what they show and the logs do not is missing. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { Following } from "../state.ts"
import { deny } from "./bloomCheck.ts"
import { isProvenEmpty } from "./possiblyEmpty.ts"

/** The first of these blocks whose logs are not those of its receipts; `logs` are all that came for them, both ascend. */
export const checkProofs = Effect.fnUntraced(function* (
  following: Following,
  headers: ReadonlyArray<SourceHeader>,
  logs: ReadonlyArray<Log>,
) {
  const { source, contracts, hints, settings } = following
  const asked = headers.filter((header) => header.receipts !== undefined && !isProvenEmpty(hints, header))
  if (source.prove === undefined || asked.length === 0) return undefined
  const proofs = yield* source.prove(asked)
  for (const [place, header] of asked.entries()) {
    const proof = proofs[place]
    if (proof === undefined) continue
    const own = logs.filter(({ blockNumber }) => blockNumber === header.number)
    if ("unread" in proof) {
      const why =
        `none of the nodes gave its receipts, which would prove them (${proof.unread}); ` +
        `RECEIPTS_${settings.chainId}=off goes on without`
      return yield* deny(following, { header, logs: own }, why, "receipts")
    }
    if ("complaint" in proof) {
      return yield* deny(following, { header, logs: own }, `of its receipts ${proof.complaint}`, "receipts")
    }
    const isFollowed = ({ address }: Log) => contracts.tokens === undefined || contracts.tokens.has(address)
    const [given, proven] = [countsOf(own.filter(isFollowed)), countsOf(proof.logs)]
    if (isMore(proven, given)) {
      return yield* deny(following, { header, logs: own }, `its receipts hold ${proof.logs.length}`)
    }
    // A chain may add logs beside its transactions; of a transaction the receipt holds them all.
    const inTransactions = own.filter((log) => isFollowed(log) && proof.transactions.has(log.txHash))
    if (isMore(countsOf(inTransactions), proven)) {
      return yield* deny(following, { header, logs: own }, "some of which are in no receipt")
    }
    const disorder = disorderOf(inTransactions, proof)
    if (disorder !== undefined) return yield* deny(following, { header, logs: own }, disorder, "order")
  }
  return undefined
})

/** Why these logs, the same as those of the receipts, do not come in their order or with their indexes. */
const disorderOf = (
  logs: ReadonlyArray<Log>,
  proof: { readonly logs: ReadonlyArray<Log>; readonly indexed: boolean },
) => {
  for (const [place, log] of logs.entries()) {
    const own = proof.logs[place]
    if (own === undefined || textOf(log) !== textOf(own)) return "in another order than its receipts have them"
    if (proof.indexed && log.logIndex !== own.logIndex)
      return `of which number ${log.logIndex} is ${own.logIndex} in its receipts`
  }
  return undefined
}

/** How often each log is there. */
const countsOf = (logs: ReadonlyArray<Log>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const log of logs) counts.set(textOf(log), (counts.get(textOf(log)) ?? 0) + 1)
  return counts
}

/** Without its index: some nodes count anew in each receipt, and no root speaks of it. */
const textOf = ({ address, topics, data, txHash }: Log): string => [txHash, address, ...topics, data].join()

const isMore = (some: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean =>
  [...some].some(([text, count]) => count > (others.get(text) ?? 0))
