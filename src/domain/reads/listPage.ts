/** A page of a list that has no rule of its own: what the store lists, and the ways on from there. */
import { Effect } from "effect"
import type { StoreError } from "../../model/errors.ts"
import { type PageRequest, type Rows, type Snapshot, toListPage } from "../../model/page.ts"
import { type AtBlock, pageAsOfBlock } from "./history.ts"

/** Fails where the ledger cannot speak of the block that is named. */
export const listPage = <Item, Key, R>(
  { page, blockNumber }: AtBlock & { readonly page: PageRequest<Key> },
  read: Effect.Effect<Snapshot<Rows<Item, Key>>, StoreError, R>,
) => Effect.map(pageAsOfBlock(blockNumber, read), (rows) => toListPage(page, rows))
