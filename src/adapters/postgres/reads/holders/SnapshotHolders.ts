/** Holders inside a snapshot: a walk as of a block sorts the token's rows once, behind a cursor, and not once a page. */
import { Effect, Layer } from "effect"
import type { StoreError } from "../../../../model/errors.ts"
import type { HolderKey } from "../../../../model/holder.ts"
import type { Rows, Snapshot } from "../../../../model/page.ts"
import type { Standard } from "../../../../model/token.ts"
import { HolderStore, type HoldersQuery } from "../../../../ports/HolderStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectTokenId } from "../common/tokenIds.ts"
import * as PostgresHolders from "./PostgresHolders.ts"
import { selectAllAt } from "./rankedPageAt.ts"
import { holderTable, type RankedTable, unitTable } from "./rankedTable.ts"

/** The first list that the snapshot was asked for as of a block. */
interface Walk {
  readonly first: Snapshot<object>
  /** What the next page would be asked for. */
  next: string
  isOpen: boolean
}

/** A list as of a block; `read`: any page of it, as everywhere. */
interface List<Key extends HolderKey, Page> {
  readonly tableOf: (chain: ChainSql, codes?: boolean) => RankedTable<Key>
  readonly standard: Standard
  readonly query: HoldersQuery<Key>
  readonly read: Effect.Effect<Page, StoreError>
}

/** For one snapshot, whose reads come one after the other. Any page but the next one of the walk is read as everywhere. */
export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const { database, opened } = yield* AcrossChains.AcrossChains
    const holders = yield* HolderStore
    let walk: Walk | undefined

    const readAt = Effect.fnUntraced(function* <Key extends HolderKey, Page extends Snapshot<Rows<unknown, Key>>>(
      { tableOf, standard, query, read }: List<Key, Page>,
      blockNumber: number,
    ) {
      const { page, chainId, token, minBalance, addresses, codes, excludeContracts } = query
      const askedAt = (key: Key | undefined) =>
        JSON.stringify([standard, chainId, token, blockNumber, minBalance, addresses, codes, excludeContracts, key])
      const [chain] = yield* opened([chainId])
      if (walk === undefined || chain === undefined || page.after === undefined || walk.next !== askedAt(page.after)) {
        const found = yield* read
        walk ??= { first: found, next: askedAt(found.value.keys.at(-1)), isOpen: false }
        return found
      }
      const { sql } = chain
      if (!walk.isOpen) {
        const wanted = { place: page, narrowed: query }
        const rows = selectAllAt(tableOf(chain, codes), selectTokenId(chain, standard, token), wanted, blockNumber)
        yield* database.query(() => sql`declare walk no scroll cursor for ${rows}`)
      }
      walk.isOpen = true
      const found = yield* database.query(
        () => sql<Array<{ row: Key }>>`fetch forward ${sql.unsafe(String(page.limit))} from walk`,
      )
      const keys = found.map(({ row }) => row)
      walk.next = askedAt(keys.at(-1))
      const items = keys.map((key) => ({ chainId, ...key }))
      // Where the last page is full, an empty one comes behind it.
      const value = { ...walk.first.value, items, keys, hasMore: keys.length === page.limit }
      return { ...walk.first, value } as unknown as Page
    })

    return HolderStore.of({
      ...holders,
      list: (standard, query) => {
        const read = holders.list(standard, query)
        if (query.blockNumber === undefined) return read
        return readAt({ tableOf: holderTable, standard, query, read }, query.blockNumber)
      },
      listErc1155: (query) => {
        const read = holders.listErc1155(query)
        if (query.blockNumber === undefined) return read
        return readAt({ tableOf: unitTable, standard: "erc1155", query, read }, query.blockNumber)
      },
    })
  }),
).pipe(Layer.provide(Layer.merge(PostgresHolders.layer, AcrossChains.layer)))
