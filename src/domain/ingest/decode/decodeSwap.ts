/** Logs of pools → swaps: what the trader paid and got, by the shape of the event. Pure; guesses nothing. */
import type { Log } from "../../../model/block.ts"
import type { SwapSides, TokenEvent } from "../../../model/event.ts"
import { managedPool, type PoolKey } from "../../../model/poolKey.ts"
import type { Address } from "../../../model/primitives.ts"
import { addressAt, isAddressTopic, isWord, signedAt, wordAt, wordCount } from "./abi.ts"
import { swapTopics } from "./topics.ts"

const malformed: TokenEvent = { kind: "malformed" }

/** Undefined for a log that is no pool's. */
export const decodeSwap = (log: Log, poolManagers: ReadonlySet<Address>): TokenEvent | undefined => {
  switch (log.topics[0]) {
    case swapTopics.v2:
    case swapTopics.solidly:
      return wholeSwap(log, 4) ? swapOf(log.address, netOf(log.data)) : malformed
    case swapTopics.v3:
      return wholeSwap(log, 5) ? swapOf(log.address, gainsOf(log.data)) : malformed
    case swapTopics.pancakeV3:
      return wholeSwap(log, 7) ? swapOf(log.address, gainsOf(log.data)) : malformed
    case swapTopics.v4:
      return poolManagers.has(log.address) ? decodeV4(log) : undefined
    case swapTopics.v4Initialize:
      return poolManagers.has(log.address) ? decodeInitialize(log) : undefined
    default:
      return undefined
  }
}

/** Two addresses in topics, so many words of data. */
const wholeSwap = ({ topics: [, first, second], topics: { length }, data }: Log, words: number): boolean =>
  length === 3 && isAddressTopic(first!) && isAddressTopic(second!) && wordCount(data) === words

/** What the pool gained of token0 and token1 (negative = gave), of V2's amounts in and out. */
const netOf = (data: string): Gains => ({
  gain0: wordAt(data, 0) - wordAt(data, 64),
  gain1: wordAt(data, 32) - wordAt(data, 96),
})

const gainsOf = (data: string): Gains => ({ gain0: signedAt(data, 0), gain1: signedAt(data, 32) })

interface Gains {
  readonly gain0: bigint
  readonly gain1: bigint
}

/** A pool that does not gain one and give the other (dust, loans repaid in kind) has swapped nothing. */
const swapOf = (pool: PoolKey, gains: Gains): TokenEvent => {
  const sides = sidesOf(gains)
  return sides === undefined ? malformed : { kind: "swap", pool, ...sides }
}

const sidesOf = ({ gain0, gain1 }: Gains): SwapSides | undefined => {
  if (gain0 > 0n && gain1 < 0n) return { paid0: true, paid: gain0, got: -gain1 }
  if (gain1 > 0n && gain0 < 0n) return { paid0: false, paid: gain1, got: -gain0 }
  return undefined
}

/** V4 tells the trader's change, not the pool's: what is negative was paid. */
const decodeV4 = ({ address, topics: [, id, sender], topics: { length }, data }: Log): TokenEvent => {
  if (length !== 3 || !isWord(id!) || !isAddressTopic(sender!) || wordCount(data) !== 6) return malformed
  return swapOf(managedPool(address, id!), { gain0: -signedAt(data, 0), gain1: -signedAt(data, 32) })
}

const decodeInitialize = ({ address, topics: [, id, first, second], topics: { length }, data }: Log): TokenEvent => {
  const [token0, token1] = [addressAt(first), addressAt(second)]
  const isWhole = length === 4 && isWord(id!) && wordCount(data) === 5
  if (!isWhole || token0 === undefined || token1 === undefined) return malformed
  return { kind: "poolInitialized", pool: managedPool(address, id!), token0, token1 }
}
