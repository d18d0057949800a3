/** Log → event: which token event a log is, by its topics and the shape of its data. Pure; guesses nothing. */
import type { Log } from "../model/block.ts"
import type { TokenEvent } from "../model/event.ts"
import type { Address } from "../model/primitives.ts"
import { addressOfTopic } from "./names.ts"

/** keccak256 of the event signatures. */
export const topics = {
  /** Transfer(address,address,uint256), of ERC-20 and ERC-721 */
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  /** TransferSingle(address,address,address,uint256,uint256) */
  transferSingle: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  /** TransferBatch(address,address,address,uint256[],uint256[]) */
  transferBatch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  /** ConsecutiveTransfer(uint256,uint256,address,address), ERC-2309 */
  consecutiveTransfer: "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d",
  /** Deposit(address,uint256) of wrapped native */
  deposit: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  /** Withdrawal(address,uint256) of wrapped native */
  withdrawal: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
} as const

const odd: TokenEvent = { kind: "odd" }
const other: TokenEvent = { kind: "other" }
const erc721: TokenEvent = { kind: "erc721Transfer" }
const erc1155: TokenEvent = { kind: "erc1155Transfer" }

/** Deposit and Withdrawal count only for the chain's `wrappedNative` contracts; elsewhere they are `other`. */
export const decode = (log: Log, wrappedNative: ReadonlySet<Address>): TokenEvent => {
  switch (log.topics[0]) {
    case topics.transfer:
      return decodeTransfer(log)
    case topics.deposit:
    case topics.withdrawal:
      return wrappedNative.has(log.address) ? decodeWrap(log) : other
    case topics.transferSingle:
    case topics.transferBatch:
      return log.topics.length === 4 ? erc1155 : odd
    case topics.consecutiveTransfer:
      return log.topics.length === 4 && log.data.length === 66 ? erc721 : odd
    default:
      return other
  }
}

const decodeTransfer = ({ topics: [, from, to], data, topics: { length } }: Log): TokenEvent => {
  if (length === 4 && (data === "0x" || data === "")) return isAddressTopic(from!) && isAddressTopic(to!) ? erc721 : odd
  if (length !== 3 || data.length !== 66 || !isAddressTopic(from!) || !isAddressTopic(to!)) return odd
  return { kind: "erc20Transfer", from: addressOfTopic(from!), to: addressOfTopic(to!), amount: BigInt(data) }
}

const decodeWrap = ({ topics: [signature, holder], data, topics: { length } }: Log): TokenEvent => {
  if (length !== 2 || data.length !== 66 || !isAddressTopic(holder!)) return odd
  const kind = signature === topics.deposit ? "deposit" : "withdrawal"
  return { kind, holder: addressOfTopic(holder!), amount: BigInt(data) }
}

const addressPadding = `0x${"0".repeat(24)}`
/** An address in a topic is left-padded with 12 zero bytes; anything else there is no address. */
const isAddressTopic = (topic: string): boolean => topic.length === 66 && topic.startsWith(addressPadding)
