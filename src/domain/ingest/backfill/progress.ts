/** How much of a backfill is done, and how long the rest takes: told every second, whatever else goes on. */
import { Effect, Option } from "effect"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { FollowState } from "../state/FollowState.ts"
import { windowOf } from "../status/window.ts"
import { type Density, lookAtDensity, shareBefore } from "./density.ts"
import { makePace } from "./pace.ts"
import type { Sizing } from "./rangeReader.ts"

const tickMs = 1000
/** What is left of a sync is a few rounds of blocks that came meanwhile: the share of such a one is told only where it takes long. */
const quietMs = 10_000
/** Shorter ones are over before they are looked at; what is only caught up with is not worth the calls either. */
const fewestBlocks = { first: 500, again: 50_000 } as const
/** Of a load in bulk: the share of time that copying takes; what is made of the rows takes the rest. */
const copying = 0.6
/** Nobody can read a load before it has taken its place, which may have to wait for who reads there. */
const untilRead = 0.999
/** Of copying: the share of a block whose logs came in, and that the ledger has not taken. */
const told = 0.5
/** Of what is appended: the share of time until it can be committed. */
const untilCommit = 0.8

export interface Progress {
  /** Looks at the chain first, where that has not been done; undefined = too short, or no look was answered. */
  readonly density: Effect.Effect<Density | undefined>
  /** What the looks that were answered so far say. */
  readonly soFar: () => Density | undefined
  /** Blocks of which it is. */
  readonly blocks: number
}

/** Tells the status until the scope ends. `sizing`: of the ranges that are read meanwhile. */
export const watchProgress = Effect.fnUntraced(function* (state: FollowState, sizing: Pick<Sizing, "blocksTold">) {
  const { ledger, report, settings, source } = state
  const from = ledger.checkpoint().nextBlock
  const to = state.nodeHead - windowOf(settings)
  const range = { from: settings.startBlock, to }
  let soFar: Density | undefined
  const look = lookAtDensity(source, range, Math.max(1, settings.rpcConcurrency), (density) => {
    soFar = density
  })
  const isFirst = ledger.checkpoint().head === undefined || ledger.bulk?.isLoading() === true
  const fewest = isFirst ? fewestBlocks.first : fewestBlocks.again
  const density = yield* Effect.cached(to - from < fewest ? Effect.succeed(undefined) : look)
  const known = yield* Effect.forkScoped(density)
  const pace = makePace()
  let found: Density | undefined
  const shareOf = Effect.gen(function* () {
    if (found === undefined) found = known.pollUnsafe()?._tag === "Success" ? yield* density : undefined
    const before = (block: number) =>
      found === undefined ? (block - from) / Math.max(1, to + 1 - from) : shareBefore(found, block)
    const taken = before(report.reached() ?? from)
    const copied = told * before(Math.min(to + 1, from + sizing.blocksTold)) + (1 - told) * taken
    if (ledger.bulk?.isLoading() !== true) {
      return untilCommit * copied + (1 - untilCommit) * before(ledger.checkpoint().nextBlock)
    }
    const progress = yield* Effect.option(ledger.bulk.progress)
    if (Option.isNone(progress)) return undefined
    const { step, done } = progress.value
    const share = step === "copying" ? copying * Math.min(1, copied) : copying + (1 - copying) * done
    return Math.min(share, untilRead)
  })
  const tell = Effect.gen(function* () {
    const share = yield* shareOf
    if (share === undefined) return
    const { done, secondsLeft } = pace.mark(yield* steadyMillis, Math.max(0, Math.min(1, share)))
    report.progress(done, secondsLeft)
  })
  const isRest = !isFirst && to - from < fewestBlocks.first
  const telling = Effect.sleep(tickMs).pipe(Effect.andThen(tell), Effect.forever)
  yield* Effect.sleep(isRest ? quietMs : 0).pipe(Effect.andThen(telling), Effect.forkScoped)
  yield* Effect.addFinalizer(() => Effect.sync(() => report.progress(undefined, undefined)))
  return { density, soFar: () => soFar, blocks: to + 1 - range.from } satisfies Progress as Progress
})
