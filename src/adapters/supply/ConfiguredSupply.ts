/** The NativeSupplySource port over configured sources: asked when an answer is wanted and the last one is old, never twice at once. */
import { createHash } from "node:crypto"
import { Clock, Duration, Effect, Fiber, Layer, Option, Schema, type Scope } from "effect"
import { whyNotNewest } from "../../domain/lag/ledgerLag.ts"
import { SupplyUnavailable } from "../../model/errors.ts"
import { type ChainId, dateTimeOf } from "../../model/primitives.ts"
import { NativeSupply } from "../../model/supply.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import type { SupplySettings } from "../../model/userFiles/supplySettings.ts"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import { Freshness } from "../../ports/Freshness.ts"
import { KeptCopies } from "../../ports/KeptCopies.ts"
import { NativeBalances } from "../../ports/NativeBalances.ts"
import { NativeSupplySource } from "../../ports/NativeSupplySource.ts"
import { type Chain, Networks } from "../../ports/Networks.ts"
import { SyncStatus } from "../../ports/SyncStatus.ts"
import { WebDocuments } from "../../ports/WebDocuments.ts"
import { findFigures, type Sources, type SuppliedChain, SupplyRefused } from "./figures.ts"

/** Milliseconds for which an answer is good. */
const freshForMs = 60_000
/** After a failure the source is left alone so long, in milliseconds. */
const restAfterFailureMs = 30_000
/** A caller waits so long for a new answer where there is an old one, and where there is none. */
const callerTimeout = { withAnswer: Duration.seconds(2), without: Duration.seconds(25) }
/**
 * Blocks behind the chain up to which published figures, which are of now, and balances, which nodes keep for so many
 * blocks, go together with the ledger's block.
 */
const mostLag = 100
const answerTimeout = Duration.seconds(25)

interface Answer {
  readonly supply: NativeSupply
  /** Milliseconds. */
  readonly foundAt: number
}

type Configured = Pick<Chain, "chainId" | "nativeCurrency" | "supply">

/** `own`: as this process has it; of other chains, and where it says nothing, as `Networks` has it. */
export const layer = (own: ReadonlyArray<Configured>) =>
  Layer.effect(
    NativeSupplySource,
    Effect.gen(function* () {
      const networks = yield* Networks
      const services: Services = {
        sources: { web: yield* WebDocuments, balances: yield* NativeBalances },
        freshness: yield* Freshness,
        copies: yield* KeptCopies,
        status: yield* SyncStatus,
        scope: yield* Effect.scope,
      }
      const ownById = new Map(own.flatMap((it) => (it.supply === undefined ? [] : [[it.chainId, it] as const])))
      // The settings of another process may change while this one runs.
      const finders = new Map<ChainId, { readonly text: string; readonly find: ReturnType<typeof makeFinder> }>()
      return NativeSupplySource.of({
        find: (chainId) => {
          const chain = suppliedOf(ownById.get(chainId) ?? networks.chains.find((it) => it.chainId === chainId))
          if (chain === undefined) return Effect.succeed(undefined)
          if (chain === "untold") return Effect.fail(untold(chainId))
          const text = JSON.stringify(chain)
          const known = finders.get(chainId)
          if (known?.text === text) return known.find
          const find = makeFinder(chain, services)
          finders.set(chainId, { text, find })
          return find
        },
      })
    }),
  )

/** undefined = nobody says where its supply is known from. */
const suppliedOf = (chain: Configured | undefined): SuppliedChain | "untold" | undefined => {
  if (chain?.nativeCurrency === undefined || chain.supply === undefined) return undefined
  if (chain.supply.kind === "untold") return "untold"
  const { symbol, decimals } = chain.nativeCurrency
  return { chainId: chain.chainId, symbol, decimals, settings: chain.supply }
}

const untold = (chainId: ChainId) =>
  new SupplyUnavailable({
    message: `the native supply of chain ${chainId} comes from a URL that only the process that follows the chain has: ask that one, or write chains.${chainId}.supply in the file of this process's COWRY_CONFIG`,
  })

interface Services {
  readonly sources: Sources
  readonly freshness: Freshness["Service"]
  readonly copies: KeptCopies["Service"]
  readonly status: SyncStatus["Service"]
  /** Of the questions under way. */
  readonly scope: Scope.Scope
}

