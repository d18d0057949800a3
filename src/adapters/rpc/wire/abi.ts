/** Numbers as nodes write them: quantities of calls, and the words of 32 bytes that view calls take and return. Pure. */

/** A block, an amount of gas: a natural number as a parameter of a call. */
export const quantity = (number: number): string => `0x${number.toString(16)}`

/** A number, below zero too, or one in decimal or 0x digits, as a word without 0x. */
export const abiWord = (value: number | bigint | string): string =>
  BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0")

/** The words of an answer; none where it does not consist of whole ones. */
export const abiWords = (data: string): ReadonlyArray<bigint> =>
  data.length % 64 === 2 ? (data.slice(2).match(/.{64}/gu) ?? []).map((word) => BigInt(`0x${word}`)) : []

/** A word as a number with a sign. */
export const signedOf = (word: bigint): bigint => BigInt.asIntN(256, word)
