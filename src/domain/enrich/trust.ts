/** Keeps what the token lists say in the store, chain by chain, for as long as the service runs. */
import { Effect, Result } from "effect"
import type { StoreError } from "../../model/errors.ts"
import type { ChainId } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import type { AddressedNote } from "../../model/tokenNote.ts"
import { Networks } from "../../ports/Networks.ts"
import { TokenLists } from "../../ports/TokenLists.ts"
import { TokenNotes } from "../../ports/TokenNotes.ts"

/** Between two looks: what the chain's writer was at work on may be free any time. */
const restMs = 5000
/**
 * Between two looks while a chain has no ledger, and until it has had one for `restMs`: tokens that are born while the notes
 * are written know nothing of them, and a young ledger has many.
 */
const closePauseMs = 1000
/** All is recorded again so often: a token that was born while its note came may have missed it. */
const longestTrustedMs = 600_000

/** Which opening of a chain's ledger is open here; undefined = none. */
export type OpeningOf = (chainId: ChainId) => object | undefined

interface Last {
  /** Another one may have another ledger's tokens. */
  readonly opening: object
  readonly notes: ReadonlyArray<AddressedNote>
  readonly at: number
}

const nothing: ReadonlyArray<AddressedNote> = []

/** Never ends. Of chains whose ledger is open here: another process may have other lists. */
export const keepNotes = Effect.fn("keepNotes")(function* (openingOf: OpeningOf) {
  const recorded = new Map<ChainId, Last>()
  const young = new Map<ChainId, number>()
  let failing = false
  while (true) {
    const failed = yield* recordNotes(openingOf, recorded, young).pipe(
      Effect.as(undefined),
      Effect.catchDefect(Effect.fail),
      Effect.catch((error) => Effect.succeed(error)),
    )
    if (failed !== undefined && !failing) {
      yield* Effect.logWarning("token lists cannot be recorded at the moment; what was recorded stays", failed)
    }
    failing = failed !== undefined
    yield* Effect.sleep(young.size > 0 ? closePauseMs : restMs)
  }
})

/**
 * One look: chains whose notes changed since, or whose ledger was opened again, and those that were recorded long ago. A chain that fails holds up no other.
 * `young`: when a chain was last without a ledger that is open here, in milliseconds, until it has had one for a while.
 */
export const recordNotes = Effect.fnUntraced(function* (
  openingOf: OpeningOf,
  recorded: Map<ChainId, Last>,
  young: Map<ChainId, number> = new Map(),
) {
  const { chains } = yield* Networks
  const lists = yield* TokenLists
  const store = yield* TokenNotes
  const said = yield* lists.read
  const at = yield* steadyMillis
  let failure: StoreError | undefined
  for (const { chainId } of chains) {
    const opening = openingOf(chainId)
    if (opening === undefined) {
      young.set(chainId, at)
      recorded.delete(chainId)
      continue
    }
    const notes = said.get(chainId) ?? nothing
    const last = recorded.get(chainId)
    const isSame = last?.opening === opening && last.notes === notes
    if (isSame && at - last.at < longestTrustedMs) continue
    const result = yield* Effect.result(store.record(chainId, notes))
    if (Result.isFailure(result)) failure = result.failure
    const answer = Result.isSuccess(result) ? result.success : undefined
    if (answer === "absent") young.set(chainId, at)
    else if (at - (young.get(chainId) ?? Number.NEGATIVE_INFINITY) >= restMs) young.delete(chainId)
    if (answer === "all" && !young.has(chainId)) recorded.set(chainId, { opening, notes, at })
    else recorded.delete(chainId)
  }
  if (failure !== undefined) return yield* Effect.fail(failure)
})
