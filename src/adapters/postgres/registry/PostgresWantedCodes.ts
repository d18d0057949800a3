/** The WantedCodes port in PostgreSQL: a table of the registry, which every process on a server that takes writes has in common. */
import { Effect, Latch, Layer } from "effect"
import type { Address, ChainId } from "../../../model/primitives.ts"
import { mostWanted, WantedCodes } from "../../../ports/WantedCodes.ts"
import { Database } from "../database/Database.ts"

/** What is met within it is written together. */
const gatherMs = 250
/** Of a chain, that wait to be written. */
const mostGathered = 2000

export const layer = Layer.effect(
  WantedCodes,
  Effect.gen(function* () {
    const { sql, schema, query, transact, servers } = yield* Database
    const table = sql(`${schema}.wanted_code`)
    const gathered = new Map<ChainId, Set<Address>>()
    const news = yield* Latch.make(false)

    const write = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address>) {
      const [found] = yield* query(
        () => sql<[{ waiting: number }]>`
          select count(*)::int4 as waiting
          from (select 1 from ${table} where chain_id = ${chainId}::int8 limit ${mostWanted}) w`,
      )
      const room = addresses.slice(0, Math.max(0, mostWanted - (found?.waiting ?? 0)))
      if (room.length === 0) return
      yield* transact((tx, run) =>
        // In one order: two who write the same rows at once would else lock each other out.
        run(tx`
          insert into ${table} (chain_id, address)
          select ${chainId}::int8, it.address from unnest(${room}::bytea[]) it (address) order by it.address
          on conflict do nothing`),
      )
    })

    /** Where a server takes writes: a standby's process, which reaches none, forgets what it met. */
    const writeAll = Effect.fnUntraced(function* () {
      const all = [...gathered]
      gathered.clear()
      const known = servers.list()
      const place = known.findIndex((it) => it.isReached && it.takesWrites && !it.isStandby)
      if (known.length > 0 && place < 0) return
      const writing = Effect.forEach(all, ([chainId, addresses]) => write(chainId, [...addresses]), { discard: true })
      yield* known.length === 0 ? writing : servers.on(place, writing)
    })

    const keepWriting = Effect.gen(function* () {
      while (true) {
        yield* news.await
        yield* Effect.sleep(gatherMs)
        news.closeUnsafe()
        // Who is not written is met again.
        yield* writeAll().pipe(Effect.catchDefect(Effect.fail), Effect.ignore)
      }
    })
    yield* Effect.forkScoped(keepWriting)

    return WantedCodes.of({
      want: (chainId, addresses) =>
        Effect.sync(() => {
          if (addresses.length === 0) return
          const here = gathered.get(chainId) ?? new Set()
          gathered.set(chainId, here)
          for (const address of addresses) if (here.size < mostGathered) here.add(address)
          news.openUnsafe()
        }),
      list: Effect.fn("PostgresWantedCodes.list")(function* (chainId, limit) {
        const rows = yield* query(
          () => sql<Array<{ address: Address }>>`
            select '0x' || encode(address, 'hex') as address from ${table}
            where chain_id = ${chainId}::int8 order by place limit ${limit}`,
        )
        return rows.map(({ address }) => address)
      }),
      remove: Effect.fn("PostgresWantedCodes.remove")(function* (chainId, addresses) {
        if (addresses.length === 0) return
        yield* transact((tx, run) =>
          run(tx`
            delete from ${table}
            where chain_id = ${chainId}::int8 and address = any(${addresses as Array<Address>}::bytea[])`),
        )
      }),
    })
  }),
)
