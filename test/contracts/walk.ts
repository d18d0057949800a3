/** Walks a paged list whole, forward and then back, and says what every page held. */
import type { PageRequest, Rows, Snapshot } from "../../src/model/page.ts"

type Read<Item, Key> = (page: PageRequest<Key>) => Promise<Snapshot<Rows<Item, Key>>>

/** All rows by pages of `limit`, first page first. Fails on a short page that is not the last. */
export const walkForward = async <Item, Key>(read: Read<Item, Key>, limit: number): Promise<ReadonlyArray<Item>> => {
  const items: Array<Item> = []
  let after: Key | undefined
  for (;;) {
    const { value } = await read(after === undefined ? { limit } : { limit, after })
    items.push(...value.items)
    if (value.keys.length !== value.items.length) throw new Error("a page has one key per item")
    if (!value.hasMore) return items
    if (value.items.length !== limit) throw new Error(`a page of ${value.items.length} rows while more remain`)
    after = value.keys.at(-1)!
  }
}

interface Row<Item, Key> {
  readonly item: Item
  readonly key: Key
}

/**
 * The rows before the last one, by pages of `limit` from the end, then the last one: the whole list in display order.
 * `last`: where a walk has found it already; absent = it is looked for.
 */
export const walkBackward = async <Item, Key>(
  read: Read<Item, Key>,
  limit: number,
  last?: Row<Item, Key>,
): Promise<ReadonlyArray<Item>> => {
  const end = last ?? (await lastOf(read))
  if (end === undefined) return []
  let items: ReadonlyArray<Item> = [end.item]
  let before = end.key
  for (;;) {
    const { value } = await read({ limit, before })
    items = [...value.items, ...items]
    if (!value.hasMore) return items
    if (value.items.length !== limit) throw new Error(`a page of ${value.items.length} rows while more remain`)
    before = value.keys[0]!
  }
}

const lastOf = async <Item, Key>(read: Read<Item, Key>): Promise<Row<Item, Key> | undefined> => {
  let page = (await read({ limit: 1000 })).value
  while (page.hasMore) page = (await read({ limit: 1000, after: page.keys.at(-1)! })).value
  const { items, keys } = page
  return items.length === 0 ? undefined : { item: items.at(-1)!, key: keys.at(-1)! }
}
