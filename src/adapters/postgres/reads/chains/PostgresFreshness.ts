/** The Freshness port in PostgreSQL. */
import { Effect, Layer } from "effect"
import { Freshness } from "../../../../ports/Freshness.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { makeTouched } from "./touched.ts"

export const layer = Layer.effect(
  Freshness,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return Freshness.of({
      asOf: Effect.fnUntraced(function* (chains) {
        const { asOf } = yield* across.probe("freshness", chains, {}, (sql) => sql`1`)
        return asOf
      }),
      newest: across.newest,
      touched: makeTouched(across),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
