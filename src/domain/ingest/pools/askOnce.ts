/** Questions to contracts that are asked once each, also by several at the same time: answers are kept in memory. */
import { Deferred, Effect, Exit } from "effect"
import type { Address } from "../../../model/primitives.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { AskedState } from "../../../ports/Pools.ts"

export interface AskedOnce<Value> {
  /** What is known of each address; what is not is asked. */
  readonly ask: (
    addresses: ReadonlyArray<Address>,
    at: AskedState,
  ) => Effect.Effect<ReadonlyMap<Address, Value>, SourceUnavailable>
  /** One that knows nothing. Questions under way go on with the old one. */
  readonly afresh: () => AskedOnce<Value>
}

/** Values in the order of the addresses. */
type Ask<Value> = (
  addresses: ReadonlyArray<Address>,
  at: AskedState,
) => Effect.Effect<ReadonlyArray<Value>, SourceUnavailable>

/** Addresses remembered: about 300 bytes each. */
const mostKnown = 100_000

export const askOnce = <Value>(ask: Ask<Value>): AskedOnce<Value> => {
  type Answers = ReadonlyMap<Address, Value>
  const known = new Map<Address, Value>()
  /** Of each address that somebody is asking about: what will be answered. */
  const asking = new Map<Address, Deferred.Deferred<Answers, SourceUnavailable>>()

  const askFor = (addresses: ReadonlyArray<Address>, at: AskedState) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const answer = Deferred.makeUnsafe<Answers, SourceUnavailable>()
        for (const address of addresses) asking.set(address, answer)
        return answer
      }),
      () =>
        Effect.map(
          ask(addresses, at),
          (values): Answers => new Map(addresses.map((address, place) => [address, values[place]!])),
        ),
      (answer, exit) => {
        for (const address of addresses) asking.delete(address)
        // Those who wait go on where we are stopped.
        return Deferred.done(answer, Exit.hasInterrupts(exit) ? Exit.fail(interrupted) : exit)
      },
    )

  return {
    ask: Effect.fnUntraced(function* (addresses, at) {
      // Held apart: what is known may be cleared while we wait.
      const found = new Map<Address, Value>()
      const own: Array<Address> = []
      const others = new Set<Deferred.Deferred<Answers, SourceUnavailable>>()
      for (const address of addresses) {
        const answer = asking.get(address)
        if (known.has(address)) found.set(address, known.get(address)!)
        else if (answer !== undefined) others.add(answer)
        else own.push(address)
      }
      if (own.length > 0) {
        const answers = yield* askFor(own, at)
        if (known.size > mostKnown) known.clear()
        for (const [address, value] of answers) {
          known.set(address, value)
          found.set(address, value)
        }
      }
      for (const answer of others) {
        for (const [address, value] of yield* Deferred.await(answer)) found.set(address, value)
      }
      return found
    }),
    afresh: () => askOnce(ask),
  }
}

const interrupted = new SourceUnavailable({ message: "a question to contracts was given up" })
