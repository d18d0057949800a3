/** The TokenViews port where there is no node. */
import { Effect, Layer } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { TokenViews } from "../../ports/TokenViews.ts"

export const layer = Layer.succeed(TokenViews, {
  ask: () => Effect.fail(new SourceUnavailable({ message: "there is no node to ask", noNode: true })),
  perCall: () => 1,
})
