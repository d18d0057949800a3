/** A whole list, page after page, of one snapshot: what a stream is made of. */
import { Effect, Exit, Scope } from "effect"
import type { AsOf } from "../../model/block.ts"
import type { ListPage, PageRequest } from "../../model/page.ts"
import { type ListStores, Snapshots } from "../../ports/Snapshots.ts"

/** Read at a time, where nothing else is said. */
const chunkRows = 1000

export interface WholeList<Item, E, R, Page = { readonly asOf: ReadonlyArray<AsOf> }> {
  readonly asOf: ReadonlyArray<AsOf>
  readonly first: Page
  /** The next rows, never none; undefined = that was all. One at a time. */
  readonly pull: Effect.Effect<ReadonlyArray<Item> | undefined, E, R>
  /** Lets the snapshot go. Whoever has the list must close it, at its end too. */
  readonly close: Effect.Effect<void>
}

/**
 * The list from `after` (absent = its start) on, at most `limit` rows of it; `rollbacks` are what came with `after`. `list` is
 * asked with the snapshot's stores.
 */
export const openWholeList = Effect.fnUntraced(function* <Item, Key, E, R, Page extends ListPage<Item, Key>>(
  list: (page: PageRequest<Key>) => Effect.Effect<Page & ListPage<Item, Key>, E, R>,
  {
    after,
    rollbacks,
    limit = Infinity,
    rowsAtOnce = chunkRows,
  }: Pick<PageRequest<Key>, "after" | "rollbacks"> & { readonly limit?: number; readonly rowsAtOnce?: number },
) {
  const snapshots = yield* Snapshots
  const scope = yield* Scope.make()
  const close = Scope.close(scope, Exit.void)
  return yield* Effect.gen(function* () {
    const stores = yield* Scope.provide(snapshots.open, scope)
    let left = limit
    const read = (from?: Key): Effect.Effect<Page & ListPage<Item, Key>, E, Exclude<R, ListStores>> =>
      list({
        limit: Math.min(left, rowsAtOnce),
        ...(from === undefined ? {} : { after: from }),
        ...(rollbacks === undefined ? {} : { rollbacks }),
      }).pipe(Effect.provideContext(stores))
    const first = yield* read(after)
    let page: ListPage<Item, Key> | undefined = first
    const pull = Effect.gen(function* () {
      const current = page
      if (current === undefined || current.items.length === 0) return undefined
      left -= current.items.length
      page = current.next === undefined || left <= 0 ? undefined : yield* read(current.next)
      return current.items
    })
    const whole: WholeList<Item, E, Exclude<R, ListStores>, Page> = { asOf: first.asOf, first, pull, close }
    return whole
  }).pipe(Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : close)))
})
