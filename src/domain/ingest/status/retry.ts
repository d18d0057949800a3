/** Waiting after failures, for as long as it takes. */
import { Effect, Random, Result } from "effect"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { Report } from "./report.ts"

/** After the nth failure in a row (n from 0): half a second, doubling up to 30 s, less up to a half by chance. */
export const backoff = Effect.fnUntraced(function* (failures: number) {
  const wait = Math.min(500 * 2 ** failures, 30_000)
  yield* Effect.sleep(wait * (0.5 + 0.5 * (yield* Random.next)))
})

/** Asks again until the node answers; meanwhile the chain's status says what is wrong. */
export const patiently = Effect.fnUntraced(function* <A, R>(
  report: Report,
  ask: Effect.Effect<A, SourceUnavailable, R>,
) {
  for (let failures = 0; ; failures++) {
    const answer = yield* Effect.result(ask)
    if (Result.isSuccess(answer)) {
      if (failures > 0) report.problem(undefined)
      return answer.success
    }
    yield* report.refused(answer.failure)
    yield* backoff(failures)
  }
})
