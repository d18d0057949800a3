/** A header's hash out of its fields, by the rules of Ethereum's forks, as far as the fields that are there reach. Pure. */
import { keccak_256 } from "@noble/hashes/sha3"
import { bytesOfHex, encodeRlp } from "../chain/rlp.ts"

/** Fields by the names of JSON-RPC. Quantities may be numbers or hex. */
export type RawHeader = Readonly<Record<string, unknown>>

const bytes = (value: unknown): Uint8Array | undefined =>
  typeof value === "string" && /^0x(?:[0-9a-f]{2})*$/i.test(value) ? bytesOfHex(value) : undefined

/** Without leading zeros; zero is no byte at all. */
const quantity = (value: unknown): Uint8Array | undefined => {
  const isNumber = typeof value === "number" && Number.isSafeInteger(value) && value >= 0
  if (!isNumber && !(typeof value === "string" && /^(?:0x[0-9a-f]+|\d+)$/i.test(value))) return undefined
  const digits = BigInt(value).toString(16)
  return digits === "0" ? new Uint8Array() : bytesOfHex(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`)
}

type Field = readonly [name: string, read: typeof bytes]

/** In the order of the encoding: those that every header has, then those that forks added, each with all before it. */
const firstFields: ReadonlyArray<Field> = [
  ["parentHash", bytes],
  ["sha3Uncles", bytes],
  ["miner", bytes],
  ["stateRoot", bytes],
  ["transactionsRoot", bytes],
  ["receiptsRoot", bytes],
  ["logsBloom", bytes],
  ["difficulty", quantity],
  ["number", quantity],
  ["gasLimit", quantity],
  ["gasUsed", quantity],
  ["timestamp", quantity],
  ["extraData", bytes],
  ["mixHash", bytes],
  ["nonce", bytes],
]
const laterFields: ReadonlyArray<Field> = [
  ["baseFeePerGas", quantity],
  ["withdrawalsRoot", bytes],
  ["blobGasUsed", quantity],
  ["excessBlobGas", quantity],
  ["parentBeaconBlockRoot", bytes],
  ["requestsHash", bytes],
]

/** Whether the hash that it names is that of its fields. False too where a field is missing that its fork has. */
export const isHashOfFields = (header: RawHeader): boolean => {
  const items: Array<Uint8Array> = []
  for (const [name, read] of firstFields) {
    const item = read(header[name])
    if (item === undefined) return false
    items.push(item)
  }
  for (const [name, read] of laterFields) {
    const value = header[name]
    if (value === undefined || value === null) break
    const item = read(value)
    if (item === undefined) return false
    items.push(item)
  }
  const hash = Buffer.from(keccak_256(encodeRlp(items))).toString("hex")
  return String(header.hash).toLowerCase() === `0x${hash}`
}
