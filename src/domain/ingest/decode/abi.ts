/** Values in topics and data: words of 32 bytes, in hex. */
export { addressOfTopic as addressAt, isAddressTopic } from "./internAddress.ts"

/** The 32 bytes from `byte` on as a number. */
export const wordAt = (data: string, byte: number): bigint => BigInt(`0x${data.slice(2 + byte * 2, 66 + byte * 2)}`)

export const isWord = (topic: string): boolean => topic.length === 66

/** The same as a signed number. */
export const signedAt = (data: string, byte: number): bigint => BigInt.asIntN(256, wordAt(data, byte))

/** How many whole words the data is; not a whole number for data of another length. */
export const wordCount = (data: string): number => (data.length - 2) / 64
