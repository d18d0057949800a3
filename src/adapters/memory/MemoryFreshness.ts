/** The Freshness port in memory. */
import { Effect, Layer } from "effect"
import type { AsOf } from "../../model/block.ts"
import { isReserved } from "../../model/event.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { Freshness } from "../../ports/Freshness.ts"
import { MemoryChains, snapshotOf, storedChains } from "./state.ts"

export const layer = Layer.effect(
  Freshness,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    const asOf = (ids: ReadonlyArray<ChainId>) => snapshotOf(storedChains(chains, ids), undefined).asOf
    return Freshness.of({
      asOf: (ids) => Effect.sync(() => asOf(ids)),
      newest: (id) => Effect.sync(() => asOf([id])[0]),
      touched: (since, shown = []) =>
        Effect.sync(() => {
          const [point] = asOf([since.chainId])
          const seen = [since, ...shown]
          if (point?.rewrites !== since.rewrites) return undefined
          if (seen.some(({ blockNumber }) => blockNumber > point.blockNumber)) return undefined
          const { headers, transfers, wraps, tokens: known } = chains.get(since.chainId)!
          const isAnother = (known: Pick<AsOf, "blockNumber" | "hash">): boolean =>
            headers.some(({ number, hash }) => number === known.blockNumber && hash !== known.hash)
          if (seen.some(isAnother)) return undefined
          const isAfter = (block: number): boolean => block > since.blockNumber
          const ofAnyone = new Set(
            [...known.values()].filter((it) => isAfter(it.firstBlock)).map(({ address }) => address),
          )
          const tokens = new Map<Address, Set<Address> | undefined>()
          for (const row of [...transfers, ...wraps].filter(({ blockNumber }) => isAfter(blockNumber))) {
            if (!("debit" in row)) ofAnyone.add(row.token)
            const accounts = [row.from, row.to].filter((it): it is Address => !isReserved(it))
            tokens.set(row.token, new Set([...(tokens.get(row.token) ?? []), ...accounts]))
          }
          for (const token of ofAnyone) tokens.set(token, undefined)
          return { point, tokens }
        }),
    })
  }),
)
