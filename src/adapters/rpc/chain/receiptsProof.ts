/** What receipts prove of a block's logs: those that give the root in its header are all there are. */
import { Effect, Option, Result } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Address, ChainId, Hash } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/steadyClock.ts"
import type { ReceiptsMark, ReceiptsProof, SourceHeader } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isRateLimit, isUnknownMethod } from "../transport/fault.ts"
import { quantity } from "../wire/abi.ts"
import { hashOf, Malformed, quote } from "../wire/shapes.ts"
import { readLogs } from "./logs.ts"
import { bloomOfReceipts, countWithRoot } from "./receiptsRoot.ts"

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

/** Blocks in one request, and how long one node may take over it, in milliseconds. */
const atOnce = 4
const patience = 10_000
/** A node that does not know the method is asked again after so long; one that failed is asked last for a while. */
const unservedFor = 300_000
const failedFor = 60_000

export interface ProofOptions {
  readonly chainId: ChainId
  /** Each asks its own node. */
  readonly nodes: ReadonlyArray<RpcClient>
  /** Place of the node to begin with. */
  readonly first: () => number
  readonly soundness: Soundness
  readonly isWanted: (log: unknown) => boolean
}

/** One call a block while all goes well; of one that fails the next node is asked. It never fails. */
export const makeProver = ({ chainId, nodes, first, soundness, isWanted }: ProofOptions) => {
  const states = nodes.map((client) => ({ client, unservedUntil: 0, failedUntil: 0, isNew: true }))
  const inTurn = (now: number) => {
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
      const verdict = soundness.judge(result, mark)
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
    for (const node of inTurn(now)) {
      const answer = yield* node.client.batch(headers.map(callOf)).pipe(Effect.timeoutOption(patience), Effect.result)
      if (Result.isFailure(answer) || Option.isNone(answer.success)) {
        node.failedUntil = now + failedFor
        const late = `${node.client.label}: eth_getBlockReceipts: no answer within ${patience / 1000} s`
        unread ??= Result.isFailure(answer) ? answer.failure.message : late
        continue
      }
      const proofs = answer.success.value.filter((proof) => proof !== "unserved")
      if (proofs.length === headers.length) {
        node.failedUntil = 0
        return proofs
      }
      node.unservedUntil = now + unservedFor
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
    for (let begin = 0; begin < headers.length && !soundness.isHopeless(); begin += atOnce) {
      const part = yield* ask(headers.slice(begin, begin + atOnce))
      proofs.push(...part)
      const last = part.at(-1)
      // The node is left in peace.
      if (last && "unread" in last) return headers.map((_, place) => (place < proofs.length ? proofs[place] : last))
    }
    return headers.map((_, place) => proofs[place])
  })
}

/** Those that are followed, in order. Where indexes do not ascend (some nodes count the logs of each receipt from 0) places stand for them. */
const provenLogs = (
  receipts: ReadonlyArray<unknown>,
  isWanted: (log: unknown) => boolean,
  block: { readonly number: number; readonly hash: Hash },
) => {
  const logs = receipts.flatMap((receipt) => listOf(receipt))
  const indexes = logs.map((log) => Number(Object(log).logIndex))
  const indexed = indexes.every((index, place) => index >= 0 && (place === 0 || index > indexes[place - 1]!))
  const numbered = logs.map((log, place) => ({ ...Object(log), logIndex: quantity(place) }))
  return { logs: readWanted([{ logs: indexed ? logs : numbered }], isWanted, block), indexed }
}

/** The logs that are followed, in order. */
export const readWanted = (
  receipts: ReadonlyArray<unknown>,
  isWanted: (log: unknown) => boolean,
  { number, hash }: { readonly number: number; readonly hash: Hash },
): ReadonlyArray<Log> =>
  readLogs(receipts.flatMap((receipt) => listOf(receipt)).filter(isWanted), {
    fromBlock: number,
    toBlock: number,
    blockHash: hash,
  })

/** Which of a receipt's logs are followed. */
export const wantedBy = (topics: ReadonlyArray<string>, tokens: ReadonlyArray<Address> | undefined) => {
  const signatures = new Set(topics)
  const followed = tokens && new Set<string>(tokens)
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

const transactionsOf = (receipts: ReadonlyArray<unknown>): ReadonlySet<Hash> =>
  new Set(receipts.map((receipt) => hashOf(Object(receipt).transactionHash, "transactionHash")))
