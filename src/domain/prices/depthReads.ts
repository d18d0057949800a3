/** Depths of pools, read while nodes fail: a failing pool is told from a failing node. Either rests for a while, and nobody waits without end. */
import { Effect, Result } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import { steadyMillis } from "../../model/time/steadyClock.ts"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import { type FoundDepth, PoolDepths } from "../../ports/PoolDepths.ts"
import { makeUnheard } from "./unheard.ts"

/** A node, or a pool, that has failed is left alone for so long. */
export const restMs = 60_000
/** Prices of now wait for a pool for so long. */
export const longestWaitMs = 3_600_000
/** Prices of the past wait so long for one that fails while others answer, for a node as long as it takes. */
export const longestPastWaitMs = 86_400_000
/** After so many pools in a row it is the node that fails. */
const failuresOfNode = 3
/** Failing pools that are remembered. */
const mostFailing = 10_000

/** What is waited for: prices of now, of hours of the last day, or of hours before that. */
export type Wait = "now" | "lately" | "past"

/**
 * `awaited`: it cannot be asked now, and is to be waited for. `given up`: nor is it. `gone for now`: nor is it, and the state counts as
 * gone meanwhile. Undefined = nothing that can be.
 */
export type ReadDepth = Exclude<FoundDepth, "unheard" | "silent"> | "awaited" | "given up" | "gone for now" | undefined

/** Milliseconds of the steady clock. */
interface Failing {
  readonly since: number
  readonly lastAsked: number
  /** The node answered then: it is the pool that says nothing. */
  readonly isSilent: boolean
}

export const makeDepthReads = Effect.gen(function* () {
  const port = yield* PoolDepths
  /** By chain, states of now and past ones apart: what a node says of the one proves nothing of the other. */
  const nodesRestUntil = new Map<string, number>()
  /** Pools that failed since one answered. */
  const failed = new Map<string, Set<Address>>()
  /** A concentrated pool that could be read: where it still can, the node does not fail. */
  const witnesses = new Map<string, Address>()
  const failing = new Map<string, Failing>()
  const unheard = makeUnheard(restMs)

  /** `block` absent = the newest state. */
  return Effect.fnUntraced(function* (
    chainId: ChainId,
    pools: ReadonlyArray<Address>,
    wait: Wait,
    block: number | undefined,
  ) {
    const found = new Map<Address, ReadDepth>()
    if (pools.length === 0) return found
    const isPast = wait !== "now"
    const [inVain, silent] = [new Set<Address>(), new Set<Address>()]
    const state = `${chainId} ${isPast ? "past" : "now"}`
    const keyOf = (pool: Address) => `${state} ${pool}`

    const read = (some: ReadonlyArray<Address>) =>
      Effect.gen(function* () {
        const answer = yield* Effect.result(port.read(chainId, some, block))
        if (Result.isFailure(answer)) return answer.failure
        failed.delete(state)
        for (const [place, pool] of some.entries()) {
          const depth = answer.success[place]
          if (depth === "silent" || depth === "unheard") {
            if (depth === "silent") silent.add(pool)
            else inVain.add(pool)
            continue
          }
          unheard.heard(chainId, pool, block)
          if (typeof depth === "object") witnesses.set(state, pool)
          found.set(pool, depth)
          failing.delete(keyOf(pool))
        }
        return undefined
      })

    const isNodeWell = Effect.gen(function* () {
      const witness = witnesses.get(state)
      if (witness === undefined) return false
      const told = yield* Effect.result(port.read(chainId, [witness], block))
      return Result.isSuccess(told) && told.success[0] !== "unheard" && told.success[0] !== "silent"
    })

    /** Which of them it is that fails: one by one, until it seems to be the node. */
    const readEach = Effect.fnUntraced(function* (some: ReadonlyArray<Address>, failure: SourceUnavailable) {
      for (const pool of some) {
        // A question about one alone has been asked.
        const fault = some.length > 1 ? yield* read([pool]) : failure
        if (fault === undefined) continue
        const inRow = failed.get(state) ?? new Set()
        failed.set(state, inRow.add(pool))
        const isNew = !failing.has(keyOf(pool))
        if (isNew)
          yield* Effect.logWarning(`chain ${chainId}: pool ${pool} cannot be asked how deep it is: ${fault.message}`)
        if (inRow.size < failuresOfNode || (yield* isNodeWell)) continue
        nodesRestUntil.set(state, (yield* steadyMillis) + restMs)
        yield* Effect.logWarning(
          `chain ${chainId}: pools cannot be asked how deep they are, their prices wait: ${failure.message}`,
        )
        return
      }
    })

    const before = yield* steadyMillis
    const isNodeAtRest = before < (nodesRestUntil.get(state) ?? Number.NEGATIVE_INFINITY)
    const asked = isNodeAtRest
      ? []
      : pools.filter(
          (pool) =>
            before >= (failing.get(keyOf(pool))?.lastAsked ?? Number.NEGATIVE_INFINITY) + restMs &&
            !unheard.rests(chainId, pool, block, before),
        )
    const failure = asked.length === 0 ? undefined : yield* read(asked)
    if (failure !== undefined) yield* readEach(asked, failure)

    const now = yield* steadyMillis
    const limit = isPast ? longestPastWaitMs : longestWaitMs
    const begun = [...silent].find((pool) => !failing.has(keyOf(pool)))
    if (begun !== undefined)
      yield* Effect.logWarning(
        `chain ${chainId}: pools say nothing of how deep they are, their prices wait: ${begun} is one of ${silent.size}`,
      )
    for (const pool of pools) if (unheard.rests(chainId, pool, block, now)) inVain.add(pool)
    const waitMs = wait === "past" ? longestPastWaitMs : longestWaitMs
    const isAwaited = inVain.size === 0 || (yield* unheard.isAwaited(chainId, [...inVain], block, waitMs))
    for (const pool of inVain) found.set(pool, isAwaited ? "awaited" : "gone for now")
    const overdue: Array<Address> = []
    for (const pool of pools) {
      if (found.has(pool)) continue
      const key = keyOf(pool)
      const known = failing.get(key)
      // One that nobody asked about for long begins anew.
      const since = known === undefined || now - known.lastAsked > limit ? now : known.since
      failing.delete(key)
      const isAsked = asked.includes(pool) || known === undefined
      const isSilent = isAsked ? silent.has(pool) : known.isSilent
      failing.set(key, { since, lastAsked: isAsked ? now : known.lastAsked, isSilent })
      found.set(pool, now - since > limit && isSilent ? "given up" : "awaited")
      if (now - since > limit && !isSilent) overdue.push(pool)
    }
    if (overdue.length > 0 && (!isPast || (yield* isNodeWell))) for (const pool of overdue) found.set(pool, "given up")
    for (const key of failing.keys()) {
      if (failing.size <= mostFailing) break
      failing.delete(key)
    }
    return found
  })
})
