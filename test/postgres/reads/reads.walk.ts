/** Walks a list whole, page by page, and says every page's shape beside the rows. */
import { expect } from "bun:test"
import type { PageRequest, Rows, Snapshot } from "../../../src/model/page.ts"

type ReadPage<Item, Key> = (page: PageRequest<Key>) => Promise<Snapshot<Rows<Item, Key>>>

/** Forward from the start to the end, then back from a place behind the end: both must give `expected`, page by page. */
export const expectWalks = async <Item, Key>(
  read: ReadPage<Item, Key>,
  expected: { readonly items: ReadonlyArray<Item>; readonly keys: ReadonlyArray<Key> },
  limit: number,
): Promise<void> => {
  const { items, keys } = expected
  let after: Key | undefined
  for (let at = 0; ; ) {
    const { value } = await read({ limit, ...(after === undefined ? {} : { after }) })
    const end = Math.min(at + limit, items.length)
    expect({ items: value.items, keys: value.keys, hasMore: value.hasMore }).toEqual({
      items: items.slice(at, end),
      keys: keys.slice(at, end),
      hasMore: end < items.length,
    })
    at = end
    after = keys[end - 1]
    if (!value.hasMore || after === undefined) break
  }
  for (let before = keys.at(-1), end = items.length - 1; before !== undefined && end >= 0; ) {
    const { value } = await read({ limit, before })
    const at = Math.max(0, end - limit)
    expect({ items: value.items, keys: value.keys, hasMore: value.hasMore }).toEqual({
      items: items.slice(at, end),
      keys: keys.slice(at, end),
      hasMore: at > 0,
    })
    before = keys[at]
    end = at
    if (!value.hasMore) break
  }
}
