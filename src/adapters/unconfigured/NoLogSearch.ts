/** The LogSearch port where there is no node. */
import { Effect, Layer } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { LogSearch } from "../../ports/LogSearch.ts"

export const layer = Layer.succeed(LogSearch, {
  find: () => Effect.fail(new SourceUnavailable({ message: "there is no node to ask", noNode: true })),
})
