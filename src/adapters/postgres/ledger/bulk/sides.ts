/** The two sides of each movement, flat in memory: which pair, which block, by how much. What a run is made of. */
import type { Account } from "../../../../model/event.ts"
import { addInto, loadBigInt, storeBigInt } from "../balances/int128.ts"
import { key, setKey } from "../ids/pairKey.ts"

/**
 * Words of a side: its pair (token, then five of the address, all unsigned), the block, the amount. The first word is twice
 * the token_id, and one more where the account is an address; of a reserved account the second word is its holder_no.
 */
export const side = { pair: 0, block: 6, amount: 7 } as const
export const sideWords = 11
export const pairWords = 6
/** In the block's word: the amount needs more than 128 bits, its first word is its place in the list of such. */
export const wideBit = 0x80000000 | 0

/** So many sides are a run, 44 bytes each in memory, and 24 to sort them. */
export const mostSides = 2 ** 19

/** Sides in the order in which they came: blocks ascend. */
export class Sides {
  words = new Int32Array(0)
  count = 0
  wide: Array<bigint> = []
  /** Where they are sorted. */
  room: readonly [Int32Array, Int32Array] = noRoom

  /** `most`: sides of a run, at most `mostSides`. */
  constructor(private readonly most = mostSides) {}

  /** Another movement's two have no room. */
  get isFull(): boolean {
    return this.count + 2 > this.most
  }

  clear(): void {
    this.count = 0
    this.wide = []
  }

  /** Gives the memory back too. */
  release(): void {
    this.clear()
    this.words = new Int32Array(0)
    this.room = noRoom
  }

  /** `amountWords` at `from` is the amount where it fits in 127 bits (`narrow`). `negative`: the account loses it. */
  add(
    token: number,
    account: Account,
    block: number,
    { words: amountWords, from, narrow, amount }: SideAmount,
    negative: boolean,
  ): void {
    const at = this.count++ * sideWords
    if (at + sideWords > this.words.length) this.grow()
    const { words } = this
    setKey(token, account)
    if (key[0]! < 0) {
      words[at] = token * 2
      words[at + 1] = key[5]!
      for (let word = 2; word < pairWords; word++) words[at + word] = 0
    } else {
      words[at] = token * 2 + 1
      for (let word = 1; word < pairWords; word++) words[at + word] = key[word]!
    }
    words[at + side.block] = block
    for (let word = side.amount as number; word < sideWords; word++) words[at + word] = 0
    if (narrow) addInto(words, at + side.amount, amountWords, from, negative)
    else this.setWide(at, negative ? -amount : amount)
  }

  /** Adds the side at `from` to the one at `to`: they are of one pair and block. */
  addTo(to: number, from: number): void {
    const { words } = this
    const isNarrow = words[to + side.block]! >= 0 && words[from + side.block]! >= 0
    if (isNarrow && addInto(words, to + side.amount, words, from + side.amount, false)) return
    this.setWide(to, this.amountAt(to) + this.amountAt(from))
  }

  /** The amount where it needs more than 128 bits. */
  wideAt(at: number): bigint | undefined {
    const { words, wide } = this
    return words[at + side.block]! < 0 ? wide[words[at + side.amount]!]! : undefined
  }

  private amountAt(at: number): bigint {
    return this.wideAt(at) ?? loadBigInt(this.words, at + side.amount)
  }

  private setWide(at: number, amount: bigint): void {
    const { words, wide } = this
    if (storeBigInt(words, at + side.amount, amount)) {
      words[at + side.block]! &= ~wideBit
      return
    }
    words[at + side.block]! |= wideBit
    words[at + side.amount] = wide.length
    wide.push(amount)
  }

  private grow(): void {
    const larger = new Int32Array(Math.min(mostSides * sideWords, Math.max(65_536 * sideWords, this.words.length * 2)))
    larger.set(this.words)
    this.words = larger
  }
}

const noRoom = [new Int32Array(0), new Int32Array(0)] as const

/** An amount as `int128.ts` has it, and as it is where it does not fit there. */
export interface SideAmount {
  readonly words: Int32Array
  readonly from: number
  readonly narrow: boolean
  readonly amount: bigint
}

/** Whether two sides are of one pair. */
export const samePair = (a: Int32Array, at: number, b: Int32Array, from: number): boolean =>
  a[at] === b[from] &&
  a[at + 1] === b[from + 1] &&
  a[at + 2] === b[from + 2] &&
  a[at + 3] === b[from + 3] &&
  a[at + 4] === b[from + 4] &&
  a[at + 5] === b[from + 5]

/** The order of pairs: of their words, each unsigned. From word `word` on. */
export const comparePairs = (a: Int32Array, at: number, b: Int32Array, from: number, word = 0): number => {
  for (; word < pairWords; word++) {
    const difference = (a[at + word]! >>> 0) - (b[from + word]! >>> 0)
    if (difference !== 0) return difference
  }
  return 0
}
