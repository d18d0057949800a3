/** What a question to the read ports is, and the pages each list is asked for. */
import type { Effect } from "effect"
import type { StoreError } from "../../src/model/errors.ts"
import type { Erc1155HolderKey, HolderKey } from "../../src/model/holder.ts"
import type { PageRequest } from "../../src/model/page.ts"
import type { NftKey, Standard, TokenKey } from "../../src/model/token.ts"
import type { FeedKey } from "../../src/model/transfer.ts"
import type { TokensQuery } from "../../src/ports/TokenStore.ts"
import type { ReadPorts } from "../support/stores.ts"

export interface Question {
  readonly name: string
  /** Gives how many rows the answer has, or counts. */
  readonly ask: Effect.Effect<number, StoreError, ReadPorts>
  /** Why it may read more than 20 times the rows it returns. */
  readonly excuse?: string
}

/** Places far from the start of each list. */
export interface Depths {
  readonly feed: FeedKey
  readonly tokenFeed: FeedKey
  readonly holders: HolderKey
  readonly ids: NftKey
  readonly units: Erc1155HolderKey
  readonly tokens: Readonly<Record<Standard, Readonly<Record<TokensQuery["sort"]["field"], TokenKey>>>>
}

export const limit = 25

/** The first page, one far in, and the one before that. */
export const pages = <Key>(key: Key): ReadonlyArray<readonly [string, PageRequest<Key>]> => [
  ["page 1", { limit }],
  ["deep page", { limit, after: key }],
  ["page before a deep one", { limit, before: key }],
]
