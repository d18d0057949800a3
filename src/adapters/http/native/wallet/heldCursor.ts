/** A place in what addresses hold as cursor parts: the row's key, and of a walk as of a block where each chain stands. */
import { Schema } from "effect"
import { Address, ChainId } from "../../../../model/primitives.ts"
import { type ChainPin, type HeldKey, heldStandards } from "../../../../model/wallet/holdings.ts"
import { BlockNumber, type CursorParts, type CursorShape, Rollbacks, TokenId } from "../cursors.ts"

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
/** Hours since 1970: a text, so that no cursor of an older version, whose places had three parts, is read as one. */
const Hour = Schema.String.check(Schema.isPattern(/^(?:0|[1-9]\d{0,9})$/u))
const isPin = Schema.is(Schema.Tuple([ChainId, BlockNumber, Rollbacks, Hour]))

const keyParts = 6
const pinParts = 4

export const heldCursor: CursorShape<HeldKey> = {
  toParts: ({ value, chainId, address, standard, tokenAddress, tokenId, pins = [] }) => [
    value,
    chainId,
    address,
    standard,
    tokenAddress,
    tokenId,
    ...pins.flatMap((pin) => [pin.chainId, pin.blockNumber, pin.rollbacks, String(pin.hour)]),
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

const pinsOf = (parts: CursorParts): ReadonlyArray<ChainPin> | undefined => {
  if (parts.length % pinParts !== 0) return undefined
  const pins: Array<ChainPin> = []
  for (let start = 0; start < parts.length; start += pinParts) {
    const pin = parts.slice(start, start + pinParts)
    if (!isPin(pin)) return undefined
    const [chainId, blockNumber, rollbacks, hour] = pin
    pins.push({ chainId, blockNumber, rollbacks, hour: Number(hour) })
  }
  return pins
}
