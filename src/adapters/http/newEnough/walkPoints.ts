/** The blocks that a page spoke of, in its cursors: no page behind it is of an older ledger, on any of its chains. */

import { Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { AsOf } from "../../../model/block.ts"
import type { PageRequest } from "../../../model/page.ts"
import { type ChainId, chainIdOf, compareChainIds } from "../../../model/primitives.ts"
import type { ChainPin } from "../../../model/wallet/holdings.ts"
import { type MinBlocks, noMinBlocks } from "./minBlock.ts"
import { packNumbers, unpackNumbers } from "./packedNumbers.ts"

/** What no key's last part begins with. */
const sign = "@"
/** Characters: some 450 chains. Of more a cursor would be too long for a link, and has none. */
const longest = 2800

/** Chain after chain, how far its id is from the one before, and its block; undefined of one chain: its rows' keys say it. */
export const pointsPart = (asOf: ReadonlyArray<AsOf>): string | undefined => {
  if (asOf.length < 2) return undefined
  const numbers: Array<bigint> = []
  let before = 0n
  for (const { chainId, blockNumber } of asOf.toSorted((a, b) => compareChainIds(a.chainId, b.chainId))) {
    const id = BigInt(chainId)
    numbers.push(id - before, BigInt(blockNumber))
    before = id
  }
  const text = sign + Base64Url.encode(packNumbers(numbers))
  return text.length > longest ? undefined : text
}

export const isPointsPart = (part: unknown): part is string => typeof part === "string" && part.startsWith(sign)

/** undefined for what no page said. */
export const readPointsPart = (part: string): MinBlocks | undefined => {
  const decoded = Base64Url.decode(part.slice(sign.length))
  if (part.length > longest || Result.isFailure(decoded)) return undefined
  const numbers = unpackNumbers(decoded.success)
  if (numbers === undefined || numbers.length % 2 === 1) return undefined
  const points = new Map<ChainId, number>()
  let id = 0n
  for (let at = 0; at < numbers.length; at += 2) {
    id += numbers[at]!
    const chainId = chainIdOf(String(id))
    const block = Number(numbers[at + 1])
    if (chainId === undefined || !Number.isSafeInteger(block)) return undefined
    points.set(chainId, block)
  }
  return points
}

/** Of the chains that are asked now: one that was left out since has no block to speak of. */
export const pointsOfChains = (points: MinBlocks, chains: ReadonlyArray<ChainId>): MinBlocks =>
  new Map(chains.flatMap((chainId) => (points.has(chainId) ? [[chainId, points.get(chainId)!] as const] : [])))

/** What keys, places and parameters may say of blocks, whichever list has it. */
export interface OfBlocks {
  readonly chains?: ReadonlyArray<ChainId>
  readonly chainId?: ChainId
  readonly blockNumber?: number
  readonly pins?: ReadonlyArray<ChainPin>
  readonly finality?: true
}

/**
 * The row that a page goes on from was there, and so was the block that its walk is of: an older ledger might lack some of
 * the rows that follow, or that block.
 */
export const minBlocksOf = (
  { page: { after, before }, points }: { readonly page: PageRequest<unknown>; readonly points: MinBlocks | undefined },
  place: OfBlocks,
  parameters: OfBlocks,
): MinBlocks => {
  const key = (after ?? before) as OfBlocks | undefined
  if (key === undefined) return noMinBlocks
  if (points !== undefined) return pointsOfChains(points, place.chains ?? [])
  if (key.pins !== undefined) {
    const pins: MinBlocks = new Map(key.pins.map(({ chainId, blockNumber }) => [chainId, blockNumber]))
    return place.chains === undefined ? pins : pointsOfChains(pins, place.chains)
  }
  const chainId = key.chainId ?? place.chainId
  const blockNumber = key.blockNumber ?? parameters.blockNumber
  return chainId === undefined || blockNumber === undefined ? noMinBlocks : new Map([[chainId, blockNumber]])
}
