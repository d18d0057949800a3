/** A header's hash out of its fields, by the rules of Ethereum's forks, as far as the fields that are there reach. */
import { keccak256 } from "../hashing/keccak.ts"

/** Fields by the names of JSON-RPC. Quantities may be numbers or hex. */
export type RawHeader = Readonly<Record<string, unknown>>

/** In the order of the encoding: those that every header has, then those that forks added, each with all before it. */
const firstFields =
  "parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed timestamp extraData mixHash nonce".split(
    " ",
  )
const laterFields = "baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot requestsHash".split(
  " ",
)
const quantities: ReadonlySet<string> = new Set(
  "difficulty number gasLimit gasUsed timestamp baseFeePerGas blobGasUsed excessBlobGas".split(" "),
)

/** The list behind its head of three bytes: a bloom alone is longer than what a shorter head can tell. */
const headLength = 3
/** One for all: nothing else runs while it is filled. Longer headers are none of Ethereum's. */
const encoded = Buffer.alloc(8192)

/** Whether the hash that it names is that of its fields. False too where a field is missing that its fork has. */
export const isHashOfFields = (header: RawHeader): boolean => {
  let end = headLength
  for (const name of firstFields) {
    end = append(end, header[name], quantities.has(name))
    if (end === -1) return false
  }
  for (const name of laterFields) {
    const value = header[name]
    if (value === undefined || value === null) break
    end = append(end, value, quantities.has(name))
    if (end === -1) return false
  }
  encoded[0] = 0xf9
  encoded.writeUInt16BE(end - headLength, 1)
  const hash = Buffer.from(keccak256(encoded.subarray(0, end))).toString("hex")
  return String(header.hash).toLowerCase() === `0x${hash}`
}

/** Where the encoding ends with it; -1 = it is no such field. */
const append = (at: number, value: unknown, isQuantity: boolean): number => {
  const digits = isQuantity ? digitsOf(value) : bytesOf(value)
  if (digits === undefined) return -1
  const length = digits.length / 2
  if (at + length + 3 > encoded.length) return -1
  let start = at
  if (length > 255) {
    encoded[start++] = 0xb9
    start = encoded.writeUInt16BE(length, start)
  } else if (length > 55) {
    encoded[start++] = 0xb8
    encoded[start++] = length
  } else encoded[start++] = 0x80 + length
  if (length > 0 && encoded.write(digits, start, "hex") !== length) return -1
  // One byte that is its own encoding.
  if (length !== 1 || encoded[start]! >= 0x80) return start + length
  encoded[at] = encoded[start]!
  return at + 1
}

const bytesOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.startsWith("0x") && value.length % 2 === 0 ? value.slice(2) : undefined

/** Without leading zeros; zero is no digit at all. */
const digitsOf = (value: unknown): string | undefined => {
  const isNumber = typeof value === "number" && Number.isSafeInteger(value) && value >= 0
  if (!isNumber && !(typeof value === "string" && /^(?:0x[0-9a-f]{1,64}|\d{1,78})$/i.test(value))) return undefined
  const digits = (isNumber ? value : BigInt(value as string)).toString(16)
  if (digits === "0") return ""
  return digits.length % 2 === 0 ? digits : `0${digits}`
}
