/** Random choices that are the same for the same seed. */
import { type Address, addressOf } from "./address.ts"

export interface Random {
  /** 0 to 2³²−1. */
  word(): number
  /** 0 to `limit` − 1. */
  below(limit: number): number
  pick<Value>(values: ReadonlyArray<Value>): Value
  chance(probability: number): boolean
  /** From 0 to 2^`bits` − 1, of any length: short ones as often as long ones. */
  amount(bits: number): bigint
  address(): Address
}

/** mulberry32: small, and good enough to vary traffic. */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  const word = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number) => Math.floor((word() / 2 ** 32) * limit)
  const bigint = (bits: number) => {
    let value = 0n
    for (let length = 0; length < bits; length += 32) value = (value << 32n) | BigInt(word())
    return BigInt.asUintN(bits, value)
  }
  return {
    word,
    below,
    pick: (values) => {
      if (values.length === 0) throw new Error("Nothing to pick from.")
      return values[below(values.length)]!
    },
    chance: (probability) => word() / 2 ** 32 < probability,
    amount: (bits) => bigint(1 + below(bits)),
    address: () => addressOf(`0x${bigint(160).toString(16).padStart(40, "0")}`),
  }
}
