/** The pair cache: the newest version of (token, account) pairs, flat in one Int32Array, 14 words a pair. */
import type { Account } from "../../../../model/event.ts"
import { accountHexOf, hashOfKey, isKeyAt, key, setKey } from "../ids/pairKey.ts"
import { addInto, isPositive, loadBigInt, storeBigInt } from "./int128.ts"
import { field, flag, grown, slotsFor, width } from "./pairWords.ts"

export { field, flag, pairsIn } from "./pairWords.ts"

/** Pairs are named by their index, which holds until `evict` or `clear`. */
export class Pairs {
  words = new Int32Array(0)
  count = 0
  private slots = new Int32Array(0)
  private wide = new Map<number, bigint>()

  constructor() {
    this.clear()
  }

  clear(): void {
    this.count = 0
    this.wide = new Map()
    this.words = new Int32Array(1024 * width)
    this.slots = new Int32Array(2048)
  }

  /** The pair's index; a pair not here yet is added with flags `unknown`. */
  indexOf(token: number, account: Account): number {
    setKey(token, account)
    const { words } = this
    const mask = this.slots.length - 1
    let slot = hashOfKey() & mask
    for (;;) {
      const index = this.slots[slot]! - 1
      if (index < 0) return this.add(slot)
      if (isKeyAt(words, index * width)) return index
      slot = (slot + 1) & mask
    }
  }

  get(index: number, name: keyof typeof field): number {
    return this.words[index * width + field[name]]!
  }

  set(index: number, name: keyof typeof field, value: number): void {
    this.words[index * width + field[name]] = value
  }

  /** Offset of the pair's first word. */
  at(index: number): number {
    return index * width
  }

  hasFlag(index: number, bit: number): boolean {
    return (this.words[index * width + field.flags]! & bit) !== 0
  }

  isReserved(index: number): boolean {
    return this.words[index * width]! < 0
  }

  /** holder_no of a reserved account: mint account 0, burn account 1. */
  reservedNo(index: number): number {
    return this.words[index * width + 5]!
  }

  /** A pair that has no version yet: block −1. */
  setNew(index: number, holderNo: number): void {
    this.set(index, "holderNo", holderNo)
    this.set(index, "block", -1)
    this.set(index, "flags", 0)
  }

  /** Fills a pair with its stored version. */
  setStored(index: number, holderNo: number, block: number, balance: bigint): void {
    this.set(index, "holderNo", holderNo)
    this.set(index, "block", block)
    this.set(index, "flags", flag.stored)
    this.setBalance(index, balance)
  }

  /** balance ± amount; `amountWords` at `from` is the amount where it fits in 127 bits (`narrow`). */
  change(
    index: number,
    amountWords: Int32Array,
    from: number,
    narrow: boolean,
    amount: bigint,
    negative: boolean,
  ): void {
    const at = index * width + field.balance
    if (narrow && !this.hasFlag(index, flag.wide) && addInto(this.words, at, amountWords, from, negative)) return
    this.setBalance(index, this.balanceOf(index) + (negative ? -amount : amount))
  }

  balanceOf(index: number): bigint {
    return this.hasFlag(index, flag.wide)
      ? this.wide.get(index)!
      : loadBigInt(this.words, index * width + field.balance)
  }

  isPositive(index: number): boolean {
    return this.hasFlag(index, flag.wide)
      ? this.wide.get(index)! > 0n
      : isPositive(this.words, index * width + field.balance)
  }

  /** The account's bytes in hex, without `0x`. */
  accountHex(index: number): string {
    return accountHexOf(this.words, index * width)
  }

  /** So many that the next commit will evict some of them. */
  isFull(maxPairs: number): boolean {
    return this.count > maxPairs * 0.75
  }

  /**
   * After a commit: above three quarters of `maxPairs`, keeps only the pairs that the newest segments touched, up to
   * half. In place: a second copy of a large cache would be the process's largest piece of memory.
   */
  evict(maxPairs: number): void {
    if (!this.isFull(maxPairs)) return
    const oldest = this.segmentOfNewest(Math.floor(maxPairs / 2))
    const { words, wide, count } = this
    this.wide = new Map()
    let kept = 0
    for (let index = 0; index < count; index++) {
      const at = index * width
      if (words[at + field.segment]! <= oldest) continue
      if (kept < index) words.copyWithin(kept * width, at, at + width)
      const balance = wide.get(index)
      if (balance !== undefined) this.wide.set(kept, balance)
      kept++
    }
    this.count = kept
    if (words.length > kept * width * 4) this.words = words.slice(0, Math.max(kept * 2, 1024) * width)
    this.slotPairs(this.slots.length > kept * 8 ? slotsFor(kept) : this.slots.length)
  }

  /** The segment up to which pairs go, for at most `most` of them to stay. */
  private segmentOfNewest(most: number): number {
    const segments = new Int32Array(this.count)
    for (let index = 0; index < this.count; index++) segments[index] = this.get(index, "segment")
    return segments.sort()[this.count - 1 - most] ?? -1
  }

  private setBalance(index: number, balance: bigint): void {
    const at = index * width
    if (storeBigInt(this.words, at + field.balance, balance)) {
      this.words[at + field.flags]! &= ~flag.wide
      this.wide.delete(index)
    } else {
      this.words[at + field.flags]! |= flag.wide
      this.wide.set(index, balance)
    }
  }

  private add(slot: number): number {
    const index = this.count++
    if (this.count * width > this.words.length) this.words = grown(this.words)
    this.words.fill(0, index * width, (index + 1) * width)
    this.words.set(key, index * width)
    this.words[index * width + field.flags] = flag.unknown
    this.slots[slot] = index + 1
    if (this.count * 2 > this.slots.length) this.slotPairs(this.slots.length * 2)
    return index
  }

  private slotPairs(length: number): void {
    if (length === this.slots.length) this.slots.fill(0)
    else this.slots = new Int32Array(length)
    for (let index = 0; index < this.count; index++) {
      key.set(this.words.subarray(index * width, index * width + 6))
      this.slots[this.freeSlot()] = index + 1
    }
  }

  private freeSlot(): number {
    const mask = this.slots.length - 1
    let slot = hashOfKey() & mask
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask
    return slot
  }
}
