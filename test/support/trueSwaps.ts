/** What a raw log of a pool says, and the record of it, made in the plainest way: nothing here is shared with the service. */
import { callBatch } from "../../demo/chain/rpc.ts"
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
const v3 = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"

/** Of Uniswap V2 and V3; none where the pool did not gain one and give the other. */
export const swapOf = (log: RawLog): TrueSwap | undefined => {
  const words = (log.data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
  const gains = gainsOf(log.topics[0], words)
  if (gains === undefined || gains[0] * gains[1] >= 0n) return undefined
  return { pool: log.address.toLowerCase(), txHash: log.transactionHash, time: Number(log.blockTimestamp), gains }
}

const gainsOf = (signature: string | undefined, words: ReadonlyArray<bigint>): TrueSwap["gains"] | undefined => {
  if (signature === v2) return [words[0]! - words[2]!, words[1]! - words[3]!]
  if (signature === v3) return [BigInt.asIntN(256, words[0]!), BigInt.asIntN(256, words[1]!)]
  return undefined
}

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
