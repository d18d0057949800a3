/** Values that are found out many at a time: kept in an effect Cache, what is not there asked for in one go. */
import { Cache, Duration, Effect, Exit, Option } from "effect"
import { onSteadyClock } from "./steadyClock.ts"

export interface BatchCacheOptions<Value> {
  /** Values kept. Of more, those go that nobody wanted for longest. */
  readonly capacity: number
  /** How long a value is good for; 0 = it is not kept. Default: as long as there is room. */
  readonly lifetimeMs?: (value: Value) => number
}

export interface BatchCache<Key, Value> {
  /** What is kept of these keys. */
  readonly find: (keys: Iterable<Key>) => Effect.Effect<Map<Key, Value>>
  readonly keep: (values: Iterable<readonly [Key, Value]>) => Effect.Effect<void>
  /** The value of each item, in order. Those that are not kept are asked for, all or none; a failure is not kept. */
  readonly recall: <Item, E, R>(
    items: ReadonlyArray<Item>,
    keyOf: (item: Item) => Key,
    ask: (missing: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Value>, E, R>,
  ) => Effect.Effect<ReadonlyArray<Value>, E, R>
}

export const makeBatchCache = <Key, Value>({
  capacity,
  lifetimeMs = () => Number.POSITIVE_INFINITY,
}: BatchCacheOptions<Value>): BatchCache<Key, Value> => {
  const cache = Effect.runSync(
    Cache.makeWith<Key, Value>(() => Effect.die(new Error("this cache is filled in batches")), {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.millis(lifetimeMs(exit.value)) : Duration.zero),
    }),
  )

  const find = Effect.fnUntraced(function* (keys: Iterable<Key>) {
    const found = new Map<Key, Value>()
    for (const key of keys) {
      const value = yield* Cache.getSuccess(cache, key)
      if (Option.isSome(value)) found.set(key, value.value)
    }
    return found
  }, onSteadyClock)

  const keep = Effect.fnUntraced(function* (values: Iterable<readonly [Key, Value]>) {
    for (const [key, value] of values) yield* Cache.set(cache, key, value)
  }, onSteadyClock)

  return {
    find,
    keep,
    recall: Effect.fnUntraced(function* (items, keyOf, ask) {
      const keys = items.map(keyOf)
      const known = yield* find(keys)
      const missing = [...items.keys()].filter((index) => !known.has(keys[index]!))
      if (missing.length > 0) {
        const values = yield* ask(missing.map((index) => items[index]!))
        const answered = missing.map((index, place) => [keys[index]!, values[place]!] as const)
        for (const [key, value] of answered) known.set(key, value)
        yield* keep(answered)
      }
      return keys.map((key) => known.get(key)!)
    }),
  }
}
