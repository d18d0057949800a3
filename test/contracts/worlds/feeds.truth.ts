/** Chains that the feeds' contract is asked about, and what their feeds hold, straight from the rows. */
import { type Address, type ChainId, dateTimeOf, zeroAddress } from "../../../src/model/primitives.ts"
import type { Standard } from "../../../src/model/token.ts"
import type { FeedKey, FeedRange, TransferFilter } from "../../../src/model/transfer.ts"
import {
  address,
  consecutiveTransfer,
  multiTransfer,
  nftTransfer,
  type TestBlock,
  TestChain,
  type TestEvent,
  transfer,
} from "../../support/chain/testChain.ts"
import { people } from "./chatter.ts"

/** The first emits all three standards, the last only once. */
export const contracts = [1, 2, 3].map((number) => address(0x8000 + number))
/** Where the lists say so. */
export const trustedContracts = contracts.slice(1)
export const largestId = 2n ** 256n - 1n
const ids = [0n, 1n, 2n, 3n, largestId]

/** Some thirty blocks of all kinds of rows, many of one contract; several blocks share a time. */
export const mixedChatter = (seedNumber: number): TestChain => {
  let state = seedNumber
  const next = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
  const pick = <A>(values: ReadonlyArray<A>): A => values[next(values.length)]!
  const chain = new TestChain()
  const [hot, other, rare] = contracts as [Address, Address, Address]
  const [p1, p2] = people as [Address, Address]
  // What chance may leave out: a batch without rows, one id twice in a batch, mints and burns, zero to zero, a lie.
  chain.block([
    consecutiveTransfer(hot, zeroAddress, p1, 0n, 11n),
    multiTransfer(
      hot,
      zeroAddress,
      p1,
      ids.map((id) => [id, 50n]),
    ),
    multiTransfer(rare, p1, p2, []),
    multiTransfer(other, zeroAddress, zeroAddress, [[1n, 5n]]),
    nftTransfer(other, zeroAddress, zeroAddress, 9n),
    transfer(hot, zeroAddress, zeroAddress, 3n),
  ])
  chain.block([
    nftTransfer(hot, p2, people[2]!, 1n),
    nftTransfer(hot, p1, p2, 1n),
    multiTransfer(hot, p1, p2, [
      [1n, 1n],
      [1n, 2n],
      [1n, 1n],
    ]),
    multiTransfer(other, zeroAddress, p2, [[1n, 4n]]),
    nftTransfer(rare, zeroAddress, p1, largestId),
    transfer(hot, zeroAddress, p2, 40n),
    nftTransfer(hot, p1, zeroAddress, 3n),
  ])
  const event = (): TestEvent => {
    const token = pick([hot, hot, hot, other])
    const from = next(8) === 0 ? zeroAddress : pick(people)
    const to = next(10) === 0 ? zeroAddress : pick(people)
    switch (next(9)) {
      case 0:
      case 1:
      case 2:
        return transfer(token, from, to, BigInt(next(20)))
      case 3:
        return nftTransfer(token, from, to, pick(ids))
      case 4:
        return nftTransfer(token, from, to, BigInt(next(12)))
      case 5:
        return consecutiveTransfer(token, from, to, BigInt(next(5)), BigInt(6 + next(4)))
      case 6:
        return multiTransfer(token, from, to, [[pick(ids), BigInt(next(3))]])
      default:
        return multiTransfer(
          token,
          from,
          to,
          Array.from({ length: 2 + next(5) }, () => [pick(ids), BigInt(next(3))]),
        )
    }
  }
  for (let block = 0; block < 36; block++) {
    const time = chain.blocks.at(-1)!.header.time + next(3)
    chain.block(Array.from({ length: next(5) }, event), { time })
  }
  return chain
}

/** A row of a feed with its place, before any order. */
export interface TrueRow {
  readonly standard: Standard
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly tokenId?: bigint
  readonly item: object
  readonly key: FeedKey
}

export const rowsOf = (chainId: ChainId, blocks: ReadonlyArray<TestBlock>): ReadonlyArray<TrueRow> =>
  blocks.flatMap(({ movements, nfts }) => [
    ...movements
      .filter((row) => row.kind === "transfer")
      .map((row) => trueRow(chainId, { ...row, standard: "erc20", sub: 0 })),
    ...nfts.map((row) => trueRow(chainId, row)),
  ])

const trueRow = (
  chainId: ChainId,
  row: Pick<TrueRow, "standard" | "token" | "from" | "to" | "tokenId"> &
    Omit<FeedKey, "chainId"> & { readonly txHash: string; readonly amount: bigint },
): TrueRow => {
  const { standard, token, from, to, tokenId, blockNumber, logIndex, sub, time, txHash, amount } = row
  const timestamp = dateTimeOf(time)
  const item = {
    ...{ chainId, blockNumber, txHash, logIndex, from, to, createdAt: timestamp, timestamp, tokenAddress: token },
    ...(tokenId === undefined ? {} : { tokenId: String(tokenId) }),
    ...(standard === "erc721" ? {} : { amount: String(amount) }),
  }
  const key = { time, chainId, blockNumber, logIndex, sub }
  return { standard, token, from, to, ...(tokenId === undefined ? {} : { tokenId }), item, key }
}

export const ascending = ({ key: a }: TrueRow, { key: b }: TrueRow): number =>
  a.time - b.time ||
  Number(a.chainId) - Number(b.chainId) ||
  a.blockNumber - b.blockNumber ||
  a.logIndex - b.logIndex ||
  a.sub - b.sub

export const matches = ({ token, from, to, tokenId, key }: TrueRow, filter: TransferFilter): boolean =>
  (filter.trusted !== true || trustedContracts.includes(token)) &&
  (filter.tokenAddress?.includes(token) ?? true) &&
  (filter.from?.includes(from) ?? true) &&
  (filter.to?.includes(to) ?? true) &&
  (filter.address?.some((who) => who === from || who === to) ?? true) &&
  (filter.either === undefined || filter.either.from.includes(from) || filter.either.to.includes(to)) &&
  (filter.tokenId?.includes(String(tokenId)) ?? true) &&
  isInRange(key, filter)

/** Final at the head of the worlds that are made so. */
export const finalBlock = 20

export const isInRange = (key: FeedKey, range: FeedRange): boolean =>
  key.blockNumber >= (range.blockNumberFrom ?? 0) &&
  key.blockNumber <= (range.blockNumberTo ?? Infinity) &&
  key.time >= (range.timestampFrom ?? 0) &&
  key.time <= (range.timestampTo ?? Infinity) &&
  (range.finalized === undefined || key.blockNumber <= finalBlock)
