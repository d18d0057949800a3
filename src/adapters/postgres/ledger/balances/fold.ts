/** Folds movements into balances: each pair's newest version in the cache, superseded ones as history rows. */
import { CopyRows } from "../wire/copy.ts"
import type { Chunk } from "./chunk.ts"
import { writeBalance } from "./pairRows.ts"
import { flag, type Pairs } from "./pairs.ts"

/** What an open append gathers. */
export interface Folding {
  readonly pairs: Pairs
  /** Names the newest segment among those of this writer, ascending. */
  segment: number
  /** Pairs touched by the append. */
  readonly dirty: Array<number>
  readonly history: CopyRows
  readonly transfers: CopyRows
  readonly wraps: CopyRows
  readonly erc721: CopyRows
  readonly erc1155: CopyRows
  readonly unitHistory: CopyRows
  readonly swaps: CopyRows
  readonly approvals: CopyRows
  readonly oddLogs: CopyRows
}

export const newFolding = (pairs: Pairs): Folding => ({
  pairs,
  segment: 0,
  dirty: [],
  history: new CopyRows(4),
  transfers: new CopyRows(8),
  wraps: new CopyRows(8),
  erc721: new CopyRows(9),
  erc1155: new CopyRows(11),
  unitHistory: new CopyRows(4),
  swaps: new CopyRows(9),
  approvals: new CopyRows(11),
  oddLogs: new CopyRows(11),
})

/** Token by token, in log order within each: history rows come in the order of their key. */
export const foldChunk = (folding: Folding, chunk: Chunk): void => {
  const { pairs } = folding
  for (const place of byToken(chunk)) {
    const { blockNumber, amount, kind } = chunk.movements[place]!
    const token = chunk.tokens[place]!
    const debit = chunk.debits[place]!
    const credit = chunk.credits[place]!
    const narrow = chunk.narrow[place] === 1
    if (kind === "transfer") token.transfers++
    touch(folding, token.id, debit, blockNumber)
    touch(folding, token.id, credit, blockNumber)
    if (debit === credit) continue
    token.holders -= countOf(pairs, debit) + countOf(pairs, credit)
    pairs.change(debit, chunk.amounts, place * 4, narrow, amount, true)
    pairs.change(credit, chunk.amounts, place * 4, narrow, amount, false)
    token.holders += countOf(pairs, debit) + countOf(pairs, credit)
  }
}

/** 1 for a holder: an address with a balance above zero. */
const countOf = (pairs: Pairs, index: number): number => (pairs.isPositive(index) && !pairs.isReserved(index) ? 1 : 0)

/** The first touch in a block supersedes the version before, also where nothing will change. */
const touch = ({ pairs, history, dirty, segment }: Folding, tokenId: number, index: number, block: number): void => {
  const version = pairs.get(index, "block")
  if (version === block) return
  if (version >= 0) {
    history.row()
    history.int4(tokenId)
    history.int4(pairs.get(index, "holderNo"))
    history.int4(version)
    writeBalance(history, pairs, index)
  }
  pairs.set(index, "block", block)
  pairs.set(index, "segment", segment)
  if (pairs.hasFlag(index, flag.dirty)) return
  pairs.set(index, "flags", pairs.get(index, "flags") | flag.dirty)
  dirty.push(index)
}

const byToken = ({ tokens }: Chunk): Float64Array => {
  const places = tokens.length
  const order = new Float64Array(places)
  for (let place = 0; place < places; place++) order[place] = tokens[place]!.id * places + place
  order.sort()
  for (let at = 0; at < places; at++) order[at] = order[at]! % places
  return order
}
