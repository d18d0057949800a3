/** Times of blocks, blocks of times, and prices of hours, in memory. */
import type { MemoryChain, MemoryToken } from "./state.ts"

/** Blocks whose times the chain knows, ascending. */
export const knownTimes = (chain: MemoryChain): ReadonlyArray<{ readonly number: number; readonly time: number }> =>
  [
    ...chain.headers,
    ...[...chain.transfers, ...chain.wraps].map(({ blockNumber, time }) => ({ number: blockNumber, time })),
    ...chain.landmarks.map(({ number, time }) => ({ number, time })),
    ...(chain.head === undefined ? [] : [chain.head]),
  ].sort((a, b) => a.number - b.number)

/** The last block by a time, of those whose times the chain knows; -1 = there is none. */
export const blockAt = (chain: MemoryChain, time: number): number => {
  if (chain.head !== undefined && chain.head.time <= time) return chain.head.number
  return Math.max(-1, ...knownTimes(chain).flatMap((known) => (known.time <= time ? [known.number] : [])))
}

/** The hour of a block, or of the newest before it whose time is known. */
export const hourOf = (chain: MemoryChain, block: number): number =>
  Math.floor((knownTimes(chain).findLast(({ number }) => number <= block)?.time ?? 0) / 3600)

/** US dollars of a whole token at the beginning of an hour (absent = now; null = of none). */
export const priceAt = (token: MemoryToken | undefined, hour: number | null | undefined): bigint | undefined => {
  if (hour === undefined) return token?.price
  if (hour === null) return undefined
  const [newest] = [...(token?.pricePoints ?? [])].filter(([at]) => at <= hour).sort(([a], [b]) => b - a)
  return newest !== undefined && newest[1].untilHour >= hour ? newest[1].price : undefined
}
