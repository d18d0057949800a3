/** Sides in the order of pairs and blocks become rows: each pair's newest version, and the ones before it. */
import { addInto, isPositive, loadBigInt, storeBigInt } from "../balances/int128.ts"
import { CopyRows } from "../wire/copy.ts"
import type { Cursor } from "./merge.ts"
import { blockAt } from "./runs.ts"
import { comparePairs, pairWords, side } from "./sides.ts"

/** What a token has come to, as far as its pairs are folded. */
export interface TokenCount {
  readonly token: number
  /** Since the last that was told. */
  readonly holders: number
  readonly holderSeq: number
}

export class PairFold {
  readonly balances = new CopyRows(5)
  readonly history = new CopyRows(4)
  readonly counts: Array<TokenCount> = []
  /** Pair, and its balance while that fits. */
  private readonly pair = new Int32Array(pairWords)
  private readonly balance = new Int32Array(4)
  private wide: bigint | undefined
  private block = -1
  private holderNo = 0
  private holders = 0

  /** `token`, `holderSeq`: where an earlier fold ended. Holders are numbered from 2 on. */
  constructor(
    private token = 0,
    private holderSeq = 1,
  ) {}

  /** Whether the cursor's next side is of another pair than the one that is open. */
  isOther({ words, at }: Cursor): boolean {
    return this.block < 0 || comparePairs(this.pair, 0, words, at) !== 0
  }

  /** Ends the open pair, if any, and opens the one of the cursor's next side. */
  begin({ words, at }: Cursor): void {
    this.end()
    for (let word = 0; word < pairWords; word++) this.pair[word] = words[at + word]!
    const token = (words[at]! >>> 0) >>> 1
    if (token !== this.token) {
      this.count()
      this.token = token
      this.holderSeq = 1
    }
    this.holderNo = (words[at]! & 1) === 1 ? ++this.holderSeq : words[at + 1]!
    this.block = blockAt(words, at)
    this.balance.fill(0)
    this.wide = undefined
  }

  /** Adds the cursor's next side, which is of the open pair. */
  add({ words, at, wide }: Cursor): void {
    const block = blockAt(words, at)
    if (block !== this.block) {
      const { history } = this
      history.row()
      history.int4(this.token)
      history.int4(this.holderNo)
      history.int4(this.block)
      this.writeBalance(history)
      this.block = block
    }
    const isNarrow = words[at + side.block]! >= 0
    if (isNarrow && this.wide === undefined && addInto(this.balance, 0, words, at + side.amount, false)) return
    const amount = isNarrow ? loadBigInt(words, at + side.amount) : wide[words[at + side.amount]!]!
    const sum = (this.wide ?? loadBigInt(this.balance, 0)) + amount
    this.wide = storeBigInt(this.balance, 0, sum) ? undefined : sum
  }

  /** Ends the open pair: its newest version is a row. */
  end(): void {
    if (this.block < 0) return
    const { balances, pair } = this
    const isAddress = (pair[0]! & 1) === 1
    balances.row()
    balances.int4(this.token)
    if (isAddress) balances.byteaOfWords(pair, 1, 5)
    else balances.zeros(pair[1] === 0 ? 0 : 1)
    balances.int4(this.holderNo)
    balances.int4(this.block)
    this.writeBalance(balances)
    if (isAddress && (this.wide === undefined ? isPositive(this.balance, 0) : this.wide > 0n)) this.holders++
    this.block = -1
  }

  /** What the token has come to is told; the same token may go on. Gives where the fold stands. */
  count(): { readonly token: number; readonly holderSeq: number } {
    const { token, holders, holderSeq } = this
    if (token > 0) this.counts.push({ token, holders, holderSeq })
    this.holders = 0
    return { token, holderSeq }
  }

  private writeBalance(rows: CopyRows): void {
    if (this.wide === undefined) rows.numeric(this.balance, 0)
    else rows.bigNumeric(this.wide)
  }
}
