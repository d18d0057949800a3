/** The ChainNode port where there is no node. */
import { Effect, Layer } from "effect"
import { ChainNode } from "../../ports/ChainNode.ts"
import { SourceUnavailable } from "../../ports/ChainSource.ts"

export const layer = Layer.succeed(ChainNode, {
  sends: false,
  call: () => Effect.fail(new SourceUnavailable({ message: "there is no node to ask", noNode: true })),
})
