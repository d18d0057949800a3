/** Holders inside a snapshot: a walk as of a block sorts the token's pairs once, behind a cursor, and not once a page. */
import { Effect, Layer } from "effect"
import type { Fragment, Sql } from "postgres"
import type { StoreError } from "../../../../model/errors.ts"
import type { PageRequest, Rows, Snapshot } from "../../../../model/page.ts"
import { HolderStore, type HoldersQuery } from "../../../../ports/HolderStore.ts"
import type { ChainTables } from "../../database/tables.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectTokenId } from "./balances.ts"
import { rankedHoldersAt, rankedUnitsAt, selectAllAt } from "./holdersAt.ts"
import * as PostgresHolders from "./PostgresHolders.ts"

/** The first list that the snapshot was asked for as of a block. */
interface Walk {
  readonly first: Snapshot<object>
  /** What the next page would be asked for. */
  next: string
  isOpen: boolean
}

/** For one snapshot, whose reads come one after the other. Any page but the next one of the walk is read as everywhere. */
export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const { database, opened } = yield* AcrossChains.AcrossChains
    const holders = yield* HolderStore
    let walk: Walk | undefined

    const pageOf = Effect.fnUntraced(function* <Item, Key, Page extends Snapshot<Rows<Item, Key>>>(
      what: string,
      { page, chainId, token, blockNumber }: Pick<HoldersQuery<Key>, "page" | "chainId" | "token" | "blockNumber">,
      read: Effect.Effect<Page, StoreError>,
      rows: (sql: Sql, chain: ChainTables, page: PageRequest<Key>) => Fragment,
      itemOf: (key: Key) => Item,
    ) {
      const askedAt = (key: Key | undefined) => JSON.stringify([what, chainId, token, blockNumber, key])
      const [chain] = yield* opened([chainId])
      if (walk === undefined || chain === undefined || page.after === undefined || walk.next !== askedAt(page.after)) {
        const found = yield* read
        walk ??= { first: found, next: askedAt(found.value.keys.at(-1)), isOpen: false }
        return found
      }
      const { sql } = database
      if (!walk.isOpen) yield* database.query(() => sql`declare walk no scroll cursor for ${rows(sql, chain, page)}`)
      walk.isOpen = true
      const found = yield* database.query(
        () => sql<Array<{ row: Key }>>`fetch forward ${sql.unsafe(String(page.limit))} from walk`,
      )
      const keys = found.map(({ row }) => row)
      walk.next = askedAt(keys.at(-1))
      // Where the last page is full, an empty one comes behind it.
      const value = { ...walk.first.value, items: keys.map(itemOf), keys, hasMore: keys.length === page.limit }
      return { ...walk.first, value } as unknown as Page
    })

    return HolderStore.of({
      ...holders,
      list: (standard, query) => {
        const { chainId, token, blockNumber } = query
        const read = holders.list(standard, query)
        if (blockNumber === undefined) return read
        const rows = (sql: Sql, chain: ChainTables, page: typeof query.page) =>
          selectAllAt(sql, rankedHoldersAt(sql, chain, selectTokenId(sql, chain, standard, token), page, blockNumber))
        return pageOf(standard, query, read, rows, (key) => ({ chainId, ...key }))
      },
      listErc1155: (query) => {
        const { chainId, token, blockNumber } = query
        const read = holders.listErc1155(query)
        if (blockNumber === undefined) return read
        const rows = (sql: Sql, chain: ChainTables, page: typeof query.page) =>
          selectAllAt(sql, rankedUnitsAt(sql, chain, selectTokenId(sql, chain, "erc1155", token), page, blockNumber))
        return pageOf("erc1155", query, read, rows, (key) => ({ chainId, ...key }))
      },
    })
  }),
).pipe(Layer.provide(Layer.merge(PostgresHolders.layer, AcrossChains.layer)))
