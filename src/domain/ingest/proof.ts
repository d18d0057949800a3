/** Logs of blocks near the head held against their receipts, where those give the root in the header: what they show and the logs do not is missing. */
import { Effect } from "effect"
import type { SourceHeader } from "../../ports/ChainSource.ts"
import type { Log } from "../model/block.ts"
import type { Following } from "./following.ts"
import { deny, textOf } from "./hints.ts"
import { isProvenEmpty } from "./quiet.ts"

/** The first of these blocks whose logs are not those of its receipts; `logs` are all that came for them, both ascend. */
export const checkProofs = Effect.fnUntraced(function* (
  following: Following,
  headers: ReadonlyArray<SourceHeader>,
  logs: ReadonlyArray<Log>,
) {
  const { source, contracts, hints } = following
  const asked = headers.filter((header) => header.receipts !== undefined && !isProvenEmpty(hints, header))
  if (source.prove === undefined || asked.length === 0) return undefined
  const proofs = yield* source.prove(asked)
  for (const [place, header] of asked.entries()) {
    const proof = proofs[place]
    if (proof === undefined) continue
    const own = logs.filter(({ blockNumber }) => blockNumber === header.number)
    if ("complaint" in proof) {
      return yield* deny(following, { header, logs: own }, `of its receipts ${proof.complaint}`, "receipts")
    }
    const known = new Set(own.map(textOf))
    if (proof.logs.some((log) => !known.has(textOf(log)))) {
      return yield* deny(following, { header, logs: own }, `its receipts hold ${proof.logs.length}`)
    }
    // A chain may add logs beside its transactions; of a transaction the receipt holds them all.
    const proven = new Set(proof.logs.map(textOf))
    const isFollowed = ({ address }: Log) => contracts.tokens === undefined || contracts.tokens.has(address)
    const invented = own.filter(
      (log) => isFollowed(log) && proof.transactions.has(log.txHash) && !proven.has(textOf(log)),
    )
    if (invented.length > 0) {
      return yield* deny(following, { header, logs: own }, `${invented.length} of them are in no receipt`)
    }
  }
  return undefined
})
