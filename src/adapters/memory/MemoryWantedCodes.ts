/** The WantedCodes port in memory. */
import { Effect, Layer } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import { mostWanted, WantedCodes } from "../../ports/WantedCodes.ts"

export const layer = Layer.sync(WantedCodes, () => {
  const waiting = new Map<ChainId, Set<Address>>()
  return WantedCodes.of({
    want: (chainId, addresses) =>
      Effect.sync(() => {
        const here = waiting.get(chainId) ?? new Set()
        waiting.set(chainId, here)
        for (const address of addresses) if (here.size < mostWanted) here.add(address)
      }),
    list: (chainId, limit) => Effect.sync(() => [...(waiting.get(chainId) ?? [])].slice(0, limit)),
    remove: (chainId, addresses) =>
      Effect.sync(() => {
        for (const address of addresses) waiting.get(chainId)?.delete(address)
      }),
  })
})
