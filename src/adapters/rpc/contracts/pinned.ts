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

  /** Undefined for calls that failed here: another may have used up the gas. No list where all of it was too little, or they could not be asked so. */
  const together = Effect.fnUntraced(function* (
    calls: ReadonlyArray<ViewCall>,
    at: BlockPin,
    most: number = gas.together,
  ) {
    if ((yield* whereabouts.has(at.blockNumber)) === false) return undefined
    const all = [...clocks.map((data) => ({ to: multicall, data })), ...calls]
    const call = { to: multicall, data: encodeAggregate(all), gas: most, isKeptWhole: true }
    const { header, answers } = yield* exchange.ask(at, [call])
    const [answer] = answers
    if (answer === "starved") return answer
    if (answer === undefined || typeof answer === "string") return undefined
    if (answer.data === "0x") yield* whereabouts.lacked(at.blockNumber)
    const results = decodeAggregate(answer.data, all.length, wordsOf)
    if (results === undefined) return undefined
    const lack = exchange.prove(header, results[0], results[1])
    if (lack !== undefined) return yield* lack
    whereabouts.had(at.blockNumber)
    isKnown = true
    return results.slice(clocks.length)
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
    const answers: Array<Answer> = []
    for (const call of calls) {
      let results = yield* together([call], at, gas.alone)
      if (results === "starved" && (yield* together([], at, gas.alone)) === "starved")
        results = yield* together([call], at, gas.most)
      if (results === undefined) return yield* failure
      answers.push(results === "starved" || results[0] === undefined ? "failed" : { data: results[0] })
    }
    return answers
  })

  const askOnce = Effect.fnUntraced(function* (calls: ReadonlyArray<ViewCall>, at: BlockPin) {
    const data: Array<string | undefined> = []
    for (const part of Arr.chunksOf(calls, mostTogether)) {
      const results = yield* together(part, at)
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
