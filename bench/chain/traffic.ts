/** What happens in a block: transfers of Zipf-distributed tokens and holders, and everything odd that real chains have between them. */
import { topics as signatures } from "../../src/domain/ingest/decode/topics.ts"
import { bitsOf } from "./bloom.ts"
import type { Collections } from "./collections.ts"
import { ascii, wordOf } from "./hex.ts"
import { type Population, type Token, zero } from "./population.ts"
import type { Random } from "./random.ts"
import type { LogShape } from "./renderer.ts"

/** Takes each log with the bloom bits of its address and topics. `listed`: a log of a token, as readers of tokens ask for. */
export type Emit = (shape: LogShape, bits: ReadonlyArray<Uint16Array>, listed: boolean) => void

/** Told of all that a block changes, so that it can be undone: of a token beforehand, of a pair by how much. */
export interface Watch {
  readonly token: (token: number) => void
  readonly pair: (pair: number, change: bigint) => void
}

interface Signature {
  readonly digits: Uint8Array
  readonly bits: Uint16Array
}

const signatureOf = (hash: string): Signature => ({
  digits: ascii(hash.slice(2)),
  bits: bitsOf(Buffer.from(hash.slice(2), "hex")),
})
const transfer = signatureOf(signatures.transfer)
const single = signatureOf(signatures.transferSingle)
const batch = signatureOf(signatures.transferBatch)
const deposit = signatureOf(signatures.deposit)
const withdrawal = signatureOf(signatures.withdrawal)
/** Approval(address,address,uint256) */
const approval = signatureOf("0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925")

const newToken = 0.004
const steepTokens = 1
const steepHolders = 0.85

export class Traffic {
  private readonly numbers = new Map<number, Signature>()

  constructor(
    private readonly random: Random,
    private readonly population: Population,
    private readonly collections: Collections,
    /** Collectible logs a step. */
    private readonly nfts: number,
    private readonly emit: Emit,
    private readonly watch: Watch,
  ) {}

  /** One ERC-20 transfer, and now and then something else before it. */
  step(): void {
    const { random } = this
    const chance = random.unit()
    const rest = chance - this.nfts
    if (chance < 0.1) this.approve()
    else if (chance < 0.1 + (this.nfts * 2) / 3) this.collectible()
    else if (rest < 0.1) this.items()
    else if (rest < 0.11) this.wrap()
    else if (rest < 0.112) this.oddity()
    this.transfer()
  }

  private transfer(): void {
    const { random, population } = this
    const born = random.chance(newToken)
    const id = born ? population.addToken() : random.zipf(population.tokens.length, steepTokens)
    const chance = random.unit()
    const sender = chance < 0.02 ? undefined : this.sender(id)
    if (sender === undefined) {
      this.mint(id)
      return
    }
    const balance = population.balances.at(sender)
    const from = population.pairAccount.at(sender)
    const to = chance < 0.03 ? zero : chance < 0.035 ? from : this.receiver(id)
    this.move(id, from, to, chance >= 0.035 && chance < 0.04 ? 0n : this.partOf(balance))
  }

  private mint(id: number): void {
    const { random } = this
    const amount = random.bigint(this.population.tokens[id]!.scale) + 1n
    this.move(id, zero, random.chance(0.01) ? zero : this.receiver(id), amount)
  }

  /** Changes the truth by the ledger's rules, and emits the log. */
  private move(id: number, from: number, to: number, amount: bigint): void {
    const { population } = this
    const token = population.tokens[id]!
    this.watch.token(id)
    token.transfers++
    const mint = from === zero
    const burn = !mint && to === zero && !token.wrapsNative
    if (mint) token.supply += amount
    else this.change(id, from, -amount)
    if (burn) token.supply -= amount
    else this.change(id, to, amount)
    token.events++
    this.say(token, transfer, [from, to], wordOf(amount))
  }

  private change(token: number, account: number, amount: bigint): void {
    const { population } = this
    const pair = population.pairOf(token, account)
    population.balances.add(pair, amount)
    population.touches.add(pair, 1)
    this.watch.pair(pair, amount)
  }

  /** A pair with something to send. */
  private sender(id: number): number | undefined {
    const { pairs } = this.population.tokens[id]!
    for (let attempt = 0; attempt < 4 && pairs.length > 0; attempt++) {
      const pair = pairs[this.random.zipf(pairs.length, steepHolders)]!
      if (this.population.balances.at(pair) > 0n) return pair
    }
    return undefined
  }

