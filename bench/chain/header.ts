/** Block headers whose hash is what Ethereum's rules make of their fields; the roots of what is not simulated are random. */
import { keccak256 } from "viem/utils"
import { hexOf, quantity } from "./hex.ts"

export interface Header {
  readonly number: number
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  /** Seconds. */
  readonly time: number
  readonly bloom: Uint8Array
  /** Stands for the state, transactions and receipts roots: makes blocks of two branches differ. */
  readonly root: Uint8Array
}

const emptyUncles = Buffer.from("1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347", "hex")
const gasLimit = 30_000_000
const nothing = new Uint8Array(0)

export const makeHeader = (fields: Omit<Header, "hash">): Header => {
  const { number, parentHash, time, bloom, root } = fields
  const encoded = rlpList([
    parentHash,
    emptyUncles,
    new Uint8Array(20),
    root,
    root,
    root,
    bloom,
    nothing,
    bytesOfNumber(number),
    bytesOfNumber(gasLimit),
    bytesOfNumber(gasLimit / 2),
    bytesOfNumber(time),
    nothing,
    new Uint8Array(32),
    new Uint8Array(8),
  ])
  return { ...fields, hash: keccak256(encoded, "bytes") }
}

/** As `eth_getBlockByNumber` answers, without transactions. */
export const renderHeader = ({ number, hash, parentHash, time, bloom, root }: Header): string => {
  const anyRoot = hexOf(root)
  return JSON.stringify({
    number: quantity(number),
    hash: hexOf(hash),
    parentHash: hexOf(parentHash),
    sha3Uncles: hexOf(emptyUncles),
    miner: hexOf(new Uint8Array(20)),
    stateRoot: anyRoot,
    transactionsRoot: anyRoot,
    receiptsRoot: anyRoot,
    logsBloom: hexOf(bloom),
    difficulty: "0x0",
    gasLimit: quantity(gasLimit),
    gasUsed: quantity(gasLimit / 2),
    timestamp: quantity(time),
    extraData: "0x",
    mixHash: hexOf(new Uint8Array(32)),
    nonce: "0x0000000000000000",
    size: "0x400",
    transactions: [],
    uncles: [],
  })
}

const bytesOfNumber = (value: number): Uint8Array => {
  const bytes: Array<number> = []
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Uint8Array.from(bytes)
}

const rlpList = (items: ReadonlyArray<Uint8Array>): Uint8Array => {
  const parts = items.flatMap((item) =>
    item.length === 1 && item[0]! < 0x80 ? [item] : [rlpLength(item.length, 0x80), item],
  )
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([rlpLength(length, 0xc0), ...parts])
}

const rlpLength = (length: number, base: number): Uint8Array => {
  if (length < 56) return Uint8Array.of(base + length)
  const bytes = bytesOfNumber(length)
  return Uint8Array.of(base + 55 + bytes.length, ...bytes)
}
