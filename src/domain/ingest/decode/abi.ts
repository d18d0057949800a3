/** Values in topics and data: words of 32 bytes, in hex. */
import { type Address, addressOfHex } from "../../../model/primitives.ts"

const addressPadding = `0x${"0".repeat(24)}`
/** An address in a topic is left-padded with 12 zero bytes; anything else there is no address. */
export const isAddressTopic = (topic: string): boolean => topic.length === 66 && topic.startsWith(addressPadding)

/** The address in a topic, or in an answer of one word; undefined where it is none, or there is nothing. */
export const addressAt = (topic: string | undefined): Address | undefined =>
  topic !== undefined && isAddressTopic(topic) ? addressOfHex(`0x${topic.slice(26)}`) : undefined

/** The 32 bytes from `byte` on as a number. */
export const wordAt = (data: string, byte: number): bigint => BigInt(`0x${data.slice(2 + byte * 2, 66 + byte * 2)}`)

export const isWord = (topic: string): boolean => topic.length === 66

/** The same as a signed number. */
export const signedAt = (data: string, byte: number): bigint => BigInt.asIntN(256, wordAt(data, byte))

/** How many whole words the data is; not a whole number for data of another length. */
export const wordCount = (data: string): number => (data.length - 2) / 64
