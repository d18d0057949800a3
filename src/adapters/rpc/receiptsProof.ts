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
import { bloomOfReceipts, countWithRoot } from "./receiptsRoot.ts"
import { hashOf, Malformed } from "./shapes.ts"

/** What is learned of a chain: not every one hashes receipts as Ethereum does, or shows all their logs in its blooms. */
export interface Soundness {
  /** How many of these receipts, from the first on, are shown to be the block's; or why they are not; undefined = nothing is known. */
  readonly judge: (receipts: ReadonlyArray<unknown>, mark: ReceiptsMark) => number | string | undefined
  /** So many blocks' were not that nothing is to be learned any more. */
  readonly isHopeless: () => boolean
}

const enoughUnproven = 8
/** Some chains put receipts of their own behind those of the transactions, which the root leaves out (state syncs of Polygon). */
const mostAdded = 2

export const makeSoundness = (): Soundness => {
  /** Roots were given before: receipts that give neither root nor bloom are wrong. Else the chain may be of another kind. */
  let rooted = false
  let unproven = 0
  return {
    judge: (receipts, mark) => {
      const proven = countWithRoot(receipts, mark.root, mostAdded)
      rooted ||= proven !== undefined
      const isShown = proven !== undefined || isLikely(receipts, mark)
      unproven = isShown ? 0 : unproven + 1
      if (isShown) return proven ?? receipts.length
      if (!rooted) return undefined
      return receipts.length === mark.count
        ? "they do not give its receiptsRoot"
        : `${receipts.length} came for ${mark.count} transactions`
    },
    isHopeless: () => !rooted && unproven >= enoughUnproven,
  }
}

const isLikely = (receipts: ReadonlyArray<unknown>, { count, bloom }: ReceiptsMark): boolean =>
  receipts.length === count && !/^0x0*$/.test(bloom) && bloomOfReceipts(receipts) === bloom

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
      const verdict = soundness.judge(result, mark)
      if (typeof verdict === "string") return { complaint: verdict }
      if (verdict === undefined) return undefined
      const proven = result.slice(0, verdict)
      return { logs: logsIn(proven, isWanted, { number, hash }), transactions: transactionsOf(proven) }
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

/** The same; places are given anew, for some nodes count the logs of each receipt from 0. */
const logsIn: typeof readWanted = (receipts, isWanted, block) => {
  const logs = receipts.flatMap((receipt) => listOf(receipt))
  const numbered = logs.map((log, place) => ({ ...Object(log), logIndex: `0x${place.toString(16)}` }))
  return readWanted([{ logs: numbered }], isWanted, block)
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
