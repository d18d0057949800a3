/** The AccountMarks port in memory: rows are reached by their number there, so that nothing needs to be counted. */
import { Effect, Layer } from "effect"
import { AccountMarks } from "../../ports/AccountMarks.ts"

export const layer = Layer.succeed(
  AccountMarks,
  AccountMarks.of({
    next: () => Effect.succeed(undefined),
    sample: () => Effect.succeed({ rows: 0, accounts: [] }),
    begin: () => Effect.succeed(0),
    count: () => Effect.void,
  }),
)
