/** Logs of blocks near the head held against their receipts, where those give the root in the header: what they show and the logs do not is missing. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Hash } from "../../../model/primitives.ts"
import type { ReceiptsProof, SourceHeader } from "../../../ports/ChainSource.ts"
import { isProvenEmpty } from "./blooms.ts"
import { receiptsDispute } from "./receiptsDispute.ts"
import { reject } from "./rejection.ts"
import { mayLag, type Verifier } from "./verifier.ts"

/** What receipts say of blocks whose logs are still asked for, as far as that can be the last word. */
export type KnownProofs = ReadonlyMap<SourceHeader, ReceiptsProof | undefined>

/**
 * Asks ahead for what `checkReceipts` would ask for. Only where that is sure to be wanted: where nodes lag, the receipts of a
 * block may be had later than its header.
 */
export const proveAhead = Effect.fnUntraced(function* (
  { node, traits }: Pick<Verifier, "node" | "traits">,
  headers: ReadonlyArray<SourceHeader>,
): Effect.fn.Return<KnownProofs> {
  const asked = traits.bloomsReliable && !mayLag(traits) ? provable(traits, headers) : []
  if (node.prove === undefined || asked.length === 0) return new Map()
  const proofs = yield* node.prove(asked)
  return new Map(
    asked.flatMap((header, place) => {
      const proof = proofs[place]
      return proof === undefined || "logs" in proof ? [[header, proof] as const] : []
    }),
  )
})

const provable = (traits: Verifier["traits"], headers: ReadonlyArray<SourceHeader>) =>
  headers.filter((header) => header.receipts !== undefined && !isProvenEmpty(traits, header))

/** Places of transactions in their blocks, as receipts prove them. */
export type TransactionPlaces = Map<Hash, number>

/** What is known of receipts beforehand, and where goes what they prove of places. */
interface Receipts {
  readonly ahead: KnownProofs
  readonly places: TransactionPlaces
}

/** The first of these blocks whose logs are not those of its receipts; `logs` are all that came for them, both ascend. */
export const checkReceipts = Effect.fnUntraced(function* (
  { node, chainId, isFollowed, traits, report }: Verifier,
  headers: ReadonlyArray<SourceHeader>,
  logs: ReadonlyArray<Log>,
  { ahead, places }: Receipts,
) {
  const asked = provable(traits, headers)
  if (node.prove === undefined || asked.length === 0) return undefined
  const open = asked.filter((header) => !ahead.has(header))
  const proofs = open.length === 0 ? [] : yield* node.prove(open)
  for (const header of asked) {
    const proof = ahead.has(header) ? ahead.get(header) : proofs[open.indexOf(header)]
    if (proof === undefined) continue
    const own = logs.filter(({ blockNumber }) => blockNumber === header.number)
    if ("unread" in proof) {
      const why =
        `none of the nodes gave its receipts, which would prove them (${proof.unread}); ` +
        `RECEIPTS_${chainId}=off goes on without`
      return yield* reject(node, { header, logs: own, why, kind: "receipts" })
    }
    if ("complaint" in proof) {
      const why = `and of its receipts ${proof.complaint}; RECEIPTS_${chainId}=off goes on without them`
      return yield* reject(node, { header, logs: own, why, kind: "receipts" })
    }
    if (proof.denied !== undefined) yield* report.noticed("receipts", `block ${header.number}: ${proof.denied}`)
    const dispute = receiptsDispute(own.filter(isFollowed), proof)
    if (dispute !== undefined) return yield* reject(node, { header, logs: own, ...dispute })
    if (!proof.isOrdered) continue
    for (const [hash, at] of proof.transactions) places.set(hash, at)
    const wrong = own.find(
      ({ txHash, txIndex }) => txIndex !== undefined && txIndex !== (places.get(txHash) ?? txIndex),
    )
    if (wrong === undefined) continue
    yield* report.noticed(
      "order",
      `block ${header.number}: transaction ${wrong.txHash} is number ${places.get(wrong.txHash)} by its receipts, its logs say ${wrong.txIndex}`,
    )
  }
  return undefined
})

/** Logs with the places that are proven, whatever the node said. */
export const withPlaces = (logs: ReadonlyArray<Log>, places: TransactionPlaces): ReadonlyArray<Log> =>
  places.size === 0
    ? logs
    : logs.map((log) => {
        const place = places.get(log.txHash) ?? log.txIndex
        return place === log.txIndex ? log : { ...log, txIndex: place }
      })
