/** A compatibility action is data: module, action, its parameters, and the domain's answer. */
import { Effect } from "effect"
import type { HistoryNotAvailable, InvalidParameter, StoreError } from "../../../domain/model/errors.ts"
import type { Snapshot } from "../../../domain/model/page.ts"
import type { ChainId } from "../../../domain/model/primitives.ts"
import type { Ports } from "../endpoint.ts"
import type { CompatFault } from "../faults.ts"
import { type Decoded, decodeParameters, type Parameters } from "../parameter.ts"
import type { Query } from "../query.ts"
import { invalidBlock } from "./parameters.ts"

export interface CompatAction {
  readonly module: string
  readonly action: string
  readonly result: (chainId: ChainId, query: Query) => Effect.Effect<Snapshot<unknown>, CompatFault | StoreError, Ports>
}

/** `parameters` in the order in which their faults are found: address, contractaddress, block, window. */
export const compatAction = <P extends Parameters<CompatFault>>(spec: {
  readonly module: string
  readonly action: string
  readonly parameters: P
  readonly result: (
    parameters: Decoded<P> & { readonly chainId: ChainId },
  ) => Effect.Effect<Snapshot<unknown>, InvalidParameter | HistoryNotAvailable | StoreError, Ports>
}): CompatAction => ({
  module: spec.module,
  action: spec.action,
  result: Effect.fnUntraced(function* (chainId, query) {
    const parameters = yield* Effect.fromResult(decodeParameters<CompatFault, P>(spec.parameters, query))
    return yield* spec.result({ ...parameters, chainId }).pipe(
      // The only values the domain judges itself are blocks.
      Effect.catchTags({
        InvalidParameter: ({ wanted, value }) => Effect.fail(invalidBlock(`expected ${wanted}, got ${value}`)),
        HistoryNotAvailable: ({ message }) => Effect.fail(invalidBlock(message)),
      }),
    )
  }),
})
