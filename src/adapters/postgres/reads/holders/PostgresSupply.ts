/** The SupplyStore port in PostgreSQL: supply is what the two reserved accounts lack. */
import { Effect, Layer } from "effect"
import { SupplyStore } from "../../../../ports/SupplyStore.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { selectFirstSuppliedId, selectSupply } from "./balances.ts"

export const layer = Layer.effect(
  SupplyStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return SupplyStore.of({
      find: Effect.fn("PostgresSupply.find")(function* (chainId, token, blockNumber) {
        const { asOf, value } = yield* across.read([chainId], { supply: "0" }, (sql, [chain]) => {
          const supply = selectSupply(sql, chain, selectFirstSuppliedId(sql, chain, token), blockNumber)
          return sql`coalesce((${supply}), 0)::text as supply`
        })
        return { asOf, value: value.supply }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
