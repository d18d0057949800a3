/** The NativeSupplySource port where no chain has a source. */
import { Effect, Layer } from "effect"
import { NativeSupplySource } from "../../ports/NativeSupplySource.ts"

export const layer = Layer.succeed(NativeSupplySource, { find: () => Effect.succeed(undefined) })
