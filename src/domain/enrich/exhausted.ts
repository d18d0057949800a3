/** Tokens whose creation could not be found are asked for again, now and then: a node that keeps old state may have come since. */
import { Effect } from "effect"
import type { BornToken } from "../../ports/Ledger.ts"
import type { WithOrigins } from "./jobs.ts"

/** Tokens asked about at once. */
const batchSize = 20
/** Between two batches while something is found. */
const restMs = 500
/** And where nothing was: so that a hundred thousand of them cost a node that cannot tell next to nothing. */
const idleMs = 900_000

/**
 * Never ends. The newest first, each once until all have had their turn: who knows some old states knows the newer ones.
 * They wait while many were never asked for.
 */
export const askExhausted = Effect.fnUntraced(function* ({ chainId, ledger: { writer }, origins }: WithOrigins) {
  let last: BornToken | undefined

  /** One that spoils the batch must not hide the others. */
  const findEach = Effect.fnUntraced(function* (tokens: ReadonlyArray<BornToken>) {
    const together = yield* Effect.option(origins.find(chainId, tokens))
    if (together._tag === "Some") return together.value
    return yield* Effect.forEach(tokens, (token) =>
      origins.find(chainId, [token]).pipe(
        Effect.map(([origin]) => origin),
        Effect.orElseSucceed(() => undefined),
      ),
    )
  })

  /** True = something was found. */
  const askBatch = Effect.fnUntraced(function* () {
    if ((yield* writer.listTokensWithoutOrigin(batchSize)).length === batchSize) return false
    const tokens = yield* writer.listExhaustedTokens(batchSize, last)
    last = tokens.length < batchSize ? undefined : tokens.at(-1)
    if (tokens.length === 0) return false
    const answers = yield* findEach(tokens)
    const found = tokens.flatMap((token, place) => {
      const origin = answers[place]
      return origin?.time === undefined && origin?.txHash === undefined ? [] : [{ token, origin }]
    })
    if (found.length > 0) yield* Effect.uninterruptible(writer.recordOrigins(found))
    return found.length > 0
  })

  while (true) {
    const found = yield* askBatch().pipe(
      Effect.catchDefect(Effect.fail),
      Effect.orElseSucceed(() => false),
    )
    yield* Effect.sleep(found ? restMs : idleMs)
  }
})
