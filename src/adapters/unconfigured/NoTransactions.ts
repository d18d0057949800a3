/** The TransactionSource port where there is no node. */
import { Effect, Layer } from "effect"
import { SourceUnavailable } from "../../ports/ChainSource.ts"
import { TransactionSource } from "../../ports/TransactionSource.ts"

export const layer = Layer.succeed(TransactionSource, {
  read: () => Effect.fail(new SourceUnavailable({ message: "there is no node to ask", noNode: true })),
})