  private receiver(id: number): number {
    const { random, population } = this
    const { pairs } = population.tokens[id]!
    const chance = random.unit()
    if (chance < 0.15 || population.accounts < 10) return population.addAccount()
    if (chance < 0.4 || pairs.length === 0) return 1 + random.zipf(population.accounts - 1, steepHolders)
    return population.pairAccount.at(pairs[random.zipf(pairs.length, steepHolders)]!)
  }

  /** All of it now and then, else some of it. */
  private partOf(balance: bigint): bigint {
    const { random } = this
    return random.chance(0.1) ? balance : (balance * BigInt(random.word() >>> 12)) >> 22n
  }

  private wrap(): void {
    const { random, population } = this
    // Of a contract that is no wrapped native now and then: there it counts for nothing.
    const id = random.chance(0.9) ? 0 : random.below(population.tokens.length)
    const token = population.tokens[id]!
    const holder = random.chance(0.5) ? this.sender(id) : undefined
    const account = holder === undefined ? this.receiver(id) : population.pairAccount.at(holder)
    const amount = holder === undefined ? random.bigint(70) : this.partOf(population.balances.at(holder))
    if (token.wrapsNative) {
      this.watch.token(id)
      token.events++
      token.supply += holder === undefined ? amount : -amount
      this.change(id, account, holder === undefined ? amount : -amount)
    }
    this.say(token, holder === undefined ? deposit : withdrawal, [account], wordOf(amount))
  }

  private approve(): void {
    const { random, population } = this
    const token = population.tokens[random.zipf(population.tokens.length, steepTokens)]!
    this.say(token, approval, [this.anyone(), this.anyone()], wordOf(random.bigint(200)), [], false)
  }

  private collectible(): void {
    const id = this.random.below(1000)
    const token = this.collection()
    const [from, to] = [this.anyone(), this.anyone()]
    this.collections.moveId(token, to, id)
    this.say(this.population.tokens[token]!, transfer, [from, to], "", [this.number(id)])
  }

  private items(): void {
    const accounts = [this.anyone(), this.anyone(), this.anyone()] as const
    const number = this.random.below(1000)
    const [id, amount] = [wordOf(BigInt(number)), wordOf(1n)]
    const list = (value: string) => wordOf(2n) + value + value
    const isSingle = this.random.chance(0.7)
    const token = this.collection()
    this.collections.moveUnits(token, accounts[1], accounts[2], isSingle ? [number] : [number, number])
    const at = this.population.tokens[token]!
    if (isSingle) this.say(at, single, accounts, id + amount)
    else this.say(at, batch, accounts, wordOf(64n) + wordOf(160n) + list(id) + list(amount))
  }

  /** Transfers of shapes that no standard has. */
  private oddity(): void {
    const shape = this.random.below(3)
    const words = wordOf(this.random.bigint(256))
    const token = this.population.tokens[this.collection()]!
    if (shape === 0) this.say(token, transfer, [], words + words + words)
    else if (shape === 1) this.say(token, transfer, [this.anyone(), this.anyone()], words + words)
    else this.say(token, transfer, [this.anyone()], words, [this.number(this.random.below(1000) + 2000, true)])
  }

  private anyone(): number {
    return this.random.zipf(this.population.accounts, steepHolders)
  }

  /** One of the oldest contracts but the first, in a second life as a collection. */
  private collection(): number {
    return 1 + this.random.below(20)
  }

  /** A number as a topic; `dirty`: with its upper bytes set, so that it is no address. */
  private number(value: number, dirty = false): Signature {
    let known = this.numbers.get(value)
    if (known === undefined) {
      known = signatureOf(`0x${dirty ? "f" : "0"}${wordOf(BigInt(value)).slice(1)}`)
      this.numbers.set(value, known)
    }
    return known
  }

  private say(
    token: Token,
    signature: Signature,
    accounts: ReadonlyArray<number>,
    data: string,
    numbers: ReadonlyArray<Signature> = [],
    listed = true,
  ): void {
    const { population } = this
    this.emit(
      {
        address: token.hex,
        topics: [
          signature.digits,
          ...accounts.map((account) => population.hexOfAccount(account)),
          ...numbers.map(({ digits }) => digits),
        ],
        data,
      },
      [
        token.bloomBits,
        signature.bits,
        ...accounts.map((account) => population.accountBits.subarray(account * 3, account * 3 + 3)),
        ...numbers.map(({ bits }) => bits),
      ],
      listed,
    )
  }
}
