/** View calls after one very block, with proof that the node has it and its state: else nothing is answered. */
import { Array as Arr, Effect, Result } from "effect"
import type { Hash } from "../../../model/primitives.ts"
import { type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcClient } from "../transport/client.ts"
import { quantity } from "../wire/abi.ts"
import { decodeAggregate, encodeAggregate, multicall3, type ViewCall } from "./multicall.ts"
import { type Answer, headerCall, type Spent, viewCall } from "./pinnedCalls.ts"

export interface BlockPin {
  readonly blockNumber: number
  readonly hash: Hash
}

export interface PinnedViews {
  /** What each call returns, in order; "0x" where it fails in the contract. */
  ask(calls: ReadonlyArray<ViewCall>, at: BlockPin): Effect.Effect<ReadonlyArray<string>, SourceUnavailable>
  /** Calls that go in one, as far as is known. */
  readonly perCall: () => number
}

/** Calls in one `eth_call` of Multicall3, and in one request without it. */
const mostTogether = 50
const mostAlone = 20
/** What one call may use, all of one `eth_call`, and one that had too little: on some chains gas is counted in other measures. */
const gas = { alone: 5_000_000, together: 20_000_000, most: 100_000_000 }

export const makePinnedViews = (client: RpcClient, multicall = multicall3): PinnedViews => {
  /** The node takes a block's hash for the block (EIP-1898): until the contrary is seen. */
  let takesHashes = true
  /** The chain has Multicall3; undefined = not known yet. */
  let hasMulticall: boolean | undefined

  const fail = (what: string) => new SourceUnavailable({ message: `${client.label}: ${what}` })

  /** The answers, and the header of the block; all of them of one node and of that block. */
  const exchange: (
    at: BlockPin,
    calls: ReadonlyArray<Spent>,
  ) => Effect.Effect<{ readonly header: SourceHeader; readonly answers: ReadonlyArray<Answer> }, SourceUnavailable> =
    Effect.fnUntraced(function* (at: BlockPin, calls: ReadonlyArray<Spent>) {
      const { blockNumber: number, hash } = at
      const byHash = takesHashes
      const block = byHash ? { blockHash: hash, requireCanonical: true } : quantity(number)
      const { values, whole } = yield* client.together<unknown>([
        headerCall(number),
        ...calls.map((call) => viewCall(call, block, byHash)),
        headerCall(number),
      ])
      const headers = [values[0], values.at(-1)] as ReadonlyArray<SourceHeader | undefined>
      const answers = values.slice(1, -1) as ReadonlyArray<Answer>
      if (answers.includes("by number")) {
        takesHashes = false
        return yield* exchange(at, calls)
      }
      if (answers.includes("absent") || headers.some((header) => header?.hash !== hash)) {
        return yield* fail(`the node has no block ${number} with hash ${hash}`)
      }
      if (answers.includes("pruned")) return yield* fail(`the node does not keep the state of block ${number}`)
      if (!whole && !byHash) return yield* fail("the node answers neither by a block's hash nor in one batch")
      return { header: headers[0]!, answers }
    })

  /** Failures of nodes that do not show that they speak of the block. */
  const doubts = new WeakSet<SourceUnavailable>()
  const doubt = (what: string) => {
    const error = fail(what)
    doubts.add(error)
    return error
  }

  /** Numbers and times of blocks as contracts see them. Arbitrum and the like tell another chain's number. */
  const prove = (header: SourceHeader, number: string | undefined, time: string | undefined) => {
    const isWord = (data: string | undefined) => data !== undefined && /^0x[0-9a-f]{64}$/.test(data)
    if (!isWord(number) || !isWord(time)) return doubt("the node does not show which block it answers for")
    const distance = Number(BigInt(number!)) - header.number
    return BigInt(time!) === BigInt(header.time) && (distance === 0 || Math.abs(distance) > otherCount)
      ? undefined
      : doubt(`asked about block ${header.number}, the node answers of the state of another`)
  }

  /** Undefined for calls that failed here: another may have used up the gas. */
  const together = Effect.fnUntraced(function* (calls: ReadonlyArray<ViewCall>, at: BlockPin) {
    const none = calls.map(() => undefined)
    if (hasMulticall === false) return none
    const all = [...clocks.map((data) => ({ to: multicall, data })), ...calls]
    const call = { to: multicall, data: encodeAggregate(all), gas: gas.together }
    const { header, answers } = yield* exchange(at, [call])
    const [answer] = answers
    if (answer === undefined || typeof answer === "string") return none
    if (answer.data === "0x") hasMulticall = false
    const results = decodeAggregate(answer.data, all.length)
    if (results === undefined) return none
    const lack = prove(header, results[0], results[1])
    if (lack !== undefined) return yield* lack
    hasMulticall = true
    return results.slice(clocks.length)
  })

  const alone = Effect.fnUntraced(function* (calls: ReadonlyArray<ViewCall>, at: BlockPin, each: number = gas.alone) {
    const { header, answers } = yield* exchange(at, [
      { data: clockCode, gas: gas.alone },
      ...calls.map((call) => ({ ...call, gas: each })),
    ])
    const [clock, ...results] = answers
    const words = clock === undefined || typeof clock === "string" ? "" : clock.data
    const lack = prove(header, words.slice(0, 66), `0x${words.slice(66)}`)
    if (lack !== undefined) return yield* lack
    return results
  })

  const askOnce = Effect.fnUntraced(function* (calls: ReadonlyArray<ViewCall>, at: BlockPin) {
    const data: Array<string | undefined> = []
    for (const part of Arr.chunksOf(calls, mostTogether)) data.push(...(yield* together(part, at)))
    const fill = Effect.fnUntraced(function* (each: number) {
      const open = [...data.keys()].filter((index) => data[index] === undefined)
      for (const part of Arr.chunksOf(open, mostAlone)) {
        const asked = part.map((index) => calls[index]!)
        const answers = yield* alone(asked, at, each)
        part.forEach((index, place) => {
          const answer = answers[place]!
          if (answer !== "starved") data[index] = typeof answer === "string" ? "0x" : answer.data
        })
      }
    })
    yield* fill(gas.alone)
    // A node may take offence at so much gas: those calls fail then, and no others.
    yield* Effect.ignore(fill(gas.most))
    return data.map((it) => it ?? "0x")
  })

  return {
    // A node that passes over a hash, and answers of its newest state, may know numbers.
    ask: Effect.fnUntraced(function* (calls, at) {
      const byHash = takesHashes
      const first = yield* Effect.result(askOnce(calls, at))
      if (Result.isSuccess(first)) return first.success
      if (!byHash || !doubts.has(first.failure)) return yield* first.failure
      takesHashes = false
      const second = yield* Effect.result(askOnce(calls, at))
      if (Result.isSuccess(second)) return second.success
      takesHashes = true
      return yield* first.failure
    }),
    perCall: () => (hasMulticall === true ? mostTogether : 1),
  }
}

/** A number of another chain is further away than any state that is kept. */
const otherCount = 100_000

/** getBlockNumber() and getCurrentBlockTimestamp() of Multicall3. */
const clocks = ["0x42cbb15c", "0x0f28c97d"]
/** Returns number and time of its block: NUMBER, TIMESTAMP, both stored, 64 bytes returned. */
const clockCode = "0x43600052426020526040" + "6000f3"
