/** The Freshness port in PostgreSQL. */
import { Effect, Layer } from "effect"
import { Freshness } from "../../../../ports/Freshness.ts"
import { bulkSchema } from "../../database/schemas.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { makeTouched } from "./touched.ts"

export const layer = Layer.effect(
  Freshness,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return Freshness.of({
      asOf: Effect.fnUntraced(function* (chains) {
        // Without a chain it says whether the store answers, all the same.
        if (chains.length === 0) yield* across.database.probes.query(() => across.database.probes.sql`select 1`)
        const { asOf } = yield* across.probe("freshness", chains, {}, (sql) => sql`1`)
        return asOf
      }),
      newest: across.newest,
      touched: makeTouched(across),
      loaded: Effect.fnUntraced(function* (chains) {
        const { chainSchema, probes } = across.database
        const places = new Map(chains.map((chainId) => [bulkSchema(chainSchema(chainId)), chainId]))
        const found = yield* probes.query(
          () => probes.sql<Array<{ schemaname: string }>>`
            select schemaname from pg_tables where schemaname = any(${[...places.keys()]}::text[]) and tablename = 'bulk_load'`,
        )
        return found.flatMap(({ schemaname }) => places.get(schemaname) ?? [])
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
