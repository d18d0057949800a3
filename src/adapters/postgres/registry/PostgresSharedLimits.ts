/** The SharedLimits port in PostgreSQL: counters in the registry, where a server takes writes. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { StoreUnavailable } from "../../../model/errors.ts"
import { type LimitTotals, type LimitUse, SharedLimits } from "../../../ports/SharedLimits.ts"
import { Database } from "../database/Database.ts"

/** An address is nobody's business: of a caller only this is kept, for two windows. */
const digestOf = (caller: string): string => createHash("sha256").update(caller).digest("base64url").slice(0, 22)

/** Exchanges between two that remove what is over. */
const exchangesPerCleaning = 60

export const layer = Layer.effect(
  SharedLimits,
  Effect.gen(function* () {
    const { sql, schema, transact, servers } = yield* Database
    const use = sql(`${schema}.limit_use`)
    const process = sql(`${schema}.limit_process`)
    let exchanges = 0

    const exchange = (name: string, uses: ReadonlyArray<LimitUse>) =>
      transact(async (tx, run): Promise<LimitTotals> => {
        // In one order for all: two processes never wait for each other.
        const rows = uses
          .map(({ period, began, caller, calls }, place) => ({ period, began, caller: digestOf(caller), calls, place }))
          .sort((a, b) => a.period - b.period || a.began - b.began || (a.caller < b.caller ? -1 : 1))
        const column = <Value>(read: (row: (typeof rows)[number]) => Value) => rows.map(read)
        const told =
          rows.length === 0
            ? []
            : await run(
                tx<Array<{ period: number; began: string; caller: string; used: string }>>`
                  insert into ${use} as known (period, began, caller, used)
                  select * from unnest(${column((row) => row.period)}::int4[], ${column((row) => row.began)}::int8[],
                    ${column((row) => row.caller)}::text[], ${column((row) => row.calls)}::int8[])
                  on conflict (period, began, caller) do update set used = known.used + excluded.used
                  returning period, began, caller, used`,
              )
        await run(tx`
          insert into ${process} as known (process, seen_at) values (${name}, clock_timestamp())
          on conflict (process) do update set seen_at = excluded.seen_at`)
        const [now] = await run(
          tx<[{ processes: number; now: number }]>`
            select count(*)::int4 as processes, (extract(epoch from clock_timestamp()) * 1000)::float8 as now
            from ${process} where seen_at > clock_timestamp() - interval '30 seconds'`,
        )
        if (exchanges++ % exchangesPerCleaning === 0) {
          await run(tx`delete from ${use} where began < extract(epoch from clock_timestamp())::int8 / period - 1`)
          await run(tx`delete from ${process} where seen_at < clock_timestamp() - interval '1 hour'`)
        }
        const totals = new Map(
          told.map(({ period, began, caller, used }) => [`${period} ${began} ${caller}`, Number(used)]),
        )
        const totalOf = new Map(
          rows.map(({ period, began, caller, place }) => [place, totals.get(`${period} ${began} ${caller}`) ?? 0]),
        )
        return {
          totals: uses.map((_, place) => totalOf.get(place) ?? 0),
          processes: Math.max(1, now?.processes ?? 1),
          now: now?.now ?? Date.now(),
        }
      })

    return SharedLimits.of({
      exchange: (name, uses) =>
        Effect.suspend(() => {
          const known = servers.list()
          if (known.length === 0) return exchange(name, uses)
          const place = known.findIndex((it) => it.isReached && it.takesWrites && !it.isStandby)
          return place < 0
            ? Effect.fail(new StoreUnavailable({ cause: "no server that takes writes" }))
            : servers.on(place, exchange(name, uses))
        }),
    })
  }),
)
