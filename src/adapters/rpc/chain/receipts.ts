/** A block's token logs by its receipts, where `eth_getLogs` will not give them or is to be compared. All receipts or nothing. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Hash } from "../../../model/primitives.ts"
import { type ReceiptsMark, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isPermanent, isUnknownMethod } from "../transport/fault.ts"
import { quantity } from "../wire/abi.ts"
import { hashOf, Malformed, quantityOf, quote, receiptsMarkOf } from "../wire/shapes.ts"
import { misnumberedIn } from "./logs.ts"
import { provenLogs, readWanted } from "./receiptLogs.ts"
import type { ReceiptsVerifier } from "./receiptsVerifier.ts"

export interface Receipts {
  /**
   * Token logs of a block; undefined where the node does not have it. `oneByOne`: also where it takes a call for each
   * transaction, else the logs are undefined too. `isProven`: only where they give the root in its header, which shows their order.
   */
  logsOf(
    hash: Hash,
    options: { readonly oneByOne: boolean; readonly isProven?: boolean },
  ): Effect.Effect<ReadonlyArray<Log> | undefined, SourceUnavailable>
}

/** `isWanted`: which logs are followed. */
export const receiptsOf = (
  client: RpcClient,
  isWanted: (log: unknown) => boolean,
  verifier: ReceiptsVerifier,
): Receipts => {
  /** `eth_getBlockReceipts` is a method that the nodes know. */
  let inBlocks = true

  /** Throws where a transaction has no receipt: real nodes leave some out. */
  const logsIn = (receipts: ReadonlyArray<unknown>, block: Block, isProven: boolean): ReadonlyArray<Log> => {
    const missing = new Set(block.transactions)
    for (const receipt of receipts) {
      const { blockHash, transactionHash } = Object(receipt) as Record<string, unknown>
      if (hashOf(blockHash, "blockHash") !== block.hash) {
        throw new Malformed(`blockHash: expected ${block.hash}, got ${quote(blockHash)}`)
      }
      if (!missing.delete(hashOf(transactionHash, "transactionHash"))) {
        throw new Malformed(
          `a receipt of transaction ${quote(transactionHash)}, which is not in the block or came twice`,
          "receipts",
        )
      }
    }
    const verdict = block.mark && verifier.verify(receipts, block.mark)
    // On chains of such kinds transactions that failed early have none. Elsewhere a full bloom would hide one that is missing.
    const isComplete = verdict !== undefined && "proven" in verdict && verifier.isRootless()
    if (missing.size > 0 && !isComplete)
      throw new Malformed(`${missing.size} of ${block.transactions.length} receipts are missing`, "receipts")
    if (verdict !== undefined && "denied" in verdict && verdict.isExcused !== true) {
      throw new Malformed(`receipts of block ${block.number}: ${verdict.denied}`, "receipts")
    }
    if (verdict !== undefined && "proven" in verdict && verdict.isOrdered) {
      return provenLogs(receipts, isWanted, block).logs
    }
    if (isProven) throw new Malformed(`the receipts of block ${block.number} do not give its receiptsRoot`, "receipts")
    const logs = readWanted(receipts, isWanted, block)
    for (const why of misnumberedIn(logs).values()) throw new Malformed(why, "order")
    return logs
  }

  const inOneCall = (block: Block, isProven: boolean): RpcCall<ReadonlyArray<Log> | "unknown method" | undefined> => ({
    method: "eth_getBlockReceipts",
    params: [quantity(block.number)],
    read: (result) => {
      if (!Array.isArray(result)) throw new Malformed(`expected a list, got ${quote(result)}`)
      return logsIn(result, block, isProven)
    },
    readFault: (fault) => {
      if (fault.kind !== "answer") return undefined
      return isUnknownMethod(fault)
        ? { value: "unknown method" }
        : isPermanent(fault)
          ? { value: undefined }
          : undefined
    },
  })

  return {
    logsOf: Effect.fnUntraced(function* (hash, { oneByOne, isProven = false }) {
      const [block] = yield* client.batch([blockCall(hash)])
      if (block === undefined) return undefined
      if (inBlocks) {
        const answer = yield* oneByOne
          ? Effect.option(client.batch([inOneCall(block, isProven)]))
          : Effect.asSome(client.batch([inOneCall(block, isProven)]))
        const [logs] = answer._tag === "Some" ? answer.value : []
        if (logs === "unknown method") inBlocks = false
        else if (logs !== undefined) return logs
      }
      if (!oneByOne) return undefined
      const receipts = yield* client.batch(block.transactions.map(receiptCall))
      return yield* Effect.try({
        try: () => logsIn(receipts, block, isProven),
        catch: (error) =>
          new SourceUnavailable({
            kind: "receipts",
            message: `receipts of block ${block.number}: ${(error as Error).message}`,
          }),
      })
    }),
  }
}

interface Block {
  readonly number: number
  readonly hash: Hash
  readonly transactions: ReadonlyArray<Hash>
  readonly mark: ReceiptsMark | undefined
}

const blockCall = (hash: Hash): RpcCall<Block | undefined> => ({
  method: "eth_getBlockByHash",
  params: [hash, false],
  read: (result) => {
    if (result === null) return undefined
    const { number, hash: own, transactions } = Object(result) as Record<string, unknown>
    if (hashOf(own, "hash") !== hash) throw new Malformed(`hash: expected ${hash}, got ${quote(own)}`)
    if (!Array.isArray(transactions)) throw new Malformed(`transactions: expected a list, got ${quote(transactions)}`)
    return {
      number: quantityOf(number, "number"),
      hash,
      transactions: transactions.map((each) => hashOf(each, "transaction")),
      mark: receiptsMarkOf(result),
    }
  },
})

const receiptCall = (hash: Hash): RpcCall<unknown> => ({
  method: "eth_getTransactionReceipt",
  params: [hash],
  read: (result) => {
    if (typeof result !== "object" || result === null) throw new Malformed(`expected a receipt, got ${quote(result)}`)
    return result
  },
})
