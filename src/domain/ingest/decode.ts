/** Log → event: which token event a log is, by its topics and the shape of its data. Pure; guesses nothing. */
import type { Log } from "../model/block.ts"
import type { NftUnit, TokenEvent } from "../model/event.ts"
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

/** Deposit and Withdrawal count only for the chain's `wrappedNative` contracts; elsewhere they are `other`. */
export const decode = (log: Log, wrappedNative: ReadonlySet<Address>): TokenEvent => {
  switch (log.topics[0]) {
    case topics.transfer:
      return decodeTransfer(log)
    case topics.deposit:
    case topics.withdrawal:
      return wrappedNative.has(log.address) ? decodeWrap(log) : other
    case topics.transferSingle:
      return decodeErc1155(log, singleUnit)
    case topics.transferBatch:
      return decodeErc1155(log, batchUnits)
    case topics.consecutiveTransfer:
      return decodeConsecutive(log)
    default:
      return other
  }
}

const decodeTransfer = ({ topics: [, from, to, id], data, topics: { length } }: Log): TokenEvent => {
  if (length === 4 && (data === "0x" || data === "")) {
    return isAddressTopic(from!) && isAddressTopic(to!) && isWord(id!)
      ? nft("erc721", from!, to!, [{ tokenId: BigInt(id!), amount: 1n }])
      : odd
  }
  if (length !== 3 || data.length !== 66 || !isAddressTopic(from!) || !isAddressTopic(to!)) return odd
  return { kind: "erc20Transfer", from: addressOfTopic(from!), to: addressOfTopic(to!), amount: BigInt(data) }
}

const nft = (standard: "erc721" | "erc1155", from: string, to: string, units: ReadonlyArray<NftUnit>): TokenEvent => ({
  kind: "nftTransfer",
  standard,
  from: addressOfTopic(from),
  to: addressOfTopic(to),
  units,
})

const decodeErc1155 = (
  { topics: [, operator, from, to], topics: { length }, data }: Log,
  unitsOf: (data: string) => ReadonlyArray<NftUnit> | undefined,
): TokenEvent => {
  if (length !== 4 || ![operator, from, to].every((topic) => isAddressTopic(topic!))) return odd
  const units = unitsOf(data)
  return units === undefined ? odd : nft("erc1155", from!, to!, units)
}

const singleUnit = (data: string): ReadonlyArray<NftUnit> | undefined =>
  data.length === 130 ? [{ tokenId: wordAt(data, 0), amount: wordAt(data, 32) }] : undefined

/** Two arrays of the same length, each wholly within the data. */
const batchUnits = (data: string): ReadonlyArray<NftUnit> | undefined => {
  const ids = arrayAt(data, 0)
  const amounts = arrayAt(data, 32)
  if (ids === undefined || amounts === undefined || ids.length !== amounts.length) return undefined
  return Array.from({ length: ids.length }, (_, place) => ({
    tokenId: wordAt(data, ids.start + place * 32),
    amount: wordAt(data, amounts.start + place * 32),
  }))
}

/** The array whose offset is the word at `byte`: where its elements start, in bytes, and how many there are. */
const arrayAt = (data: string, byte: number): { readonly start: number; readonly length: number } | undefined => {
  const size = (data.length - 2) / 2
  if (size < byte + 32) return undefined
  const offset = wordAt(data, byte)
  if (offset > size - 32) return undefined
  const start = Number(offset) + 32
  const length = wordAt(data, Number(offset))
  return length * 32n > size - start ? undefined : { start, length: Number(length) }
}

/** Ids of an ERC-2309 log beyond which it is counted and left out. */
const mostConsecutive = 5000n

/** ConsecutiveTransfer(fromTokenId, toTokenId, from, to): the last id is in the data, all others are in topics. */
const decodeConsecutive = ({ topics: [, first, from, to], topics: { length }, data }: Log): TokenEvent => {
  const whole = length === 4 && data.length === 66 && isWord(first!) && isAddressTopic(from!) && isAddressTopic(to!)
  if (!whole) return odd
  const [start, end] = [BigInt(first!), BigInt(data)]
  const count = end - start + 1n
  if (count < 1n || count > mostConsecutive) return odd
  const units = Array.from({ length: Number(count) }, (_, place) => ({ tokenId: start + BigInt(place), amount: 1n }))
  return nft("erc721", from!, to!, units)
}

const decodeWrap = ({ topics: [signature, holder], data, topics: { length } }: Log): TokenEvent => {
  if (length !== 2 || data.length !== 66 || !isAddressTopic(holder!)) return odd
  const kind = signature === topics.deposit ? "deposit" : "withdrawal"
  return { kind, holder: addressOfTopic(holder!), amount: BigInt(data) }
}

/** The 32 bytes from `byte` on as a number. */
const wordAt = (data: string, byte: number): bigint => BigInt(`0x${data.slice(2 + byte * 2, 66 + byte * 2)}`)

const isWord = (topic: string): boolean => topic.length === 66

const addressPadding = `0x${"0".repeat(24)}`
/** An address in a topic is left-padded with 12 zero bytes; anything else there is no address. */
const isAddressTopic = (topic: string): boolean => topic.length === 66 && topic.startsWith(addressPadding)
