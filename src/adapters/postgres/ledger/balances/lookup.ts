/** Looks pairs up in the database, on a connection of its own: the chunk before is folded meanwhile. */
import { byteaArray, numberArray } from "../../database/arrays.ts"
import type { Change } from "../ids/change.ts"
import { joinByKey } from "../wire/byKey.ts"
import type { Session } from "../wire/session.ts"
import { type Chunk, setNew } from "./chunk.ts"
import { field, type Pairs } from "./pairs.ts"

/** One row a stored pair: place in the request, holder_no, block_number, balance; as text bytes. */
type Found = ReadonlyArray<readonly [Buffer, Buffer, Buffer, Buffer]>

/** A look-up on its way. */
export interface Lookup<M extends Change = Change> {
  readonly chunk: Chunk<M>
  /** Places in `chunk.unknown` in the order asked. */
  readonly order: Float64Array
  readonly answer: Promise<Found>
}

/**
 * Sends the chunk's look-up. It sees committed state only: enough, since no pair that the open transaction touched
 * leaves the cache.
 */
export const startLookup = <M extends Change>(
  session: Session,
  writer: Session,
  pairs: Pairs,
  chunk: Chunk<M>,
): Lookup<M> => {
  const order = sortedByHolder(pairs, chunk.unknown)
  if (order.length === 0) return { chunk, order, answer: Promise.resolve([]) }
  const tokens = new Array<number>(order.length)
  const holders = new Array<string>(order.length)
  order.forEach((at, place) => {
    tokens[place] = chunk.unknownTokens[at]!.id
    holders[place] = pairs.accountHex(chunk.unknown[at]!)
  })
  const answer = writer.beside(
    session.run((sql) =>
      sql`
        select wanted.place, row.holder_no, row.block_number, row.balance
        from unnest(${numberArray(tokens)}::text::int4[], ${byteaArray(holders)}::text::bytea[])
          with ordinality as wanted (token_id, holder, place)
        ${joinByKey(sql, "balance", ["holder", "token_id"])}`.raw(),
    ),
  ) as unknown as Promise<Found>
  // Awaited later, perhaps never: a failure shows there, or has shown elsewhere already.
  answer.catch(() => {})
  return { chunk, order, answer }
}

/** Waits for the answer and fills the cache: pairs that were not found are new. */
export const finishLookup = async (pairs: Pairs, { chunk, order, answer }: Lookup): Promise<void> => {
  const found = await answer
  const stored = new Uint8Array(order.length)
  for (const [place, holderNo, block, balance] of found) {
    const at = integerOf(place) - 1
    stored[at] = 1
    pairs.setStored(
      chunk.unknown[order[at]!]!,
      integerOf(holderNo),
      integerOf(block),
      BigInt(balance.toString("latin1")),
    )
  }
  for (let at = 0; at < order.length; at++) {
    const place = order[at]!
    if (stored[at] === 0) setNew(pairs, chunk.unknown[place]!, chunk.unknownTokens[place]!)
  }
}

const integerOf = (digits: Buffer): number => {
  let value = 0
  for (let at = 0; at < digits.length; at++) value = value * 10 + digits[at]! - 48
  return value
}

/**
 * Numbers 0 to n−1 in the order of the pairs' first four holder bytes: neighbours in the index come together.
 * Beyond two million they come in that order within each two million.
 */
export const sortedByHolder = (pairs: Pairs, indexes: ArrayLike<number>): Float64Array => {
  const order = new Float64Array(indexes.length)
  for (let start = 0; start < order.length; start += maxSorted) {
    const run = order.subarray(start, start + maxSorted)
    // Key and place share one number, so that the platform's own number sort does it; 32 + 21 bits are exact.
    for (let at = 0; at < run.length; at++) {
      run[at] = (pairs.words[pairs.at(indexes[start + at]!) + field.address]! >>> 0) * maxSorted + at
    }
    run.sort()
    for (let at = 0; at < run.length; at++) run[at] = start + (run[at]! % maxSorted)
  }
  return order
}
const maxSorted = 2 ** 21
