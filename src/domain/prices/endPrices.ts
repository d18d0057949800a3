/** Where no source of prices is configured any more: what one said of now goes, as nobody looks whether it is true still. What past hours were priced at stays. */
import { Effect, type Semaphore } from "effect"
import type { Address } from "../../model/primitives.ts"
import { TokenPrices } from "../../ports/TokenPrices.ts"
import type { PriceKeeping } from "./keeping.ts"

/** Tokens in one go. */
const sliceSize = 200

/** Ends once there is none. `permits`: of the chains that may be at work at once. */
export const endPrices = Effect.fn("endPrices")(function* (
  chain: Pick<PriceKeeping, "chainId" | "stablecoins" | "intervalMs">,
  permits: Semaphore.Semaphore,
) {
  const { chainId, intervalMs } = chain
  const look = takePrices(chain).pipe(
    permits.withPermit,
    // A bug must not leave them standing in silence either.
    Effect.catchDefect(Effect.fail),
    Effect.catch((cause) =>
      Effect.logWarning(`chain ${chainId}: prices of before could not be taken away, trying again`, cause).pipe(
        Effect.as(true),
      ),
    ),
  )
  while (yield* look) yield* Effect.sleep(intervalMs)
})

/** True = there may be more: what the ledger's writer was at work on was left out. */
const takePrices = Effect.fnUntraced(function* ({
  chainId,
  stablecoins,
}: Pick<PriceKeeping, "chainId" | "stablecoins">) {
  const store = yield* TokenPrices
  yield* store.recordPegs(chainId, stablecoins, [])
  let after: Address | undefined
  while (true) {
    const priced = yield* store.listPriced(chainId, sliceSize, after)
    if (priced.length === 0) return after !== undefined
    yield* store.record(
      chainId,
      priced.map((address) => ({ address })),
    )
    after = priced.at(-1)
  }
})
