/** What receipts prove of a block's logs: those that give the root in its header are all there are. */
import { Effect, Option, Result } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { ReceiptsProof, SourceHeader } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isRateLimit, isUnknownMethod } from "../transport/fault.ts"
import { quantity } from "../wire/abi.ts"
import { hashOf, Malformed, quote } from "../wire/shapes.ts"
import { provenLogs, transactionsOf } from "./receiptLogs.ts"
import type { ReceiptsVerifier } from "./receiptsVerifier.ts"

const blocksAtOnce = 4
/** One node may take so long over a request. */
const answerTimeoutMs = 10_000
/** A node that does not know the method is asked again after so long; one that failed is asked last for a while. */
const unservedForMs = 300_000
const failedForMs = 60_000

export interface ProofOptions {
  readonly chainId: ChainId
  /** Each asks its own node. */
  readonly nodes: ReadonlyArray<RpcClient>
  /** Place of the node to begin with. */
  readonly first: () => number
  readonly verifier: ReceiptsVerifier
  readonly isWanted: (log: unknown) => boolean
}

/** One call a block while all goes well; of one that fails the next node is asked. It never fails. */
export const makeProver = ({ chainId, nodes, first, verifier, isWanted }: ProofOptions) => {
  const states = nodes.map((client) => ({ client, unservedUntil: 0, failedUntil: 0, isNew: true }))
  const inOrder = (now: number) => {
    const all = states.map((_, offset) => states[(first() + offset) % states.length]!)
    const known = all.filter(({ unservedUntil }) => unservedUntil <= now)
    return [
      ...known.filter(({ failedUntil }) => failedUntil <= now),
      ...known.filter(({ failedUntil }) => failedUntil > now),
    ]
  }
  const callOf = ({ hash, number, receipts: mark }: SourceHeader): RpcCall<ReceiptsProof | "unserved" | undefined> => ({
    method: "eth_getBlockReceipts",
    params: [quantity(number)],
    read: (result) => {
      if (!Array.isArray(result)) throw new Malformed(`of block ${number} came ${quote(result)}`, "receipts")
      if (mark === undefined) return undefined
      // Of another fork, or nothing: whoever answered does not have this block.
      const isOther = (receipt: unknown) => hashOf(Object(receipt).blockHash, "blockHash") !== hash
      if (result.length === 0 || result.some(isOther)) {
        throw new Malformed(result.length === 0 ? "none came" : "they are of another block", "receipts")
      }
      const verdict = verifier.verify(result, mark)
      if (typeof verdict === "string") return { complaint: verdict }
      if (verdict === undefined) return undefined
      const proven = result.slice(0, verdict)
      return { ...provenLogs(proven, isWanted, { number, hash }), transactions: transactionsOf(proven) }
    },
    // Nothing else means that there are none: what fails may be had later, or elsewhere.
    readFault: (fault) =>
      fault.kind === "answer" && isUnknownMethod(fault) && !isRateLimit(fault) ? { value: "unserved" } : undefined,
  })
  const ask = Effect.fnUntraced(function* (headers: ReadonlyArray<SourceHeader>) {
    const now = yield* steadyMillis
    let unread: string | undefined
    for (const node of inOrder(now)) {
      const answer = yield* node.client
        .batch(headers.map(callOf))
        .pipe(Effect.timeoutOption(answerTimeoutMs), Effect.result)
      if (Result.isFailure(answer) || Option.isNone(answer.success)) {
        node.failedUntil = now + failedForMs
        const late = `${node.client.label}: eth_getBlockReceipts: no answer within ${answerTimeoutMs / 1000} s`
        unread ??= Result.isFailure(answer) ? answer.failure.message : late
        continue
      }
      const proofs = answer.success.value.filter((proof) => proof !== "unserved")
      if (proofs.length === headers.length) {
        node.failedUntil = 0
        return proofs
      }
      node.unservedUntil = now + unservedForMs
      if (node.isNew) {
        yield* Effect.logWarning(
          `chain ${chainId}: ${node.client.label} does not know eth_getBlockReceipts; while no other node does, the ` +
            "newest blocks' logs are not proven",
        )
      }
      node.isNew = false
    }
    return headers.map(() => (unread === undefined ? undefined : { unread }))
  })
  return Effect.fnUntraced(function* (headers: ReadonlyArray<SourceHeader>) {
    const proofs: Array<ReceiptsProof | undefined> = []
    for (let begin = 0; begin < headers.length && !verifier.isHopeless(); begin += blocksAtOnce) {
      const part = yield* ask(headers.slice(begin, begin + blocksAtOnce))
      proofs.push(...part)
      const last = part.at(-1)
      // The node is left in peace.
      if (last && "unread" in last) return headers.map((_, place) => (place < proofs.length ? proofs[place] : last))
    }
    return headers.map((_, place) => proofs[place])
  })
}
