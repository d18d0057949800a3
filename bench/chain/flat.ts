/** Lists of numbers and amounts that grow in flat memory: tens of millions of them are nothing for the collector of garbage to look at. */

/** The same values in an array of twice the length. */
export const doubled = <Flat extends Uint8Array | Uint16Array | Int32Array | BigUint64Array | BigInt64Array>(
  array: Flat,
): Flat => {
  const larger = new (array.constructor as new (length: number) => Flat)(array.length * 2)
  larger.set(array as never)
  return larger
}

/** Whole numbers of 32 bits. */
export class Numbers {
  private all = new Int32Array(1024)
  private length = 0

  push(value: number): void {
    if (this.length === this.all.length) this.all = doubled(this.all)
    this.all[this.length++] = value
  }

  at(place: number): number {
    return this.all[place]!
  }

  add(place: number, change: number): void {
    this.all[place]! += change
  }
}

/** In the high half of an amount that lies among the wide ones. */
const isWide = -(2n ** 63n)

/** Amounts of any size; those of 127 bits take 16 bytes each. */
export class Amounts {
  private low = new BigUint64Array(1024)
  private high = new BigInt64Array(1024)
  private readonly wide = new Map<number, bigint>()
  length = 0

  push(value: bigint): void {
    if (this.length === this.low.length) {
      this.low = doubled(this.low)
      this.high = doubled(this.high)
    }
    this.set(this.length++, value)
  }

  at(place: number): bigint {
    const high = this.high[place]!
    if (high === 0n) return this.low[place]!
    return high === isWide ? this.wide.get(place)! : (high << 64n) + this.low[place]!
  }

  add(place: number, change: bigint): void {
    this.set(place, this.at(place) + change)
  }

  private set(place: number, value: bigint): void {
    const high = value >> 64n
    if (high > isWide && high < -isWide) {
      this.high[place] = high
      this.low[place] = BigInt.asUintN(64, value)
      return
    }
    this.high[place] = isWide
    this.wide.set(place, value)
  }
}
