/** The TransactionSource port over JSON-RPC: each transaction and its receipt, in one batch, and only where the two agree. */
import { Effect, Layer, Semaphore } from "effect"
import type { BigIntString, ChainId, Hash } from "../../../model/primitives.ts"
import type { TransactionFacts } from "../../../model/transactions/transaction.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import { TransactionSource } from "../../../ports/TransactionSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { bytesOf, hashOf, Malformed, quantityOf, quote } from "../wire/shapes.ts"

/** Batches of a chain on their way at once: ingestion asks the same nodes. */
const atOnce = 2

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    TransactionSource,
    Effect.gen(function* () {
      const clients = yield* RpcClients.RpcClients
      const permits = new Map<ChainId, Semaphore.Semaphore>()
      for (const { chainId } of chains) permits.set(chainId, yield* Semaphore.make(atOnce))
      return TransactionSource.of({
        read: (chainId, transactions) => {
          const { client } = clients.of(chainId)
          return permits.get(chainId)!.withPermits(1)(readTransactions(client, transactions))
        },
      })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Exported for tests, which bring a client of their own. */
export const readTransactions = Effect.fn("RpcTransactions.read")(function* (
  client: RpcClient,
  transactions: ReadonlyArray<Hash>,
) {
  const calls = transactions.flatMap(
    (hash): ReadonlyArray<RpcCall<Sent | Receipt>> => [sentCall(hash), receiptCall(hash)],
  )
  const values = yield* client.batch(calls)
  const facts: Array<TransactionFacts> = []
  for (const [index, hash] of transactions.entries()) {
    const joined = factsOf(hash, values[2 * index] as Sent, values[2 * index + 1] as Receipt)
    // Behind a balancer one node may have seen a reorg that another has not.
    if (joined === undefined) {
      return yield* new SourceUnavailable({ message: "a transaction and its receipt are of two blocks", kind: "call" })
    }
    facts.push(joined)
  }
  return facts
})

/** What a transaction itself says. */
interface Sent extends Pick<TransactionFacts, "blockHash" | "index" | "nonce" | "gas" | "methodId"> {
  /** Absent = what was paid is the receipt's alone to say. */
  readonly gasPrice?: BigIntString
}

/** What came of it. */
interface Receipt
  extends Pick<TransactionFacts, "blockHash" | "blockNumber" | "index" | "gasUsed" | "cumulativeGasUsed"> {
  readonly gasPrice?: BigIntString
}

const factsOf = (hash: Hash, sent: Sent, receipt: Receipt): TransactionFacts | undefined => {
  const gasPrice = receipt.gasPrice ?? sent.gasPrice
  if (sent.blockHash !== receipt.blockHash || sent.index !== receipt.index || gasPrice === undefined) return undefined
  const { nonce, gas, methodId } = sent
  const { blockNumber, blockHash, index, gasUsed, cumulativeGasUsed } = receipt
  return { hash, blockNumber, blockHash, index, nonce, gas, gasPrice, gasUsed, cumulativeGasUsed, methodId }
}

/** Up to 32 bytes, as a decimal text. */
const amountOf = (value: unknown, field: string): BigIntString => {
  if (typeof value === "string" && /^0x[0-9a-f]{1,64}$/iu.test(value)) return String(BigInt(value))
  throw new Malformed(`${field}: expected a hex quantity, got ${quote(value)}`)
}

/** Null is what a node says that does not have it, or not yet: another may. */
const fieldsOf = (value: unknown, what: string): Record<string, unknown> => {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>
  throw new Malformed(`${what}: expected an object, got ${quote(value)}`)
}

const sameHash = (value: unknown, field: string, hash: Hash): void => {
  const given = hashOf(value, field)
  if (given !== hash) throw new Malformed(`${field}: expected ${hash}, got ${given}`)
}

/** Types before prices by block: what was offered is what was paid. */
const paysWhatItOffers = (type: unknown): boolean =>
  type === undefined || type === null || type === "0x0" || type === "0x1"

const sentCall = (hash: Hash): RpcCall<Sent> => ({
  method: "eth_getTransactionByHash",
  params: [hash],
  read: (result) => {
    const fields = fieldsOf(result, "transaction")
    sameHash(fields.hash, "hash", hash)
    const input = bytesOf(fields.input ?? fields.data, "input")
    return {
      blockHash: hashOf(fields.blockHash, "blockHash"),
      index: quantityOf(fields.transactionIndex, "transactionIndex"),
      nonce: amountOf(fields.nonce, "nonce"),
      gas: amountOf(fields.gas, "gas"),
      methodId: input.length < 10 ? "0x" : input.slice(0, 10),
      ...(paysWhatItOffers(fields.type) ? { gasPrice: amountOf(fields.gasPrice, "gasPrice") } : {}),
    }
  },
})

const receiptCall = (hash: Hash): RpcCall<Receipt> => ({
  method: "eth_getTransactionReceipt",
  params: [hash],
  read: (result) => {
    const fields = fieldsOf(result, "receipt")
    sameHash(fields.transactionHash, "transactionHash", hash)
    const { effectiveGasPrice } = fields
    return {
      blockHash: hashOf(fields.blockHash, "blockHash"),
      blockNumber: quantityOf(fields.blockNumber, "blockNumber"),
      index: quantityOf(fields.transactionIndex, "transactionIndex"),
      gasUsed: amountOf(fields.gasUsed, "gasUsed"),
      cumulativeGasUsed: amountOf(fields.cumulativeGasUsed, "cumulativeGasUsed"),
      ...(effectiveGasPrice === undefined || effectiveGasPrice === null
        ? {}
        : { gasPrice: amountOf(effectiveGasPrice, "effectiveGasPrice") }),
    }
  },
})
