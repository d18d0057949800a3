/** The root of the Merkle Patricia trie of a list, as headers hold it of a block's receipts. Pure. */
import { keccak256 } from "./keccak.ts"
import { bytesOfNumber, concat, encodeRlp, type Rlp } from "./rlp.ts"

/** `0x…` of 32 bytes. The key of a value is its place. */
export const trieRootOf = (values: ReadonlyArray<Uint8Array>): string => {
  const entries = values.map((value, place): Entry => ({ path: nibblesOf(encodeRlp(bytesOfNumber(place))), value }))
  return `0x${Buffer.from(keccak256(encodeRlp(nodeOf(entries, 0)))).toString("hex")}`
}

interface Entry {
  /** Half bytes. */
  readonly path: Uint8Array
  readonly value: Uint8Array
}

const nothing = new Uint8Array()

/** The node under which these entries are, which share their first `depth` half bytes. */
const nodeOf = (entries: ReadonlyArray<Entry>, depth: number): Rlp => {
  const [first] = entries
  if (first === undefined) return nothing
  if (entries.length === 1) return [packed(first.path.subarray(depth), true), first.value]
  let shared = depth
  while (entries.every(({ path }) => shared < path.length && path[shared] === first.path[shared])) shared++
  if (shared > depth) return [packed(first.path.subarray(depth, shared), false), linkTo(nodeOf(entries, shared))]
  const children = Array.from({ length: 16 }, (_, nibble) => entries.filter(({ path }) => path[depth] === nibble))
  const own = entries.find(({ path }) => path.length === depth)
  return [...children.map((child) => linkTo(nodeOf(child, depth + 1))), own?.value ?? nothing]
}

/** A short node stands in its parent, of a long one its hash does. */
const linkTo = (node: Rlp): Rlp => {
  if (node === nothing) return node
  const encoded = encodeRlp(node)
  return encoded.length < 32 ? node : keccak256(encoded)
}

const nibblesOf = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from([...bytes].flatMap((byte) => [byte >> 4, byte & 15]))

/** Half bytes as bytes, headed by whether they are odd in number and end at a value. */
const packed = (nibbles: Uint8Array, ends: boolean): Uint8Array => {
  const odd = nibbles.length % 2
  const head = (ends ? 2 : 0) + odd
  const all = concat([odd === 1 ? Uint8Array.of(head) : Uint8Array.of(head, 0), nibbles])
  return Uint8Array.from({ length: all.length / 2 }, (_, index) => (all[2 * index]! << 4) | all[2 * index + 1]!)
}
