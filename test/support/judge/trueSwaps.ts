/** What a raw log of a pool says, and the record of it, made in the plainest way: nothing here is shared with the service. */
import { callBatch } from "../../../demo/chain/rpc.ts"
import type { RawLog } from "./trueLogs.ts"

export interface TrueSwap {
  readonly pool: string
  readonly txHash: string
  /** Seconds. */
  readonly time: number
  /** What the pool gained of its two tokens; less than zero = gave. */
  readonly gains: readonly [bigint, bigint]
}

/** What a pool says of itself. */
export interface TruePool {
  readonly tokens: readonly [string, string]
  readonly decimals: readonly [number, number]
  readonly factory: string
}

const v2 = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822"
const solidly = "0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b"
const v3 = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"
const pancake = "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83"

/** Of pools that are contracts; none where the pool did not gain one and give the other. */
export const swapOf = (log: RawLog): TrueSwap | undefined => {
  const gains = gainsOf(log)
  if (gains === undefined || gains[0] * gains[1] >= 0n) return undefined
  return { pool: log.address.toLowerCase(), txHash: log.transactionHash, time: Number(log.blockTimestamp), gains }
}

/** What the pool gained of its two tokens, by the shape of the log; undefined where it has none of a swap's. */
export const gainsOf = ({ topics, data }: RawLog): TrueSwap["gains"] | undefined => {
  const shape = { [v2]: 4, [solidly]: 4, [v3]: 5, [pancake]: 7 }[topics[0] ?? ""]
  if (shape === undefined || topics.length !== 3 || data.length !== 2 + 64 * shape) return undefined
  const words = wordsOf(data)
  return shape === 4
    ? [words[0]! - words[2]!, words[1]! - words[3]!]
    : [BigInt.asIntN(256, words[0]!), BigInt.asIntN(256, words[1]!)]
}

export const wordsOf = (data: string): ReadonlyArray<bigint> =>
  (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))

/** Asks the pools of these swaps. */
export const askPools = async (url: string, swaps: ReadonlyArray<TrueSwap>): Promise<ReadonlyMap<string, TruePool>> => {
  const pools = [...new Set(swaps.map(({ pool }) => pool))]
  const ask = (to: string, data: string) => ({ method: "eth_call", params: [{ to, data }, "latest"] })
  const words = await callBatch<string>(
    url,
    pools.flatMap((pool) => [ask(pool, "0x0dfe1681"), ask(pool, "0xd21220a7"), ask(pool, "0xc45a0155")]),
  )
  const addresses = words.map((word) => `0x${word.slice(26)}`)
  const decimals = await callBatch<string>(
    url,
    addresses.map((token, index) => (index % 3 === 2 ? { method: "eth_chainId" } : ask(token, "0x313ce567"))),
  )
  return new Map(
    pools.map((pool, index) => {
      const [token0, token1, factory] = addresses.slice(3 * index) as [string, string, string]
      const places = decimals.slice(3 * index).map(Number) as [number, number]
      return [pool, { tokens: [token0, token1], decimals: [places[0], places[1]], factory }]
    }),
  )
}

export interface SwapRecord {
  readonly tokenIn: string
  readonly tokenOut: string
}

/** As the feed must have it, where no exchange has a name. */
export const swapRecord = (pools: ReadonlyMap<string, TruePool>, swap: TrueSwap): SwapRecord => {
  const { tokens, decimals, factory } = pools.get(swap.pool)!
  const [into, out] = swap.gains[0] > 0n ? [0, 1] : [1, 0]
  const [paid, got] = [swap.gains[into]!, -swap.gains[out]!]
  // Forty digits are far more than a double has.
  const digits = 40 + `${paid}`.length
  const price = Number(`${(got * 10n ** BigInt(digits)) / paid}e${decimals[into]! - decimals[out]! - digits}`)
  return {
    chainId: "31337",
    txHash: swap.txHash,
    timestamp: new Date(swap.time * 1000).toISOString(),
    price,
    tokenIn: tokens[into]!,
    tokenOut: tokens[out]!,
    tokenInQty: `${paid}`,
    tokenOutQty: `${got}`,
    tokenInDecimals: decimals[into]!,
    tokenOutDecimals: decimals[out]!,
    sourceDeployer: factory,
  } as SwapRecord
}
