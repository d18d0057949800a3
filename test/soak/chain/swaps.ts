/** Which swaps a chain has: its pools' logs read by the shapes of their events, in the plainest way. */
import type { RawLog } from "../../support/judge/trueLogs.ts"
import { gainsOf, wordsOf } from "../../support/judge/trueSwaps.ts"
import type { SoakBlock } from "./chain.ts"
import { honestPool, manager, sayingOf } from "./scene.ts"

export interface SoakSwap {
  readonly blockNumber: number
  readonly logIndex: number
  readonly time: number
  readonly txHash: string
  readonly tokenIn: string
  readonly tokenOut: string
  readonly paid: bigint
  readonly got: bigint
  readonly factory: string | undefined
}

interface Pool {
  readonly tokens: readonly [string, string]
  readonly factory: string | undefined
}

const v4 = "0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f"
const initialize = "0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438"

const addressIn = (topic: string) => `0x${topic.slice(26)}`

/** The manager tells the trader's change, not the pool's. */
const changesOf = (log: RawLog): readonly [bigint, bigint] | undefined => {
  const { address, topics, data } = log
  if (topics[0] !== v4) return gainsOf(log)
  if (address !== manager || topics.length !== 3 || data.length !== 2 + 64 * 6) return undefined
  const [first, second] = wordsOf(data)
  return [-BigInt.asIntN(256, first!), -BigInt.asIntN(256, second!)]
}

/** Ascending. A pool of the manager begins where it is initialized first; swaps before that are of no pool. */
export const swapsOf = (branch: ReadonlyArray<SoakBlock>): ReadonlyArray<SoakSwap> => {
  const managed = new Map<string, Pool>()
  const swaps: Array<SoakSwap> = []
  for (const { logs, number, time } of branch) {
    for (const log of logs) {
      const [topic, id, token0, token1] = log.topics
      if (log.address === manager && topic === initialize && !managed.has(id!))
        managed.set(id!, { tokens: [addressIn(token0!), addressIn(token1!)], factory: manager })
    }
    for (const log of logs) {
      const gains = changesOf(log)
      if (gains === undefined || gains[0] * gains[1] >= 0n) continue
      const pool = log.topics[0] === v4 ? managed.get(log.topics[1]!) : honestPool(log.address)
      if (pool === undefined) continue
      const [into, out] = gains[0] > 0n ? [0, 1] : [1, 0]
      swaps.push({
        blockNumber: number,
        logIndex: Number(log.logIndex),
        time,
        txHash: log.transactionHash,
        tokenIn: pool.tokens[into]!,
        tokenOut: pool.tokens[out]!,
        paid: gains[into]!,
        got: -gains[out]!,
        factory: pool.factory,
      })
    }
  }
  return swaps
}

/** Decimals that a token does not tell are 0; the native currency has 18. */
export const decimalsOf = (token: string): number => (BigInt(token) === 0n ? 18 : (sayingOf(token).decimals ?? 0))

/** tokenOut per tokenIn in whole units; what is too large for a double is the largest. */
export const priceOf = ({ tokenIn, tokenOut, paid, got }: SoakSwap): number => {
  // So many that a quotient halfway between two doubles is told to its last digit.
  const digits = 400
  const price = Number(`${(got * 10n ** BigInt(digits)) / paid}e${decimalsOf(tokenIn) - decimalsOf(tokenOut) - digits}`)
  return Math.min(price, Number.MAX_VALUE)
}
