/** The NftStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import { NftStore } from "../../ports/NftStore.ts"

export const layer = Layer.succeed(NftStore, {
  list: () => Effect.die("to do"),
  listInventory: () => Effect.die("to do"),
})
