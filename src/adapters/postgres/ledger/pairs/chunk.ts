/** A run of movements within a segment, made ready for the fold: pairs by index, amounts as words. */
import { type Account, sink } from "../../../../model/event.ts"
import { type Address, zeroAddress } from "../../../../model/primitives.ts"
import type { Change } from "../ids/change.ts"
import type { Token } from "../ids/tokens.ts"
import { storeBigInt } from "./int128.ts"
import type { Pairs } from "./pairs.ts"

export interface Chunk<M extends Change = Change> {
  readonly movements: ReadonlyArray<M>
  readonly tokens: ReadonlyArray<Token>
  readonly losers: Int32Array
  readonly gainers: Int32Array
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
  const losers = new Int32Array(count)
  const gainers = new Int32Array(count)
  const amounts = new Int32Array(count * 4)
  const narrow = new Uint8Array(count)
  const unknown: Array<number> = []
  const unknownTokens: Array<Token> = []
  const pairOf = (token: Token, account: string): number => {
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
    losers[place] = pairOf(token, movement.loser)
    gainers[place] = pairOf(token, gainerOf(token, movement))
    if (storeBigInt(amounts, place * 4, movement.amount)) narrow[place] = 1
  }
  return { movements, tokens, losers, gainers, amounts, narrow, unknown, unknownTokens }
}

/** What is sent to the zero address of a token that burns nothing is the zero address's. */
const gainerOf = ({ keepsBurnt }: Token, { kind, gainer }: Change): Account =>
  keepsBurnt && kind === "transfer" && gainer === sink ? zeroAddress : gainer

/** A pair the ledger never saw: its number is the token's next. The reserved two have theirs: issuer 0, sink 1. */
export const setNew = (pairs: Pairs, index: number, token: Token): void => {
  pairs.setNew(index, pairs.isReserved(index) ? pairs.reservedNo(index) : ++token.holderSeq)
}
