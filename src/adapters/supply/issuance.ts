/** What a halving issuance has made by a block. */

/** In the smallest unit. */
export interface Issuance {
  readonly premined: bigint
  /** For each block of the first interval; halved, rounded down, after every interval. */
  readonly reward: bigint
  /** Blocks. */
  readonly interval: number
  /** The first block with a reward. */
  readonly firstBlock: number
}

export const issuedBy = ({ premined, reward, interval, firstBlock }: Issuance, blockNumber: number): bigint => {
  let issued = premined
  let left = BigInt(Math.max(0, blockNumber - firstBlock + 1))
  for (let each = reward; each > 0n && left > 0n; each /= 2n) {
    const blocks = left < BigInt(interval) ? left : BigInt(interval)
    issued += each * blocks
    left -= blocks
  }
  return issued
}
