/** What receipts prove of a block's logs: those that give the root in its header are all there are. */
import { Effect } from "effect"
import type { Log } from "../../domain/model/block.ts"
import type { Address } from "../../domain/model/primitives.ts"
import { steadyMillis } from "../../domain/steadyClock.ts"
import type { ReceiptsMark, ReceiptsProof, SourceHeader } from "../../ports/ChainSource.ts"
import type { RpcCall } from "./answers.ts"
import type { RpcClient } from "./client.ts"
import { isPermanent, isUnknownMethod } from "./fault.ts"
import { readLogs } from "./logs.ts"
import { bloomOfReceipts, receiptsRootOf } from "./receiptsRoot.ts"
import { hashOf, Malformed } from "./shapes.ts"

/** What is learned of a chain: not every one hashes receipts as Ethereum does, or shows all their logs in its blooms. */
export interface Soundness {
  /** Why these receipts, in order, are not the block's; undefined = they are, or this chain's tell nothing. */
  readonly complaintOf: (receipts: ReadonlyArray<unknown>, mark: ReceiptsMark) => string | undefined
  /** Some were shown to be their block's. */
  readonly tells: () => boolean
  /** So many blocks' were not that nothing is to be learned any more. */
  readonly isHopeless: () => boolean
}

const enoughUnproven = 8

export const makeSoundness = (): Soundness => {
  let tells = false
  let unproven = 0
  return {
    complaintOf: (receipts, { root, count, bloom }) => {
      const isWhole = receipts.length === count
      const isSound =
        isWhole && (receiptsRootOf(receipts) === root || (!/^0x0*$/.test(bloom) && bloomOfReceipts(receipts) === bloom))
      tells ||= isSound
      unproven = isSound ? 0 : unproven + 1
      if (isSound || !tells) return undefined
      return isWhole ? "they do not give its receiptsRoot" : `${receipts.length} came for ${count} transactions`
    },
    tells: () => tells,
    isHopeless: () => !tells && unproven >= enoughUnproven,
  }
}

/** Blocks in one request, and how long it may take. */
const atOnce = 4
const patience = 10_000
/** After so many failures in a row nothing is asked for so long, in milliseconds. */
const enoughFailures = 3
const rest = 300_000

export interface ProofOptions {
  readonly client: RpcClient
  readonly soundness: Soundness
  readonly isWanted: (log: unknown) => boolean
}

/** One call a block at most; it never fails, and never holds up for long. */
export const makeProver = ({ client, soundness, isWanted }: ProofOptions) => {
  let failures = 0
  let restsUntil = Number.NEGATIVE_INFINITY
  const callOf = ({ hash, number, receipts: mark }: SourceHeader): RpcCall<ReceiptsProof | "unserved" | undefined> => ({
    method: "eth_getBlockReceipts",
    params: [`0x${number.toString(16)}`],
    read: (result) => {
      if (!Array.isArray(result) || mark === undefined) return undefined
      // Of another fork: whoever answered does not have this block.
      if (result.some((receipt) => hashOf(Object(receipt).blockHash, "blockHash") !== hash)) return undefined
      const complaint = soundness.complaintOf(result, mark)
      if (complaint !== undefined) return { complaint }
      if (!soundness.tells()) return undefined
      return { logs: readWanted(result, isWanted, { number, hash }), transactions: transactionsOf(result) }
    },
    readFault: (fault) => {
      if (fault.kind !== "answer") return undefined
      return { value: isUnknownMethod(fault) || isPermanent(fault) ? "unserved" : undefined }
    },
  })
  return Effect.fnUntraced(function* (headers: ReadonlyArray<SourceHeader>) {
    const proofs: Array<ReceiptsProof | undefined> = []
    for (let begin = 0; begin < headers.length; begin += atOnce) {
      if (soundness.isHopeless() || (yield* steadyMillis) < restsUntil) break
      const answered = yield* client.batch(headers.slice(begin, begin + atOnce).map(callOf)).pipe(
        Effect.timeoutOption(patience),
        Effect.orElseSucceed(() => undefined),
      )
      const answers = answered?._tag === "Some" ? answered.value : undefined
      const isServed = answers !== undefined && !answers.includes("unserved")
      failures = isServed ? 0 : failures + 1
      if (failures >= enoughFailures) restsUntil = (yield* steadyMillis) + rest
      proofs.push(...(answers ?? []).map((answer) => (answer === "unserved" ? undefined : answer)))
    }
    return headers.map((_, place) => proofs[place])
  })
}

/** The logs that are followed, in order. */
export const readWanted = (
  receipts: ReadonlyArray<unknown>,
  isWanted: (log: unknown) => boolean,
  { number, hash }: { readonly number: number; readonly hash: string },
): ReadonlyArray<Log> =>
  readLogs(receipts.flatMap((receipt) => listOf(receipt)).filter(isWanted), {
    fromBlock: number,
    toBlock: number,
    blockHash: hash,
  })

/** Which of a receipt's logs are followed. */
export const wantedBy = (topics: ReadonlyArray<string>, tokens: ReadonlyArray<Address> | undefined) => {
  const signatures = new Set(topics)
  const followed = tokens && new Set(tokens)
  return (log: unknown): boolean => {
    const { address, topics: given } = Object(log) as { address?: unknown; topics?: unknown }
    const signature = Array.isArray(given) ? String(given[0]).toLowerCase() : ""
    return signatures.has(signature) && (followed === undefined || followed.has(String(address).toLowerCase()))
  }
}

const listOf = (receipt: unknown): ReadonlyArray<unknown> => {
  const { logs } = Object(receipt) as { logs?: unknown }
  if (!Array.isArray(logs)) throw new Malformed("a receipt without logs", "receipts")
  return logs
}

const transactionsOf = (receipts: ReadonlyArray<unknown>): ReadonlySet<string> =>
  new Set(receipts.map((receipt) => hashOf(Object(receipt).transactionHash, "transactionHash")))
