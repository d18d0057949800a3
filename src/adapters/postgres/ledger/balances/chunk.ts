/** A run of movements within a segment, made ready for the fold: pairs by index, amounts as words. */
import { creditOf } from "../../../../domain/ingest/decode/ledgerRules.ts"
import type { Account } from "../../../../model/event.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { Change } from "../ids/change.ts"
import type { Token } from "../ids/tokens.ts"
import { storeBigInt } from "./int128.ts"
import type { Pairs } from "./pairs.ts"

export interface Chunk<M extends Change = Change> {
  readonly movements: ReadonlyArray<M>
  readonly tokens: ReadonlyArray<Token>
  /** Their ids. */
  readonly ids: Int32Array
  readonly debits: Int32Array
  readonly credits: Int32Array
  /** Four words an amount; meaningless where not `narrow`. */
  readonly amounts: Int32Array
  /** 1 where the amount fits in 127 bits. */
  readonly narrow: Uint8Array
  /** Pairs that only the database knows. */
  readonly unknown: ReadonlyArray<number>
  /** The token of each unknown pair. */
  readonly unknownTokens: ReadonlyArray<Token>
}

/** Adds the chunk's pairs to the cache. Those of a token born in this append are new; the others must be looked up. */
export const prepareChunk = <M extends Change>(
  pairs: Pairs,
  known: ReadonlyMap<Address, Token>,
  movements: ReadonlyArray<M>,
): Chunk<M> => {
  const count = movements.length
  const tokens = new Array<Token>(count)
  const ids = new Int32Array(count)
  const debits = new Int32Array(count)
  const credits = new Int32Array(count)
  const amounts = new Int32Array(count * 4)
  const narrow = new Uint8Array(count)
  const unknown: Array<number> = []
  const unknownTokens: Array<Token> = []
  const pairOf = (token: Token, account: Account): number => {
    const before = pairs.count
    const index = pairs.indexOf(token.id, account)
    if (pairs.count === before) return index
    if (token.born === undefined) {
      unknown.push(index)
      unknownTokens.push(token)
    } else {
      setNew(pairs, index, token)
    }
    return index
  }
  for (let place = 0; place < count; place++) {
    const movement = movements[place]!
    const token = known.get(movement.token)!
    tokens[place] = token
    ids[place] = token.id
    debits[place] = pairOf(token, movement.debit)
    credits[place] = pairOf(token, creditOf(token.sentToZero, movement))
    if (storeBigInt(amounts, place * 4, movement.amount)) narrow[place] = 1
  }
  return { movements, tokens, ids, debits, credits, amounts, narrow, unknown, unknownTokens }
}

/** A pair the ledger never saw: its number is the token's next. The reserved two have theirs: mint account 0, burn account 1. */
export const setNew = (pairs: Pairs, index: number, token: Token): void => {
  pairs.setNew(index, pairs.isReserved(index) ? pairs.reservedNo(index) : ++token.holderSeq)
}
