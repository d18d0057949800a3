/** Whether receipts are those that a block's header speaks of: they give its receiptsRoot, or at least its bloom. Pure. */
import { keccak256 } from "../hashing/keccak.ts"
import { bytesOfHex, bytesOfNumber, concat, encodeRlp } from "../hashing/rlp.ts"
import { trieRootOf } from "../hashing/trieRoot.ts"
import { addressOf, bytesOf, hashOf, Malformed, quantityOf, quote, weiOf } from "../wire/shapes.ts"

/** As the chain hashes them, in the order of the block's transactions; undefined where a receipt lacks what that needs. */
export const receiptsRootOf = (receipts: ReadonlyArray<unknown>): string | undefined => {
  const encoded = encodeReceipts(receipts)
  return encoded && trieRootOf(encoded)
}

/** Receipts that stand together in a list. */
export interface Part {
  /** Place of the first one. */
  readonly first: number
  readonly count: number
}

/** Which of the receipts have this root: all, up to `mostAdded` fewer from the first on, or those behind the leading ones without gas. Undefined = none of these. */
export const partWithRoot = (receipts: ReadonlyArray<unknown>, root: string, mostAdded: number): Part | undefined => {
  const encoded = encodeReceipts(receipts)
  if (encoded === undefined) return undefined
  for (let count = encoded.length; count > 0 && count >= encoded.length - mostAdded; count--) {
    if (trieRootOf(encoded.slice(0, count)) === root) return { first: 0, count }
  }
  const first = countWithoutGas(receipts)
  const isTried = first > 0 && first < encoded.length
  return isTried && trieRootOf(encoded.slice(first)) === root ? { first, count: encoded.length - first } : undefined
}

/** The root of no receipt. */
export const emptyRoot = trieRootOf([])

/** How many, from the first on, used no gas. */
export const countWithoutGas = (receipts: ReadonlyArray<unknown>): number => {
  const first = receipts.findIndex((receipt) => Object(receipt).cumulativeGasUsed !== "0x0")
  return first < 0 ? receipts.length : first
}

const encodeReceipts = (receipts: ReadonlyArray<unknown>) => unlessMalformed(() => receipts.map(encodeReceipt))

/** 256 bytes in hex: the bloom of all logs of these receipts; undefined where one of them has another shape than a log. */
export const bloomOf = (receipts: ReadonlyArray<unknown>): string | undefined =>
  unlessMalformed(() => bloomOfReceipts(receipts))

/** Some transaction failed: some chains (Ethermint's) count its logs and show them in the bloom, and keep none. */
export const hasFailures = (receipts: ReadonlyArray<unknown>): boolean => receipts.some(isFailure)

const isFailure = (receipt: unknown): boolean => Object(receipt).status === "0x0" && logsOf(receipt).length === 0

/** The indexes of the logs pass none over, but where a failed transaction lies in between. Some nodes count each receipt's from 0. */
export const isWholeByIndexes = (receipts: ReadonlyArray<unknown>): boolean => {
  let next = 0
  let isBehindFailure = false
  for (const receipt of receipts) {
    isBehindFailure ||= isFailure(receipt)
    for (const [place, { logIndex }] of logsOf(receipt).entries()) {
      const index = Number(logIndex)
      const follows = index === next || (place === 0 && index === 0) || (isBehindFailure && index > next)
      if (!follows) return false
      next = index + 1
      isBehindFailure = false
    }
  }
  return true
}

const unlessMalformed = <Value>(read: () => Value): Value | undefined => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** 256 bytes in hex: the bloom of all logs of these receipts. */
export const bloomOfReceipts = (receipts: ReadonlyArray<unknown>): string => {
  const bloom = new Uint8Array(256)
  const seen = new Set<string>()
  for (const receipt of receipts) {
    for (const log of logsOf(receipt))
      for (const value of [addressOf(log.address, "address"), ...topicsOf(log)]) seen.add(value)
  }
  for (const value of seen) {
    const digest = keccak256(bytesOfHex(value))
    for (const at of [0, 2, 4]) {
      const bit = ((digest[at]! << 8) | digest[at + 1]!) & 2047
      bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
    }
  }
  return `0x${Buffer.from(bloom).toString("hex")}`
}

type Fields = Readonly<Record<string, unknown>>

/** Deposits of the OP stack also hash what they set themselves, since they say in which version. */
const deposit = 0x7e
/** Celo's transactions whose gas is paid in another currency: since its layer 2 they hash the base fee, which is in that currency. */
const inFeeCurrency = 0x7b

const encodeReceipt = (receipt: unknown): Uint8Array => {
  const { type, status, root, cumulativeGasUsed, logsBloom, ...others } = Object(receipt) as Fields
  const kind = type === undefined || type === null ? 0 : quantityOf(type, "type")
  const outcome =
    status === undefined || status === null ? bytesOfHex(hashOf(root, "root")) : numberOf(status, "status")
  const logs = logsOf(receipt).map((log) => [
    bytesOfHex(addressOf(log.address, "address")),
    topicsOf(log).map(bytesOfHex),
    bytesOfHex(bytesOf(log.data, "data")),
  ])
  const own = [
    outcome,
    numberOf(cumulativeGasUsed, "cumulativeGasUsed"),
    bytesOfHex(bytesOf(logsBloom, "logsBloom")),
    logs,
  ]
  const encoded = encodeRlp([...own, ...moreOf(kind, others)])
  return kind === 0 ? encoded : concat([Uint8Array.of(kind), encoded])
}

/** What receipts of this kind hash beside what all do. */
const moreOf = (kind: number, { depositNonce, depositReceiptVersion, baseFee }: Fields): ReadonlyArray<Uint8Array> => {
  if (kind === deposit && depositReceiptVersion !== undefined && depositReceiptVersion !== null) {
    return [numberOf(depositNonce, "depositNonce"), numberOf(depositReceiptVersion, "depositReceiptVersion")]
  }
  const hasBaseFee = kind === inFeeCurrency && baseFee !== undefined && baseFee !== null
  return hasBaseFee ? [bytesOfNumber(weiOf(baseFee, "baseFee"))] : []
}

const numberOf = (value: unknown, field: string): Uint8Array => bytesOfNumber(quantityOf(value, field))

const logsOf = (receipt: unknown): ReadonlyArray<Fields> => {
  const { logs } = Object(receipt) as Fields
  if (!Array.isArray(logs)) throw new Malformed(`logs: expected a list, got ${quote(logs)}`, "receipts")
  return logs
}

const topicsOf = ({ topics }: Fields): ReadonlyArray<string> => {
  if (!Array.isArray(topics)) throw new Malformed(`topics: expected a list, got ${quote(topics)}`, "receipts")
  return topics.map((topic) => hashOf(topic, "topic"))
}
