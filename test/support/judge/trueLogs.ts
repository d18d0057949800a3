/** What a raw log says, read in the plainest way by the rules of the standards: nothing here is shared with the service. */
import { Address } from "../../../src/model/primitives.ts"

export type TrueStandard = "erc20" | "erc721" | "erc1155"

export interface RawLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
  readonly blockNumber: string
  readonly blockTimestamp: string
  readonly logIndex: string
  readonly transactionHash: string
  readonly transactionIndex?: string
}

/** A row of a feed. */
export interface TrueRow {
  readonly standard: TrueStandard
  readonly token: string
  readonly blockNumber: number
  readonly logIndex: number
  /** Place in the log. */
  readonly sub: number
  readonly txHash: string
  readonly txIndex?: number
  /** Of ERC-1155. */
  readonly operator?: string
  /** Seconds. */
  readonly time: number
  readonly from: string
  readonly to: string
  readonly amount: bigint
  /** 0 for ERC-20. */
  readonly tokenId: bigint
}

export const nobody = Address.make(`0x${"0".repeat(40)}`)

export const signatures = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  single: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  batch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  consecutive: "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d",
  deposit: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  withdrawal: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
} as const

/** The rows of a log, in order; none where it has no shape of a standard. */
export const rowsOf = (log: RawLog): ReadonlyArray<TrueRow> => {
  const bytes = Buffer.from(log.data.slice(2), "hex")
  const topics = log.topics.slice(1)
  const row = (
    standard: TrueStandard,
    parties: ReadonlyArray<string | undefined>,
    units: ReadonlyArray<readonly [tokenId: bigint, amount: bigint]>,
  ): ReadonlyArray<TrueRow> => {
    const [from, to] = parties.slice(-2).map(addressIn)
    if (from === undefined || to === undefined || parties.some((party) => addressIn(party) === undefined)) return []
    const operator = parties.length === 3 ? addressIn(parties[0]) : undefined
    const index = log.transactionIndex
    return units.map(([tokenId, amount], sub) => ({
      ...(operator === undefined ? {} : { operator }),
      ...(index === undefined ? {} : { txIndex: Number(index) }),
      standard,
      token: log.address.toLowerCase(),
      blockNumber: Number(log.blockNumber),
      logIndex: Number(log.logIndex),
      sub,
      txHash: log.transactionHash,
      time: Number(log.blockTimestamp),
      from,
      to,
      amount,
      tokenId,
    }))
  }
  const [first, second, third] = topics
  switch (log.topics[0]) {
    case signatures.transfer:
      if (topics.length === 2 && bytes.length === 32) return row("erc20", [first, second], [[0n, word(bytes, 0)!]])
      if (topics.length === 3 && bytes.length === 0) return row("erc721", [first, second], [[BigInt(third!), 1n]])
      return []
    case signatures.consecutive:
      return topics.length === 3 && bytes.length === 32
        ? row("erc721", [second, third], consecutive(BigInt(first!), word(bytes, 0)!))
        : []
    case signatures.single:
      return topics.length === 3 && bytes.length === 64
        ? row("erc1155", [first, second, third], [[word(bytes, 0)!, word(bytes, 32)!]])
        : []
    case signatures.batch:
      return topics.length === 3 ? row("erc1155", [first, second, third], pairsIn(bytes)) : []
    default:
      return []
  }
}

/** What a Deposit adds, or a Withdrawal takes. */
export const wrapOf = (log: RawLog): readonly [holder: string, change: bigint] | undefined => {
  const sign = { [signatures.deposit]: 1n, [signatures.withdrawal]: -1n }[log.topics[0] ?? ""]
  const holder = addressIn(log.topics[1])
  return sign === undefined || holder === undefined || log.topics.length !== 2 || log.data.length !== 66
    ? undefined
    : [holder, sign * BigInt(log.data)]
}

const addressIn = (topic: string | undefined): string | undefined =>
  topic?.startsWith(`0x${"0".repeat(24)}`) ? `0x${topic.slice(26)}` : undefined

const word = (bytes: Buffer, at: number): bigint | undefined =>
  at + 32 <= bytes.length ? BigInt(`0x${bytes.subarray(at, at + 32).toString("hex")}`) : undefined

const consecutive = (first: bigint, last: bigint): ReadonlyArray<readonly [bigint, bigint]> => {
  const ids: Array<readonly [bigint, bigint]> = []
  if (last - first >= 5000n) return []
  for (let id = first; id <= last; id++) ids.push([id, 1n])
  return ids
}

/** Two arrays of numbers of the same length. */
const pairsIn = (bytes: Buffer): ReadonlyArray<readonly [bigint, bigint]> => {
  const [ids, amounts] = [numbersAt(bytes, 0), numbersAt(bytes, 32)]
  if (ids === undefined || ids.length !== amounts?.length) return []
  return ids.map((id, index) => [id, amounts[index]!] as const)
}

const numbersAt = (bytes: Buffer, at: number): ReadonlyArray<bigint> | undefined => {
  const offset = word(bytes, at)
  if (offset === undefined || offset > BigInt(bytes.length)) return undefined
  const length = word(bytes, Number(offset))
  if (length === undefined || length > BigInt(bytes.length)) return undefined
  const numbers = Array.from({ length: Number(length) }, (_, index) => word(bytes, Number(offset) + 32 * (1 + index)))
  return numbers.includes(undefined) ? undefined : (numbers as Array<bigint>)
}
