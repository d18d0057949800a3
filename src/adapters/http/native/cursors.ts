/** The keys of the lists as cursor parts: what a cursor may hold, checked strictly by type, since anybody can write one. */
import { Schema } from "effect"
import { type ApprovalKey, approvalKinds } from "../../../model/approval.ts"
import type { CursorParts } from "../../../model/cursor.ts"
import type { Erc1155HolderKey, HolderKey } from "../../../model/holder.ts"
import { Address, ChainId } from "../../../model/primitives.ts"
import { placeOf, type SearchKey, searchRuns } from "../../../model/search/searchText.ts"
import { type NftKey, standards, type TokenKey } from "../../../model/token.ts"
import type { FeedKey } from "../../../model/transfer.ts"
import type { AuditKey } from "../../../ports/AuditStore.ts"
import type { TrustedSortField } from "../../../ports/TrustedTokens.ts"

export interface CursorShape<Key> {
  readonly toParts: (key: Key) => CursorParts
  /** undefined for parts that no key of this list has. */
  readonly fromParts: (parts: CursorParts) => Key | undefined
  /** Of a list that can be asked as of a block: a part more where the block is not final. */
  readonly pinned?: true
}

const natural = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))
/** Seconds that a Date can show. */
export const Seconds = natural(8_640_000_000_000)
export const BlockNumber = natural(2 ** 31 - 1)
export const Rollbacks = natural(2 ** 31 - 1)
export const isBlockNumber = Schema.is(BlockNumber)
export const isRollbacks = Schema.is(Rollbacks)
/** A sum of amounts: contracts whose logs add up to more than 2²⁵⁶−1 have such holders. */
const Balance = Schema.String.check(Schema.isPattern(/^[1-9]\d{0,99}$/u))
/** 0 to 2²⁵⁶−1. */
export const TokenId = Schema.String.check(
  Schema.isPattern(/^(?:0|[1-9]\d{0,77})$/u),
  Schema.makeFilter((text: string) => text.length < 78 || BigInt(text) < 2n ** 256n),
)
/** US dollars with 18 decimals, as an integer: a price times a supply. */
const Usd = Schema.String.check(Schema.isPattern(/^(?:0|[1-9]\d{0,159})$/u))
const Name = Schema.String.check(
  Schema.makeFilter((text: string) => text.length <= 512 && text.isWellFormed() && !text.includes("\0")),
)

/** Block × 2²⁴ + log index, below 2⁶³. */
const FirstPos = Schema.String.check(Schema.isPattern(/^(?:0|[1-9]\d{0,17})$/u))

export const shapeOf = <Key, Wanted extends CursorParts>(
  schema: Schema.Codec<Wanted, CursorParts>,
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
export const holderCursor: CursorShape<HolderKey> = {
  ...shapeOf(
    Schema.Tuple([Balance, Address]),
    (key: HolderKey) => [key.balance, key.address] as const,
    ([balance, address]) => ({ balance, address }),
  ),
  pinned: true,
}

/** A place in the holders of an ERC-1155 contract. */
export const erc1155HolderCursor: CursorShape<Erc1155HolderKey> = {
  ...shapeOf(
    Schema.Tuple([Balance, Address, TokenId]),
    (key: Erc1155HolderKey) => [key.balance, key.address, key.tokenId] as const,
    ([balance, address, tokenId]) => ({ balance, address, tokenId }),
  ),
  pinned: true,
}

/** A place in the ids of a contract. */
export const nftCursor: CursorShape<NftKey> = {
  ...shapeOf(
    Schema.Tuple([TokenId]),
    (key: NftKey) => [key.tokenId] as const,
    ([tokenId]) => ({ tokenId }),
  ),
  pinned: true,
}

/** A place in the list of audits. */
export const auditCursor: CursorShape<AuditKey> = shapeOf(
  Schema.Tuple([ChainId, Address, Schema.Literals(standards)]),
  (key: AuditKey) => [key.chainId, key.address, key.standard] as const,
  ([chainId, address, standard]) => ({ chainId, address, standard }),
)

/** A place in the approvals of an owner. */
export const approvalCursor: CursorShape<ApprovalKey> = shapeOf(
  Schema.Tuple([Address, Schema.Literals(approvalKinds), TokenId, Address]),
  (key: ApprovalKey) => [key.tokenAddress, key.kind, key.tokenId, key.spender] as const,
  ([tokenAddress, kind, tokenId, spender]) => ({ tokenAddress, kind, tokenId, spender }),
)

const tokenShape = (value: Schema.Codec<string | number | null>): CursorShape<TokenKey> =>
  shapeOf(
    Schema.Tuple([value, ChainId, Address]),
    (key: TokenKey) => [key.value, key.chainId, key.address] as const,
    ([value, chainId, address]) => ({ value, chainId, address }),
  )

const tokenCursors: Readonly<Record<TrustedSortField, CursorShape<TokenKey>>> = {
  marketCap: tokenShape(Schema.Union([Usd, natural(Number.MAX_SAFE_INTEGER)])),
  createdAt: tokenShape(Seconds),
  holdersCount: tokenShape(natural(Number.MAX_SAFE_INTEGER)),
  transfers: tokenShape(natural(Number.MAX_SAFE_INTEGER)),
  name: tokenShape(Schema.NullOr(Name)),
}

/** A place among the tokens that a text finds. */
export const searchCursor: CursorShape<SearchKey> = shapeOf(
  Schema.Tuple([natural(searchRuns - 1), Name, ChainId, FirstPos]).check(
    Schema.makeFilter(([run, text]) => placeOf(run) !== "address" || /^[0-9a-f]{40}$/u.test(text)),
  ),
  (key: SearchKey) => [key.run, key.text, key.chainId, key.firstPos] as const,
  ([run, text, chainId, firstPos]) => ({ run, text, chainId, firstPos }),
)

/** A place in a token list sorted by a field. */
export const tokenCursor = (field: TrustedSortField): CursorShape<TokenKey> => tokenCursors[field]
