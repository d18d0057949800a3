/** A contract may change its name, its symbol and its decimals: what is compared with it is asked for them again. */
import { Effect, Option } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { descriptionOf } from "../../model/token.ts"
import type { BornToken, LedgerWriter } from "../../ports/Ledger.ts"
import { TokenMetadata } from "../../ports/TokenMetadata.ts"

/** The next comparison waits no longer for names. */
const longestMs = 10_000

/**
 * Never fails: they are asked again at a later look. A contract that says nothing now is left alone, for one that was never
 * asked is asked until that is believed.
 */
export const describeAnew = Effect.fnUntraced(function* (
  chainId: ChainId,
  writer: Pick<LedgerWriter, "describeTokens">,
  samples: ReadonlyArray<{ readonly token: BornToken }>,
) {
  const metadata = yield* Effect.serviceOption(TokenMetadata)
  if (Option.isNone(metadata)) return
  const addresses = [...new Set(samples.map(({ token }) => token.address))]
  yield* metadata.value.describe(chainId, addresses).pipe(
    Effect.flatMap((answers) => {
      const said = new Map(addresses.map((address, index) => [address, answers[index]!]))
      const described = samples.map(({ token }) => ({
        token,
        description: descriptionOf(token.standard, said.get(token.address)!),
      }))
      return writer.describeTokens(described.filter(({ description }) => Object.keys(description).length > 0))
    }),
    Effect.timeout(longestMs),
    Effect.catchDefect(Effect.fail),
    Effect.catch((error) => Effect.logDebug(`chain ${chainId}: tokens cannot be asked for their names again`, error)),
  )
})
