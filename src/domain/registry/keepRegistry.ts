/** The two sides of the registry: what is followed here is told, what is followed elsewhere is learned. */
import { Effect } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import { makeSurvive } from "../../model/time/survive.ts"
import { ChainRegistry, type ServedChain } from "../../ports/ChainRegistry.ts"
import { SyncStatus } from "../../ports/SyncStatus.ts"
import type { KnownChains } from "./knownChains.ts"

/** Between two looks at the registry, and between two words of how a chain is doing. */
const lookMs = 1000
const tellMs = 2000
/** A chain that is stopped here may be followed by somebody else: it is told where nobody has told anything for so long. */
const untoldMs = 10_000
/** Of one failure the log has a line so often. */
const quietMs = 60_000

/** Ends with the first look, and looks on while the scope lives. A look that fails changes nothing of what is known. */
export const learnChains = Effect.fnUntraced(function* (known: KnownChains) {
  const registry = yield* ChainRegistry
  let said: string | undefined
  let isFailing = false
  let chains = chainsOf(known)
  const learn = Effect.gen(function* () {
    const look = yield* registry.look.pipe(Effect.catchDefect(Effect.fail), Effect.result)
    const now = yield* steadyMillis
    if (look._tag === "Success") known.take(look.success, now)
    else known.fail("the registry cannot be read at the moment, try again shortly")
    const problem = look._tag === "Success" ? look.success.problem : undefined
    if (problem !== undefined && problem !== said) yield* Effect.logWarning(`${problem}. It is waited for`)
    if (look._tag === "Failure" && !isFailing) yield* Effect.logWarning(unread, look.failure)
    if (look._tag === "Success" && problem === undefined && (said !== undefined || isFailing))
      yield* Effect.logInfo("the registry is read")
    isFailing = look._tag === "Failure"
    if (look._tag === "Success") said = problem
    const before = chains
    chains = chainsOf(known)
    if (chains !== before)
      yield* Effect.logInfo(`answers are given for ${chains === "" ? "no chain" : `chains ${chains}`}`)
  })
  yield* learn
  const survive = makeSurvive("what other processes tell")
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lookMs), survive(learn))))
})

const unread = "the registry cannot be read: what was known of chains stays, and it is asked again each second"

const chainsOf = ({ networks }: KnownChains): string => networks.chains.map(({ chainId }) => chainId).join(", ")

/** A chain whose ledger is open here: what answers of it depend on, until the registry has it. */
export const publishChain = Effect.fnUntraced(function* (chain: ServedChain) {
  const registry = yield* ChainRegistry
  yield* untilWritten(registry.publish(chain))
})

const untilWritten = <E, R>(write: Effect.Effect<void, E, R>): Effect.Effect<void, never, R> =>
  Effect.suspend(() => write).pipe(Effect.catch(() => Effect.andThen(Effect.sleep(tellMs), untilWritten(write))))

/** Never ends. `isOpen`: whether the ledger of a chain is open here: then nobody else follows it. */
export const tellStatuses = Effect.fnUntraced(function* (
  chains: ReadonlyArray<ServedChain>,
  isOpen: (chainId: ChainId) => boolean,
) {
  const registry = yield* ChainRegistry
  const status = yield* SyncStatus
  let saidAt = Number.NEGATIVE_INFINITY
  let isFirst = true
  while (true) {
    const own = status.list()
    const open = own.filter(({ chainId }) => isOpen(chainId))
    const stopped = own.filter(({ chainId, phase }) => phase === "stopped" && !isOpen(chainId))
    const told: Effect.Effect<void, unknown> = Effect.gen(function* () {
      if (isFirst) for (const chain of chains) yield* registry.publishFirst(chain)
      isFirst = false
      yield* registry.tell(open)
      yield* registry.tell(stopped, untoldMs)
    })
    const now = yield* steadyMillis
    yield* Effect.catch(Effect.catchDefect(told, Effect.fail), (error) => {
      if (now - saidAt < quietMs) return Effect.void
      saidAt = now
      return Effect.logWarning(
        "other processes are not told how the chains are doing: the registry cannot be written",
        error,
      )
    })
    yield* Effect.sleep(tellMs)
  }
})
