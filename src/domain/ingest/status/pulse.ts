/** What time itself changes of a chain's status: rates fall, word from the node grows old, and its head moves on. */
import { Effect, Exit, Option } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import { makeSurvive } from "../../../model/time/survive.ts"
import type { ChainSourceClient } from "../../../ports/ChainSource.ts"
import type { Report } from "./report.ts"

/** Milliseconds between two looks at the time. */
const tickMs = 1000
/** Milliseconds beyond the usual time between two looks at the head, after which it is looked at from here. */
const unaskedMs = 10_000

export interface Pulse {
  /** By which to follow. */
  readonly source: ChainSourceClient
  /** Whether the node is known to be of the chain: another's head is none. At first it is not. */
  readonly trust: (isOwn: boolean) => void
}

/**
 * Lets the status age with time. What else the node answers is no news while it fails to tell its head. That is asked
 * for every `pollMs`; where whoever follows does not, as while the ledger keeps it waiting, it is asked for now and then.
 */
export const keepTime = Effect.fnUntraced(function* (
  node: ChainSourceClient,
  report: Report,
  { chainId, pollMs }: { readonly chainId: ChainId; readonly pollMs: number },
) {
  let headless = false
  let isOwn = false
  let asking = 0
  let asked = yield* steadyMillis
  const survive = makeSurvive(`chain ${chainId}, its status`)
  const tick = Effect.suspend(() => report.tick(headless ? undefined : node.heardAt?.(), node))
  yield* Effect.sleep(tickMs).pipe(Effect.andThen(survive(tick)), Effect.forever, Effect.forkChild)
  const begin = Effect.map(steadyMillis, (now) => {
    asked = now
    asking++
  })
  const head = Effect.acquireUseRelease(
    begin,
    () => node.head,
    (_, exit) =>
      Effect.sync(() => {
        asking--
        if (!Exit.hasInterrupts(exit)) headless = Exit.isFailure(exit)
      }),
  )
  const look = Effect.gen(function* () {
    if (!isOwn || asking > 0 || (yield* steadyMillis) - asked < pollMs + unaskedMs) return
    const found = yield* Effect.option(head)
    if (Option.isSome(found) && isOwn) report.head(found.value.number)
  })
  yield* Effect.sleep(tickMs).pipe(Effect.andThen(survive(look)), Effect.forever, Effect.forkChild)
  const source: ChainSourceClient = {
    chainId: node.chainId,
    head,
    headers: (numbers) => node.headers(numbers),
    logs: (fromBlock, toBlock) => node.logs(fromBlock, toBlock),
    logsOfBlocks: (hashes) => node.logsOfBlocks(hashes),
    crossCheck: (hashes) => node.crossCheck(hashes),
    failover: node.failover,
    ...(node.prove === undefined ? {} : { prove: node.prove }),
    ...(node.proveFinal === undefined ? {} : { proveFinal: node.proveFinal }),
    ...(node.nodes === undefined ? {} : { nodes: node.nodes }),
  }
  const pulse: Pulse = {
    source,
    trust: (isIt) => {
      isOwn = isIt
    },
  }
  return pulse
})
