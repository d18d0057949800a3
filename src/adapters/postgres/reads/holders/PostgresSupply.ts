/** The SupplyStore port in PostgreSQL: supply is what the two reserved accounts lack. */
import { Effect, Layer } from "effect"
import { SupplyStore } from "../../../../ports/SupplyStore.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { comparable } from "../common/atBlock.ts"
import { selectFirstSuppliedId } from "../common/tokenIds.ts"
import { selectSupply } from "./balances.ts"

export const layer = Layer.effect(
  SupplyStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    return SupplyStore.of({
      find: (chainId, token, blockNumber) => {
        const at = blockNumber === undefined ? [] : [comparable(blockNumber)]
        const read = across.readJoined(
          chainId,
          `supply ${at.length}`,
          { supply: "0" },
          [token, ...at],
          (chain, [of, block]) => {
            const supply = selectSupply(chain, selectFirstSuppliedId(chain, of!), block)
            return chain.sql`select coalesce((${supply}), 0)::text as supply`
          },
        )
        return Effect.map(read, ({ asOf, value }) => ({ asOf, value: value.supply }))
      },
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))
