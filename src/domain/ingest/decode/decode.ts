/** Log → event: which token event a log is, by its topics and the shape of its data. Pure; guesses nothing. */
import type { Log } from "../../../model/block.ts"
import type { NftUnit, TokenEvent } from "../../../model/event.ts"
import type { Address } from "../../../model/primitives.ts"
import { addressAt, isWord, wordAt } from "./abi.ts"
import { rangeOf } from "./consecutive.ts"
import { decodeApproval } from "./decodeApproval.ts"
import { decodeSwap } from "./decodeSwap.ts"
import { topics } from "./topics.ts"

export const malformed: TokenEvent = { kind: "malformed" }
const other: TokenEvent = { kind: "other" }

/** Contracts whose logs mean more than those of others. */
export interface KnownContracts {
  /** Deposit and Withdrawal count only for these; elsewhere they are `other`. */
  readonly wrappedNative: ReadonlySet<Address>
  /** Uniswap V4: Swap and Initialize count only for these. */
  readonly poolManagers: ReadonlySet<Address>
  /** Whether swaps are followed; false: their logs are `other`. */
  readonly swaps: boolean
  /** Whether approvals are; false, absent: their logs are `other`. */
  readonly approvals?: boolean
}

export const decode = (log: Log, { wrappedNative, poolManagers, swaps, approvals }: KnownContracts): TokenEvent => {
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
      return (approvals && decodeApproval(log)) || (swaps && decodeSwap(log, poolManagers)) || other
  }
}

const decodeTransfer = ({ topics, data }: Log): TokenEvent => {
  const from = addressAt(topics[1])
  const to = addressAt(topics[2])
  if (from === undefined || to === undefined) return malformed
  if (topics.length === 4 && (data === "0x" || data === "")) {
    const id = topics[3]!
    return isWord(id) ? nft("erc721", from, to, [{ tokenId: BigInt(id), amount: 1n }]) : malformed
  }
  if (topics.length !== 3 || data.length !== 66) return malformed
  return { kind: "erc20Transfer", from, to, amount: BigInt(data) }
}

const nft = (standard: "erc721", from: Address, to: Address, units: ReadonlyArray<NftUnit>): TokenEvent => ({
  kind: "nftTransfer",
  standard,
  from,
  to,
  units,
})

const decodeErc1155 = (
  { topics, data }: Log,
  unitsOf: (data: string) => ReadonlyArray<NftUnit> | undefined,
): TokenEvent => {
  const [operator, from, to] = [addressAt(topics[1]), addressAt(topics[2]), addressAt(topics[3])]
  if (topics.length !== 4 || operator === undefined || from === undefined || to === undefined) return malformed
  const units = unitsOf(data)
  return units === undefined ? malformed : { kind: "nftTransfer", standard: "erc1155", from, to, operator, units }
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

const decodeConsecutive = (log: Log): TokenEvent => {
  const range = rangeOf(log)
  if (range === undefined) return malformed
  const { from, to, start, count } = range
  return nft(
    "erc721",
    from,
    to,
    Array.from({ length: count }, (_, place) => ({ tokenId: start + BigInt(place), amount: 1n })),
  )
}

const decodeWrap = ({ topics: [signature, owner], topics: { length }, data }: Log): TokenEvent => {
  const holder = addressAt(owner)
  if (length !== 2 || data.length !== 66 || holder === undefined) return malformed
  return { kind: signature === topics.deposit ? "deposit" : "withdrawal", holder, amount: BigInt(data) }
}
