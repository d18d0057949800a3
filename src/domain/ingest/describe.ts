/** Asks new tokens what they are called, beside the ledger: slowly, again and again, never in its way. */
import { Clock, Effect, Result } from "effect"
import type { BornToken } from "../../ports/Ledger.ts"
import { TokenMetadata } from "../../ports/TokenMetadata.ts"
import type { TokenDescription } from "../model/token.ts"
import type { Following } from "./following.ts"
import { backoff } from "./patience.ts"

/** Tokens asked at once. */
const batchSize = 50
/** A token is put off for twice as long with every try, in milliseconds. */
const shortestDelay = 4000
const longestDelay = 600_000
/** A young token that says nothing is asked so often: its node may not have its block yet. */
const triesOfSilence = 3

type Described = { readonly token: BornToken; readonly description: TokenDescription }

/** Never ends. A token that fails is put off, for longer each time, and the others go on. */
export const describeTokens = Effect.fn("describeTokens")(function* (following: Following) {
  const { settings, writer, newTokens } = following
  const metadata = yield* TokenMetadata
  const putOff = new Map<string, { readonly until: number; readonly tries: number }>()
  let failures = 0
  /** A token that has answered: it tells a bad token from a node that is down. */
  let lastKnown: BornToken | undefined

  const postpone = (token: BornToken, now: number) => {
    const tries = (putOff.get(keyOf(token))?.tries ?? 0) + 1
    putOff.set(keyOf(token), { tries, until: now + Math.min(shortestDelay * 2 ** (tries - 1), longestDelay) })
  }

  const ask = (tokens: ReadonlyArray<BornToken>) =>
    Effect.result(
      metadata.describe(
        settings.chainId,
        tokens.map((token) => token.address),
      ),
    )

  /** A batch fails for one bad token. So each is asked alone, if it is not the node that fails: then nothing is known. */
  const askEach = Effect.fnUntraced(function* (tokens: ReadonlyArray<BornToken>) {
    const described: Array<Described> = []
    const failed: Array<BornToken> = []
    if (lastKnown !== undefined && Result.isFailure(yield* ask([lastKnown]))) return { described, failed }
    for (const token of tokens) {
      const answer = yield* ask([token])
      if (Result.isSuccess(answer)) described.push({ token, description: answer.success[0]! })
      else failed.push(token)
    }
    return { described, failed }
  })

  /** True = something was learned, there may be more. */
  const turn = Effect.fnUntraced(function* () {
    const now = yield* Clock.currentTimeMillis
    const pending = yield* writer.listUndescribedTokens(batchSize + putOff.size)
    const tokens = pending.filter((token) => (putOff.get(keyOf(token))?.until ?? 0) <= now).slice(0, batchSize)
    if (tokens.length === 0) return false
    const answer = yield* ask(tokens)
    const { described, failed } = Result.isSuccess(answer)
      ? { described: tokens.map((token, index) => ({ token, description: answer.success[index]! })), failed: [] }
      : yield* askEach(tokens)
    const isSilence = ({ token, description }: Described) =>
      Object.keys(description).length === 0 &&
      token.firstBlock > following.checkpoint.finalizedBlock &&
      (putOff.get(keyOf(token))?.tries ?? 0) + 1 < triesOfSilence
    const silent = described.filter(isSilence)
    const known = described.filter((each) => !isSilence(each))
    for (const token of [...failed, ...silent.map((each) => each.token)]) postpone(token, now)
    for (const { token } of known) putOff.delete(keyOf(token))
    if (known.length > 0) yield* Effect.uninterruptible(writer.describeTokens(known))
    lastKnown = known[0]?.token ?? lastKnown
    failures = described.length + failed.length > 0 ? 0 : failures + 1
    return described.length > 0
  })

  while (true) {
    newTokens.closeUnsafe()
    const learned = yield* turn().pipe(
      Effect.catchDefect(Effect.fail),
      Effect.catch(() => Effect.sync(() => void failures++)),
    )
    if (learned === true) continue
    if (failures > 0) yield* backoff(failures)
    else yield* Effect.raceFirst(newTokens.await, Effect.sleep(putOff.size > 0 ? 2000 : 30_000))
  }
})

const keyOf = ({ standard, address, firstBlock, firstLogIndex }: BornToken) =>
  `${standard}:${address}:${firstBlock}:${firstLogIndex}`
