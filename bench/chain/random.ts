/** Random numbers that a seed repeats, cheap enough for millions of logs. */

/** sfc32: small and fast, with no flaw that a chain of token transfers could show. */
export class Random {
  private a: number
  private b = 0x9e3779b9 | 0
  private c = 0x243f6a88
  private d = 1

  constructor(seed: number) {
    this.a = seed | 0
    for (let round = 0; round < 16; round++) this.word()
  }

  /** 0 to 2³²−1. */
  word(): number {
    const sum = (((this.a + this.b) | 0) + this.d) | 0
    this.d = (this.d + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (this.c << 21) | (this.c >>> 11)
    this.c = (this.c + sum) | 0
    return sum >>> 0
  }

  /** 0 to 1, 1 excluded. */
  unit(): number {
    return this.word() / 4294967296
  }

  /** 0 to `limit` − 1. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit)
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  /** A rank from 0 to `count` − 1; rank r comes about as often as 1 / (r + 1)^`steepness`. */
  zipf(count: number, steepness: number): number {
    const power = 1 - steepness
    const rank =
      Math.abs(power) < 1e-9
        ? Math.exp(this.unit() * Math.log(count + 1))
        : (((count + 1) ** power - 1) * this.unit() + 1) ** (1 / power)
    return Math.min(count - 1, Math.floor(rank) - 1)
  }

  /** From 0 to 2^`bits` − 1. */
  bigint(bits: number): bigint {
    let value = 0n
    for (let length = 0; length < bits; length += 32) value = (value << 32n) | BigInt(this.word())
    return BigInt.asUintN(bits, value)
  }

  /** Fills `target` with random bytes. */
  fill(target: Uint8Array): Uint8Array {
    for (let at = 0; at < target.length; at += 4) {
      const word = this.word()
      for (let byte = 0; byte < 4 && at + byte < target.length; byte++) target[at + byte] = word >>> (8 * byte)
    }
    return target
  }
}
