/** Ids of tokens by standard and address, flat in one Int32Array of 28 bytes a token: a load meets hundreds of thousands again. */
import type { Address } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import { standardNumbers } from "../../database/chainSql.ts"
import { hashOfKey, isKeyAt, key, setKey } from "../ids/pairKey.ts"

/** Six words of key, and the id. */
const width = 7

export class TokenIds {
  private words = new Int32Array(1024 * width)
  private slots = new Int32Array(2048)
  private count = 0

  /** `most`: so many are remembered, the first ones. */
  constructor(private readonly most: number) {}

  /** Gives the memory back too. */
  clear(): void {
    this.count = 0
    this.words = new Int32Array(1024 * width)
    this.slots = new Int32Array(2048)
  }

  get(standard: Standard, address: Address): number | undefined {
    if (this.count === 0) return undefined
    setKey(standardNumbers[standard], address)
    const index = this.slots[this.slotOfKey()]! - 1
    return index < 0 ? undefined : this.words[index * width + 6]
  }

  /** Of a token that is committed. */
  remember(standard: Standard, address: Address, id: number): void {
    if (this.count === this.most) return
    setKey(standardNumbers[standard], address)
    const slot = this.slotOfKey()
    if (this.slots[slot] !== 0) return
    if ((this.count + 1) * width > this.words.length) {
      const larger = new Int32Array(this.words.length * 2)
      larger.set(this.words)
      this.words = larger
    }
    this.words.set(key, this.count * width)
    this.words[this.count * width + 6] = id
    this.slots[slot] = ++this.count
    if (this.count * 2 > this.slots.length) this.growSlots()
  }

  /** Where the key is, or the free one where it would be. */
  private slotOfKey(): number {
    const { words, slots } = this
    const mask = slots.length - 1
    let slot = hashOfKey() & mask
    while (slots[slot] !== 0 && !isKeyAt(words, (slots[slot]! - 1) * width)) slot = (slot + 1) & mask
    return slot
  }

  private growSlots(): void {
    this.slots = new Int32Array(this.slots.length * 2)
    for (let index = 0; index < this.count; index++) {
      key.set(this.words.subarray(index * width, index * width + 6))
      this.slots[this.slotOfKey()] = index + 1
    }
  }
}
