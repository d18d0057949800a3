/** View calls after one very block, with proof that the node has it and its state: else nothing is answered. */
import { Array as Arr, Effect, Result } from "effect"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcClient } from "../transport/client.ts"
import { wordsOf } from "../wire/kept.ts"
import { decodeAggregate, encodeAggregate, multicall3, type ViewCall } from "./multicall.ts"
import type { Answer } from "./pinnedCalls.ts"
import { type BlockPin, makePinnedExchange } from "./pinnedExchange.ts"
import { makeWhereabouts } from "./whereabouts.ts"

export interface PinnedViews {
  /** What each call returns, in order; "0x" where it fails in the contract. Of longer answers the first two words, and that there is more. */
  ask(calls: ReadonlyArray<ViewCall>, at: BlockPin): Effect.Effect<ReadonlyArray<string>, SourceUnavailable>
  /** Calls that go in one after that block (absent = the newest), as far as is known. */
  readonly perCall: (blockNumber?: number) => number
}

/** Calls in one `eth_call` of Multicall3, and in one request without it. */
const mostTogether = 50
const mostAlone = 20
/** What one call may use, all of one `eth_call`, and one where gas is counted in other measures. */
const gas = { alone: 5_000_000, together: 20_000_000, most: 100_000_000 }

export const makePinnedViews = (client: RpcClient, multicall = multicall3): PinnedViews => {
  const exchange = makePinnedExchange(client)
  const whereabouts = makeWhereabouts(client, multicall)
  /** Multicall3 has answered. */
  let isKnown = false

  /**
   * Of lots, each in an `eth_call` of its own. Undefined for calls that failed here: another may have used up the gas. No
   * list where all of it was too little, or they could not be asked so.
   */
  const inLots = Effect.fnUntraced(function* (
    lots: ReadonlyArray<ReadonlyArray<ViewCall>>,
    at: BlockPin,
    most: number,
  ) {
    if ((yield* whereabouts.has(at.blockNumber)) === false) return lots.map(() => undefined)
    const withClocks = lots.map((calls) => [...clocks.map((data) => ({ to: multicall, data })), ...calls])
    const { header, answers } = yield* exchange.ask(
      at,
      withClocks.map((calls) => ({ to: multicall, data: encodeAggregate(calls), gas: most, isKeptWhole: true })),
    )
    const isNothing = (answer: Answer | undefined) => typeof answer === "object" && answer.data === "0x"
    if (answers.some(isNothing)) yield* whereabouts.lacked(at.blockNumber)
    const found: Array<ReadonlyArray<string | undefined> | "starved" | undefined> = []
    for (const [place, calls] of withClocks.entries()) {
      const answer = answers[place]
      const results = decodeAggregate(typeof answer === "object" ? answer.data : "0x", calls.length, wordsOf)
      if (results === undefined) {
        found.push(answer === "starved" ? answer : undefined)
        continue
      }
      const lack = exchange.prove(header, results[0], results[1])
      if (lack !== undefined) return yield* lack
      whereabouts.had(at.blockNumber)
      isKnown = true
      found.push(results.slice(clocks.length))
    }
    return found
  })

  /** What has too little gas uses it up itself, where the clock has enough, which costs next to nothing. */
  const alone = Effect.fnUntraced(function* (
    calls: ReadonlyArray<ViewCall>,
    at: BlockPin,
    each: number = gas.alone,
  ): Effect.fn.Return<ReadonlyArray<Answer>, SourceUnavailable> {
    const { header, answers } = yield* exchange.ask(at, [
      { data: clockCode, gas: each },
      ...calls.map((call) => ({ ...call, gas: each })),
    ])
    const [clock, ...results] = answers
    if (clock === "starved" && each < gas.most) return yield* alone(calls, at, gas.most)
    const numberAndTime = clock === undefined || typeof clock === "string" ? "" : clock.data
    const lack = exchange.prove(header, numberAndTime.slice(0, 66), `0x${numberAndTime.slice(66)}`)
    if (lack !== undefined) return yield* lack
    return results
  })

  /** Each in a call of its own through Multicall3, which says what failed where the node's words are unknown. */
  const judge = Effect.fnUntraced(function* (
    calls: ReadonlyArray<ViewCall>,
    at: BlockPin,
    failure: SourceUnavailable,
  ): Effect.fn.Return<ReadonlyArray<Answer>, SourceUnavailable> {
    if (exchange.isUnproven(failure) || (yield* whereabouts.has(at.blockNumber)) !== true) return yield* failure
    const lots = calls.map((call) => [call])
    let found = yield* inLots(lots, at, gas.alone)
    if (found.includes("starved") && (yield* inLots([[]], at, gas.alone))[0] === "starved")
      found = yield* inLots(lots, at, gas.most)
    if (found.includes(undefined)) return yield* failure
    return found.map((results) => {
      const data = typeof results === "object" ? results[0] : undefined
      return data === undefined ? "failed" : { data }
    })
  })

  const askOnce = Effect.fnUntraced(function* (calls: ReadonlyArray<ViewCall>, at: BlockPin) {
    const data: Array<string | undefined> = []
    for (const part of Arr.chunksOf(calls, mostTogether)) {
      const [results] = yield* inLots([part], at, gas.together)
      data.push(...(typeof results === "object" ? results : part.map(() => undefined)))
    }
    const open = [...data.keys()].filter((index) => data[index] === undefined)
    for (const part of Arr.chunksOf(open, mostAlone)) {
      const asked = part.map((index) => calls[index]!)
      const answers = yield* alone(asked, at).pipe(Effect.catch((failure) => judge(asked, at, failure)))
      part.forEach((index, place) => {
        const answer = answers[place]!
        data[index] = typeof answer === "string" ? "0x" : answer.data
      })
    }
    return data.map((it) => it ?? "0x")
  })

  return {
    // A node that passes over a hash, and answers of its newest state, may know numbers.
    ask: Effect.fnUntraced(function* (calls, at) {
      const byHash = exchange.takesHashes
      const first = yield* Effect.result(askOnce(calls, at))
      if (Result.isSuccess(first)) return first.success
      if (!byHash || !exchange.isUnproven(first.failure)) return yield* first.failure
      exchange.takesHashes = false
      const second = yield* Effect.result(askOnce(calls, at))
      if (Result.isSuccess(second)) return second.success
      exchange.takesHashes = true
      return yield* first.failure
    }),
    perCall: (blockNumber) => (isKnown && !whereabouts.lacks(blockNumber) ? mostTogether : 1),
  }
}

/** getBlockNumber() and getCurrentBlockTimestamp() of Multicall3. */
const clocks = ["0x42cbb15c", "0x0f28c97d"]
/** Returns number and time of its block: NUMBER, TIMESTAMP, both stored, 64 bytes returned. */
const clockCode = "0x43600052426020526040" + "6000f3"