const makeFinder = (chain: SuppliedChain, { sources, freshness, copies, status, scope }: Services) => {
  const { chainId, symbol } = chain
  // Other settings make another number: what was kept under them says nothing.
  const key = `native supply ${chainId} ${createHash("sha256").update(JSON.stringify(chain)).digest("hex")}`
  let isLoaded = false
  let last: Answer | undefined
  let restsUntil = 0
  let running: Fiber.Fiber<void> | undefined
  /** Why this process can make no answer at all, in plain words. */
  let lacking: string | undefined

  const load = Effect.gen(function* () {
    const kept = yield* copies.find(key)
    const supply = Option.getOrUndefined(decode(kept?.text))
    if (kept !== undefined && supply !== undefined) last = { supply, foundAt: kept.checkedAt }
    isLoaded = true
  })

  const compute = Effect.gen(function* () {
    const [asOf] = yield* freshness.asOf([chainId])
    if (asOf === undefined) return yield* new SupplyRefused({ message: "no block is indexed yet" })
    const why = isOfNow(chain.settings) ? yield* whyNotNewest(asOf, mostLag) : undefined
    if (why !== undefined) return yield* new SupplyRefused({ message: why })
    const figures = yield* findFigures(sources, chain, asOf)
    const { blockNumber, time } = asOf
    const supply: NativeSupply = { chainId, symbol, ...figures, blockNumber, timestamp: dateTimeOf(time) }
    const foundAt = yield* Clock.currentTimeMillis
    last = { supply, foundAt }
    lacking = undefined
    yield* copies.keep(key, { text: JSON.stringify(supply), checkedAt: foundAt })
  }).pipe(
    Effect.provideService(SyncStatus, status),
    Effect.timeoutOrElse({ duration: answerTimeout, orElse: () => Effect.fail(tooSlow) }),
  )

  const refresh: Effect.Effect<void> = compute.pipe(
    Effect.catchDefect(Effect.fail),
    Effect.catch(
      Effect.fnUntraced(function* (error: unknown) {
        restsUntil = (yield* steadyMillis) + restAfterFailureMs
        lacking = lackOf(error)
        const stays = last === undefined ? "there is no answer" : `the one of block ${last.supply.blockNumber} stays`
        yield* Effect.logWarning(`chain ${chainId}: the native supply is not known (${reasonOf(error)}); ${stays}`)
      }),
    ),
  )

  return Effect.gen(function* () {
    if (!isLoaded) yield* load
    const now = yield* Clock.currentTimeMillis
    const isFresh = last !== undefined && Math.abs(now - last.foundAt) < freshForMs
    const isRunning = running !== undefined && running.pollUnsafe() === undefined
    if (!isFresh && (isRunning || (yield* steadyMillis) >= restsUntil)) {
      if (!isRunning) running = yield* Effect.forkIn(refresh, scope)
      const timeout = last === undefined ? callerTimeout.without : callerTimeout.withAnswer
      yield* Fiber.await(running!).pipe(Effect.timeoutOption(timeout))
    }
    if (last === undefined) {
      return yield* new SupplyUnavailable({
        message:
          lacking === undefined
            ? `the source of the native supply of chain ${chainId} gives no answer at the moment, try again shortly`
            : `the native supply of chain ${chainId} is without what some addresses hold, which its node tells: ${lacking}`,
      })
    }
    const age = Math.max(0, Math.floor(((yield* Clock.currentTimeMillis) - last.foundAt) / 1000))
    return { supply: last.supply, ageSeconds: age }
  }).pipe(Effect.withSpan("ConfiguredSupply.find"))
}

const isOfNow = ({ kind, burnt = [], locked = [] }: SupplySettings): boolean =>
  kind === "http" || burnt.length + locked.length > 0

const tooSlow = new SupplyRefused({ message: `no answer within ${Duration.toSeconds(answerTimeout)} s` })

const decodeSupply = Schema.decodeUnknownOption(Schema.fromJsonString(NativeSupply))
const decode = (text: string | undefined) => (text === undefined ? Option.none() : decodeSupply(text))

const lackOf = (error: unknown): string | undefined => {
  const { _tag, noNode, message } = error as { readonly _tag?: unknown } & Partial<SourceUnavailable>
  return _tag === "SourceUnavailable" && noNode === true ? message : undefined
}

/** Tagged errors hold no secrets; what else fails may. */
const reasonOf = (error: unknown): string => {
  const { _tag, message } = error as { readonly _tag?: unknown; readonly message?: unknown }
  if (_tag === "StoreUnavailable") return "the store cannot be reached"
  return typeof _tag === "string" && typeof message === "string" && message !== "" ? message : "the source failed"
}
