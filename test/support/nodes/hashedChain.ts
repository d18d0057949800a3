/** A test chain whose hashes are those of its headers' fields, as Ethereum's are, in both of its forms. */
import { keccak256, toRlp } from "viem"
import { hashOfHex } from "../../../src/model/primitives.ts"
import type { TestChain } from "../chain/testChain.ts"
import { chainOf } from "./replayChain.ts"
import type { ReplayBlock, ReplayChain } from "./replayNode.ts"

const hex = (number: number | bigint): `0x${string}` =>
  number === 0 || number === 0n ? "0x" : bytes(number.toString(16))
const bytes = (digits: string): `0x${string}` => `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
const word = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`

/** What every header has beside what the chain gives it; one more where `isBare`. */
const fieldsOf = (number: number, isBare: boolean) => ({
  sha3Uncles: word("1"),
  miner: `0x${"22".repeat(20)}`,
  stateRoot: word("3"),
  transactionsRoot: word("4"),
  difficulty: "0x0",
  number: `0x${number.toString(16)}`,
  gasLimit: "0x1c9c380",
  gasUsed: `0x${(21_000 + number).toString(16)}`,
  extraData: "0xabcd",
  mixHash: word("5"),
  nonce: "0x0000000000000000",
  baseFeePerGas: "0x3b9aca00",
  ...(isBare ? { withdrawalsRoot: word("6") } : {}),
})

const order = [
  ..."parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit".split(
    " ",
  ),
  ..."gasUsed timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot".split(" "),
]
const quantities = new Set(["difficulty", "number", "gasLimit", "gasUsed", "timestamp", "baseFeePerGas"])

export const hashOfHeader = (header: Readonly<Record<string, unknown>>): `0x${string}` => {
  const items = order.flatMap((name): ReadonlyArray<`0x${string}`> => {
    const value = header[name] as `0x${string}` | undefined
    if (value === undefined) return []
    return [quantities.has(name) ? hex(BigInt(value)) : value]
  })
  return keccak256(toRlp(items))
}

/** `chain` and `replay` are of the same blocks; both get the new hashes. Where `isBare` headers have a field that portals do not give. */
export const hashed = (
  chain: TestChain,
  replay: ReplayChain,
  isBare: (number: number) => boolean = () => false,
): ReplayChain => {
  let parentHash: string | undefined
  const blocks = chain.blocks.map((block, place): ReplayBlock => {
    const { number } = block.header
    const old = replay.find(number)!
    const fields = {
      ...old.header,
      parentHash: parentHash ?? old.header.parentHash,
      ...fieldsOf(number, isBare(number)),
    }
    const hash = hashOfHex(hashOfHeader(fields))
    const header = { ...block.header, hash, parentHash: hashOfHex(String(fields.parentHash)) }
    parentHash = hash
    chain.blocks[place] = { ...block, header, logs: block.logs.map((log) => ({ ...log, blockHash: hash })) }
    const receipts = old.receipts.map((receipt) => ({
      ...receipt,
      logs: receipt.logs.map((log) => ({ ...log, blockHash: hash })),
    }))
    return { number, header: { ...fields, hash }, receipts }
  })
  return chainOf(replay.chainId, blocks)
}
