/** Tokens of a load by standard and address, flat in one Int32Array of 32 bytes a token: it meets hundreds of thousands again and again. */
import type { Address } from "../../../../model/primitives.ts"
import { type Standard, standards } from "../../../../model/token.ts"
import { standardNumbers } from "../../database/chainSql.ts"
import { hashOfKey, isKeyAt, key, setKey } from "./pairKey.ts"
import type { NewToken } from "./tokens.ts"

/** Six words of key, the id, and the transfers that are counted here. */
const width = 8
const idWord = 6
const transfersWord = 7

export class LoadedTokens {
  private words = new Int32Array(1024 * width)
  private slots = new Int32Array(2048)
  private count = 0
  /** Places of those with transfers that are counted here. */
  private readonly moved: Array<number> = []
  /** Transfers of the open append. */
  private appended = noTransfers()
  /** A token has so many transfers here that they are due to be stored. */
  isHigh = false
  /** Those that the open append brings into being. */
  readonly born: Array<NewToken> = []

  /**
   * `most`: where there are more behind an append, all are forgotten. `isComplete`: all transfers that are stored are counted
   * elsewhere. `mostTransfers`: of a token; an append may bring as many more before 32 bits are too few.
   */
  constructor(
    private readonly most: number,
    public isComplete: boolean,
    private readonly mostTransfers = 2 ** 30,
  ) {}

  /** So many have transfers that are counted here. */
  get movedCount(): number {
    return this.moved.length
  }

  get isCrowded(): boolean {
    return this.count > this.most
  }

  /** Gives the memory back too. What was counted here is lost. */
  clear(): void {
    this.isComplete = false
    this.isHigh = false
    this.count = 0
    this.appended = noTransfers()
    this.words = new Int32Array(1024 * width)
    this.slots = new Int32Array(2048)
    this.moved.length = 0
    this.born.length = 0
  }

  /** −1 = not known. A place is good until the append's end. */
  placeOf(standard: Standard, address: Address): number {
    setKey(standardNumbers[standard], address)
    return this.slots[this.slotOfKey()]! - 1
  }

  /** Of one that is not known; gives its place. */
  add(standard: Standard, address: Address, id: number): number {
    setKey(standardNumbers[standard], address)
    const slot = this.slotOfKey()
    const place = this.count++
    if (this.count * width > this.words.length) {
      const larger = new Int32Array(this.words.length * 2)
      larger.set(this.words)
      this.words = larger
    }
    this.words.set(key, place * width)
    this.words[place * width + idWord] = id
    this.words[place * width + transfersWord] = 0
    this.slots[slot] = place + 1
    if (this.count * 2 > this.slots.length) this.growSlots()
    return place
  }

  idAt(place: number): number {
    return this.words[place * width + idWord]!
  }

  countTransfer(place: number): void {
    this.appended[standardOfNumber[this.words[place * width]!]!]++
    const before = this.words[place * width + transfersWord]!++
    if (before === 0) this.moved.push(place)
    if (before + 1 >= this.mostTransfers) this.isHigh = true
  }

  /** Transfers by token, of all appends since they were stored. Good where `isComplete`. */
  transfers(): ReadonlyArray<{ readonly token: number; readonly transfers: number }> {
    return this.moved.map((place) => ({
      token: this.idAt(place),
      transfers: this.words[place * width + transfersWord]!,
    }))
  }

  /** Of the open append: how many tokens are new, and how many transfers there are, of each standard. */
  countsByStandard() {
    const tokens = noTransfers()
    for (const { standard } of this.born) tokens[standard]++
    return { tokens, transfers: this.appended }
  }

  /** The append is committed. `isCounted`: so is what was counted here. */
  settle(isCounted: boolean): void {
    this.born.length = 0
    this.appended = noTransfers()
    if (this.isCrowded && (isCounted || !this.isComplete)) this.clear()
    if (!isCounted) return
    for (const place of this.moved) this.words[place * width + transfersWord] = 0
    this.moved.length = 0
    this.isHigh = false
    this.isComplete = true
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
    for (let place = 0; place < this.count; place++) {
      key.set(this.words.subarray(place * width, place * width + 6))
      this.slots[this.slotOfKey()] = place + 1
    }
  }
}

const noTransfers = () => ({ erc20: 0, erc721: 0, erc1155: 0 })

const standardOfNumber: Readonly<Record<number, Standard>> = Object.fromEntries(
  standards.map((standard) => [standardNumbers[standard], standard]),
)
