/** A place in what addresses hold as cursor parts: the row's key, and of a walk as of a block where each chain stands. */
import { Schema } from "effect"
import type { CursorParts } from "../../../../model/cursor.ts"
import { Address, ChainId, chainIdOf } from "../../../../model/primitives.ts"
import { type ChainPin, type HeldKey, heldStandards } from "../../../../model/wallet/holdings.ts"
import { foldSign, packNumbers, unfoldSign, unpackNumbers } from "../../newEnough/packedNumbers.ts"
import { BlockNumber, type CursorShape, isBlockNumber, isRollbacks, Rollbacks, TokenId } from "../cursors.ts"

const Digits = Schema.String.check(Schema.isPattern(/^(?:0|[1-9]\d{0,179})$/u))
const isKey = Schema.is(
  Schema.Tuple([
    Schema.NullOr(Digits),
    ChainId,
    Address,
    Schema.Literals(heldStandards),
    Schema.NullOr(Address),
    Schema.NullOr(TokenId),
  ]),
)
/** Hours since 1970 have the range of block numbers. */
const isHour = isBlockNumber
/**
 * As tokens of older versions have it, four parts a chain: two hundred were too long to be read. The hour is a text, so that no cursor of a
 * version before, whose places had three parts, is read as one.
 */
const Hour = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9]\d{0,9})$/u),
  Schema.makeFilter((text: string) => isHour(Number(text))),
)
const isPlainPin = Schema.is(Schema.Tuple([ChainId, BlockNumber, Rollbacks, Hour]))

const keyParts = 6
const pinNumbers = 4

export const heldCursor: CursorShape<HeldKey> = {
  toParts: ({ value, chainId, address, standard, tokenAddress, tokenId, pins = [] }) => [
    value,
    chainId,
    address,
    standard,
    tokenAddress,
    tokenId,
    ...(pins.length === 0 ? [] : [packPins(pins)]),
  ],
  fromParts: (parts) => {
    const key = parts.slice(0, keyParts)
    const pins = pinsOf(parts.slice(keyParts))
    if (!isKey(key) || pins === undefined) return undefined
    const [value, chainId, address, standard, tokenAddress, tokenId] = key
    const isWhole = (standard === "native") === (tokenAddress === null)
    return isWhole
      ? { value, chainId, address, standard, tokenAddress, tokenId, ...(pins.length === 0 ? {} : { pins }) }
      : undefined
  },
}

/** Chain after chain: how far its id and its hour are from those before, its block and the rollbacks. Nine or ten bytes each. */
const packPins = (pins: ReadonlyArray<ChainPin>): Uint8Array => {
  let [before, hourBefore] = [0n, 0]
  return packNumbers(
    pins.flatMap(({ chainId, blockNumber, rollbacks, hour }) => {
      const id = BigInt(chainId)
      const packed = [
        foldSign(id - before),
        BigInt(blockNumber),
        BigInt(rollbacks),
        foldSign(BigInt(hour - hourBefore)),
      ]
      ;[before, hourBefore] = [id, hour]
      return packed
    }),
  )
}

const pinsOf = (parts: CursorParts): ReadonlyArray<ChainPin> | undefined => {
  const [first, ...more] = parts
  return first instanceof Uint8Array && more.length === 0 ? packedPins(first) : plainPins(parts)
}

const packedPins = (bytes: Uint8Array): ReadonlyArray<ChainPin> | undefined => {
  const numbers = unpackNumbers(bytes)
  if (numbers === undefined || numbers.length === 0 || numbers.length % pinNumbers !== 0) return undefined
  const pins: Array<ChainPin> = []
  let [id, hour] = [0n, 0]
  for (let start = 0; start < numbers.length; start += pinNumbers) {
    const [further, block, back, later] = numbers.slice(start, start + pinNumbers) as [bigint, bigint, bigint, bigint]
    id += unfoldSign(further)
    hour += Number(unfoldSign(later))
    const chainId = chainIdOf(String(id))
    const [blockNumber, rollbacks] = [Number(block), Number(back)]
    if (chainId === undefined || !isBlockNumber(blockNumber) || !isRollbacks(rollbacks) || !isHour(hour))
      return undefined
    pins.push({ chainId, blockNumber, rollbacks, hour })
  }
  return pins
}

const plainPins = (parts: CursorParts): ReadonlyArray<ChainPin> | undefined => {
  if (parts.length % pinNumbers !== 0) return undefined
  const pins: Array<ChainPin> = []
  for (let start = 0; start < parts.length; start += pinNumbers) {
    const pin = parts.slice(start, start + pinNumbers)
    if (!isPlainPin(pin)) return undefined
    const [chainId, blockNumber, rollbacks, hour] = pin
    pins.push({ chainId, blockNumber, rollbacks, hour: Number(hour) })
  }
  return pins
}
