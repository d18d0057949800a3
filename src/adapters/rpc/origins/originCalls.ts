/** The JSON-RPC calls that show who made a contract. What a pruned node says never passes for an answer. */
import { type Address, addressOf, type Hash } from "../../../model/primitives.ts"
import type { RpcCall } from "../transport/answers.ts"
import { isPruned, isRateLimit, type RpcFault } from "../transport/fault.ts"
import { quantity } from "../wire/abi.ts"
import { bytesOf, hashOf, Malformed, quantityOf, quote } from "../wire/shapes.ts"

/** Said of old state: the node does not keep it, or not for us. */
export type Pruned = "pruned"

export interface Receipt {
  readonly blockNumber: number
  /** Absent = the node does not say. */
  readonly blockHash?: Hash
  /** Of the contract that the transaction itself made; absent where it made none or failed. */
  readonly contract?: Address
}

export interface Transaction {
  readonly hash: Hash
  /** It calls nobody: it makes a contract, if it succeeds. */
  readonly creates: boolean
  /** Who sent it, and how many transactions they had sent before; absent where that is odd. */
  readonly sender?: { readonly address: Address; readonly nonce: number }
}

export interface Block {
  readonly number: number
  /** Seconds. */
  readonly time: number
  /** Of its transactions, in their order. */
  readonly hashes: ReadonlyArray<Hash>
  /** The same, if it was asked for in full; else none. */
  readonly transactions: ReadonlyArray<Transaction>
}

/** Undefined = the node does not have it (any more). */
export const receiptCall = (hash: Hash): RpcCall<Receipt | undefined> => ({
  method: "eth_getTransactionReceipt",
  params: [hash],
  read: (result) => {
    if (result === null) return undefined
    const { transactionHash, blockNumber, blockHash, contractAddress, status } = fieldsOf(result, "receipt")
    if (hashOf(transactionHash, "transactionHash") !== hash) {
      throw new Malformed(`transactionHash: expected ${hash}, got ${quote(transactionHash)}`)
    }
    // Where none was made, nodes say null, "0x", "" or nothing.
    const made = status !== "0x0" ? addressIn(contractAddress) : undefined
    return {
      blockNumber: quantityOf(blockNumber, "blockNumber"),
      ...(typeof blockHash === "string" ? { blockHash: hashOf(blockHash, "blockHash") } : {}),
      ...(made === undefined ? {} : { contract: made }),
    }
  },
})

/** Whether there was code after the block. */
export const codeCall = (address: Address, block: number): RpcCall<boolean | Pruned> => ({
  method: "eth_getCode",
  params: [address, quantity(block)],
  read: (result) => bytesOf(result, "eth_getCode") !== "0x",
  readFault: prunedFault,
})

export const nonceCall = (address: Address, block: number): RpcCall<number | Pruned> => ({
  method: "eth_getTransactionCount",
  params: [address, quantity(block)],
  read: (result) => quantityOf(result, "eth_getTransactionCount"),
  readFault: prunedFault,
})

/** Whether it had native currency after the block. */
export const wealthCall = (address: Address, block: number): RpcCall<boolean | Pruned> => ({
  method: "eth_getBalance",
  params: [address, quantity(block)],
  read: (result) => {
    if (typeof result !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(result)) {
      throw new Malformed(`expected a hex quantity, got ${quote(result)}`)
    }
    return BigInt(result) > 0n
  },
  readFault: prunedFault,
})

/** Undefined = the node does not have it. `full`: with its transactions. */
export const blockCall = (number: number, full: boolean): RpcCall<Block | undefined> => ({
  method: "eth_getBlockByNumber",
  params: [quantity(number), full],
  read: (result) => {
    if (result === null) return undefined
    const { number: own, timestamp, transactions: listed } = fieldsOf(result, "block")
    if (quantityOf(own, "number") !== number)
      throw new Malformed(`number: expected ${quantity(number)}, got ${quote(own)}`)
    if (!Array.isArray(listed)) throw new Malformed(`transactions: expected a list, got ${quote(listed)}`)
    const transactions = full ? listed.map(transactionOf) : []
    const hashes = full ? transactions.map(({ hash }) => hash) : listed.map((hash) => hashOf(hash, "transaction"))
    return { number, time: quantityOf(timestamp, "timestamp"), hashes, transactions }
  },
})

/** Transactions of the block with a log that names the address anywhere; none where the node does not list the logs. */
export const mentionsCall = (address: Address, block: number): RpcCall<ReadonlySet<unknown>> => ({
  method: "eth_getLogs",
  params: [{ fromBlock: quantity(block), toBlock: quantity(block) }],
  read: (result) => {
    const logs = Array.isArray(result) ? result : []
    const name = address.slice(2)
    const naming = logs.filter((log) =>
      JSON.stringify([log?.address, log?.topics, log?.data]).toLowerCase().includes(name),
    )
    return new Set(naming.map((log) => String(log?.transactionHash).toLowerCase()))
  },
  readFault: (fault) => (fault.kind === "answer" && !isRateLimit(fault) ? { value: new Set() } : undefined),
})

const transactionOf = (value: unknown): Transaction => {
  const { hash, from, to, nonce } = fieldsOf(value, "transaction")
  const sender = addressIn(from)
  return {
    hash: hashOf(hash, "transaction"),
    creates: to === null || to === undefined || to === "0x" || to === "",
    // Transactions of a chain's own kinds have odd ones (2⁶⁴−1, none): they bear no witness.
    ...(sender !== undefined && isNonce(nonce) ? { sender: { address: sender, nonce: Number(nonce) } } : {}),
  }
}

const addressIn = (value: unknown): Address | undefined => (typeof value === "string" ? addressOf(value) : undefined)
const isNonce = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-f]{1,12}$/i.test(value)

const prunedFault = (fault: RpcFault): { readonly value: Pruned } | undefined =>
  isPruned(fault) ? { value: "pruned" } : undefined

const fieldsOf = (value: unknown, field: string): Record<string, unknown> => {
  if (typeof value !== "object" || value === null)
    throw new Malformed(`${field}: expected an object, got ${quote(value)}`)
  return value as Record<string, unknown>
}
