/** The KeptCopies port in memory. */
import { Effect, Layer } from "effect"
import { KeptCopies, type KeptCopy } from "../../ports/KeptCopies.ts"

export const layer = Layer.sync(KeptCopies, () => {
  const copies = new Map<string, KeptCopy>()
  return KeptCopies.of({
    find: (key) => Effect.sync(() => copies.get(key)),
    keep: (key, copy) =>
      Effect.sync(() => {
        const kept = copies.get(key)
        if (kept === undefined || kept.checkedAt <= copy.checkedAt) copies.set(key, copy)
      }),
  })
})
