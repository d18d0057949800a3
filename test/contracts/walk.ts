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

/** The rows before the last one, by pages of `limit` from the end, then the last one: the whole list in display order. */
export const walkBackward = async <Item, Key>(read: Read<Item, Key>, limit: number): Promise<ReadonlyArray<Item>> => {
  let page = (await read({ limit: 1000 })).value
  while (page.hasMore) page = (await read({ limit: 1000, after: page.keys.at(-1)! })).value
  if (page.items.length === 0) return []
  let items: ReadonlyArray<Item> = page.items.slice(-1)
  let before = page.keys.at(-1)!
  for (;;) {
    const { value } = await read({ limit, before })
    items = [...value.items, ...items]
    if (!value.hasMore) return items
    if (value.items.length !== limit) throw new Error(`a page of ${value.items.length} rows while more remain`)
    before = value.keys[0]!
  }
}
