/** The keys of the lists as cursor parts: what a cursor may hold, checked strictly by type, since anybody can write one. */
import { Schema } from "effect"
import type { HolderKey } from "../../../domain/model/holder.ts"
import { Address, ChainId } from "../../../domain/model/primitives.ts"
import type { TokenKey, TokenSortField } from "../../../domain/model/token.ts"
import type { FeedKey } from "../../../domain/model/transfer.ts"

type Parts = ReadonlyArray<string | number | null>

export interface CursorShape<Key> {
  readonly toParts: (key: Key) => Parts
  /** undefined for parts that no key of this list has. */
  readonly fromParts: (parts: Parts) => Key | undefined
}

const natural = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))
/** Seconds that a Date can show. */
const Seconds = natural(8_640_000_000_000)
const BlockNumber = natural(2 ** 31 - 1)
const Balance = Schema.String.check(Schema.isPattern(/^[1-9]\d{0,77}$/u))
const Name = Schema.String.check(
  Schema.makeFilter((text: string) => text.length <= 512 && text.isWellFormed() && !text.includes("\0")),
)

const shapeOf = <Key, Wanted extends Parts>(
  schema: Schema.Codec<Wanted>,
  toParts: (key: Key) => Wanted,
  toKey: (parts: Wanted) => Key,
): CursorShape<Key> => {
  const isWanted = Schema.is(schema)
  return { toParts, fromParts: (parts) => (isWanted(parts) ? toKey(parts) : undefined) }
}

/** A place in a transfer feed. */
export const feedCursor: CursorShape<FeedKey> = shapeOf(
  Schema.Tuple([Seconds, ChainId, BlockNumber, natural(2 ** 24 - 1), natural(2 ** 31 - 1)]),
  (key: FeedKey) => [key.time, key.chainId, key.blockNumber, key.logIndex, key.sub] as const,
  ([time, chainId, blockNumber, logIndex, sub]) => ({ time, chainId, blockNumber, logIndex, sub }),
)

/** A place in a holder list. */
export const holderCursor: CursorShape<HolderKey> = shapeOf(
  Schema.Tuple([Balance, Address]),
  (key: HolderKey) => [key.balance, key.address] as const,
  ([balance, address]) => ({ balance, address }),
)

const tokenShape = (value: Schema.Codec<string | number>): CursorShape<TokenKey> =>
  shapeOf(
    Schema.Tuple([Schema.NullOr(value), ChainId, Address]),
    (key: TokenKey) => [key.value, key.chainId, key.address] as const,
    ([value, chainId, address]) => ({ value, chainId, address }),
  )

const tokenCursors: Readonly<Record<TokenSortField, CursorShape<TokenKey>>> = {
  createdAt: tokenShape(Seconds),
  holdersCount: tokenShape(natural(Number.MAX_SAFE_INTEGER)),
  transfers: tokenShape(natural(Number.MAX_SAFE_INTEGER)),
  name: tokenShape(Name),
}

/** A place in a token list sorted by a field. */
export const tokenCursor = (field: TokenSortField): CursorShape<TokenKey> => tokenCursors[field]
