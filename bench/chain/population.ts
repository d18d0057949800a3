/** Who is there: tokens, accounts, and what every account holds of every token. The truth that a ledger is checked against. */
import { zeroAddress } from "../../src/model/primitives.ts"
import { bitsOf, storeBits } from "./bloom.ts"
import { Amounts, doubled, Numbers } from "./flat.ts"
import { writeHex } from "./hex.ts"
import type { Random } from "./random.ts"

export interface Token {
  readonly address: Uint8Array
  /** 40 hex digits. */
  readonly hex: Uint8Array
  readonly bloomBits: Uint16Array
  readonly wrapsNative: boolean
  /** Amounts are below 2^`scale`. */
  readonly scale: number
  /** Pairs in order of birth. */
  readonly pairs: Array<number>
  supply: bigint
  /** On the chain as it is; a reorg takes some back. */
  transfers: number
  events: number
}

/** The account that mints come from: the zero address. */
export const zero = 0

export class Population {
  readonly tokens: Array<Token> = []
  accounts = 0
  /** 40 hex digits an account. */
  accountHex = new Uint8Array(40 * 1024)
  /** Bloom bits of each account as a topic, three an account. */
  accountBits = new Uint16Array(3 * 1024)
  /** Account of each pair, its balance, and how many events touch it. */
  readonly pairAccount = new Numbers()
  readonly balances = new Amounts()
  readonly touches = new Numbers()
  private readonly pairIndex = new PairIndex()

  constructor(private readonly random: Random) {
    this.addAccount(Buffer.from(zeroAddress.slice(2), "hex"))
  }

  addAccount(address: Uint8Array = this.random.fill(new Uint8Array(20))): number {
    const account = this.accounts++
    if (account * 40 === this.accountHex.length) {
      this.accountHex = doubled(this.accountHex)
      this.accountBits = doubled(this.accountBits)
    }
    writeHex(this.accountHex, account * 40, address)
    const topic = new Uint8Array(32)
    topic.set(address, 12)
    storeBits(this.accountBits, account * 3, topic)
    return account
  }

  addToken(wrapsNative = false): number {
    const { random } = this
    const address = random.fill(new Uint8Array(20))
    const hex = new Uint8Array(40)
    writeHex(hex, 0, address)
    // One in a hundred deals in numbers that no 128 bits hold.
    const scale = random.chance(0.01) ? 180 + random.below(60) : 20 + random.below(70)
    const bloomBits = bitsOf(address)
    this.tokens.push({ address, hex, bloomBits, wrapsNative, scale, pairs: [], supply: 0n, transfers: 0, events: 0 })
    return this.tokens.length - 1
  }

  /** The pair of a token and an account, born with its first question. */
  pairOf(token: number, account: number): number {
    const key = token * 4294967296 + account
    const known = this.pairIndex.get(key)
    if (known !== undefined) return known
    const pair = this.balances.length
    this.pairIndex.set(key, pair)
    this.pairAccount.push(account)
    this.balances.push(0n)
    this.touches.push(0)
    if (account !== zero) this.tokens[token]!.pairs.push(pair)
    return pair
  }

  findPair(token: number, account: number): number | undefined {
    return this.pairIndex.get(token * 4294967296 + account)
  }

  /** 40 hex digits. */
  hexOfAccount(account: number): Uint8Array {
    return this.accountHex.subarray(account * 40, account * 40 + 40)
  }
}

/** Numbers by numbers, in flat memory: a Map of tens of millions is too large for the runtime. */
class PairIndex {
  private keys = new Float64Array(2048).fill(-1)
  private values = new Int32Array(2048)
  private count = 0

  get(key: number): number | undefined {
    const slot = this.slotOf(key)
    return this.keys[slot] === key ? this.values[slot] : undefined
  }

  set(key: number, value: number): void {
    const slot = this.slotOf(key)
    if (this.keys[slot] !== key) this.count++
    this.keys[slot] = key
    this.values[slot] = value
    if (this.count * 2 > this.keys.length) this.grow()
  }

  private slotOf(key: number): number {
    const { keys } = this
    const mask = keys.length - 1
    let slot = (Math.imul(key % 4294967296, 0x9e3779b1) ^ Math.imul(Math.floor(key / 4294967296), 0x85ebca6b)) >>> 0
    slot = (slot ^ (slot >>> 15)) & mask
    while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & mask
    return slot
  }

  private grow(): void {
    const { keys, values } = this
    this.keys = new Float64Array(keys.length * 2).fill(-1)
    this.values = new Int32Array(keys.length * 2)
    keys.forEach((key, place) => {
      if (key < 0) return
      const slot = this.slotOf(key)
      this.keys[slot] = key
      this.values[slot] = values[place]!
    })
  }
}
