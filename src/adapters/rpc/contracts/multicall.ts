/** Multicall3: many view calls in one `eth_call`, where the chain has the contract. Coding by hand; pure but for `makeMulticall`. */
import { Effect } from "effect"
import { Address } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isContractFault, isOutOfGas } from "../transport/fault.ts"
import { abiWord, quantity } from "../wire/abi.ts"
import { answerOf } from "../wire/kept.ts"
import { bytesOf } from "../wire/shapes.ts"
import { makeWhereabouts, restMs } from "./whereabouts.ts"

/** The same on nearly every chain that has it. */
export const multicall3 = Address.make("0xca11bde05977b3631167028862be2a173976ca11")

/** `data`: the selector and the arguments after it. */
export interface ViewCall {
  readonly to: Address
  readonly data: string
}

export interface Multicall {
  /**
   * What each call returned, in order; undefined for one that failed or could not be asked this way. One that failed
   * here need not fail alone: another may have used up the gas. A node that lacks the block that is asked about fails all.
   */
  ask(
    calls: ReadonlyArray<ViewCall>,
    options?: AskOptions,
  ): Effect.Effect<ReadonlyArray<string | undefined>, SourceUnavailable>
  /**
   * What each call returned, in order, that has all the gas of an `eth_call` of its own; "0x" where it failed. So it is
   * known without the node's words, of which there are as many as there are ways to fail. "starved": all of it was too
   * little. Undefined where they could not be asked this way.
   */
  judge(
    asked: ReadonlyArray<OwnCall>,
    client: Pick<RpcClient, "batch">,
  ): Effect.Effect<ReadonlyArray<string> | undefined, SourceUnavailable>
  /**
   * Whether that gas is enough for a call as long that costs next to nothing: what has too little of it then uses it up
   * itself. Undefined where it could not be asked.
   */
  isEnough(call: ViewCall, options: AskOptions): Effect.Effect<boolean | undefined, SourceUnavailable>
}

export interface CallOptions {
  /** The state after that block; absent = the newest. */
  readonly at?: number | undefined
  /** What an `eth_call` may use; absent = what the node allows. */
  readonly gas?: number | undefined
}

export interface OwnCall {
  readonly call: ViewCall
  readonly options: CallOptions
}

interface AskOptions extends CallOptions {
  /** Who asks; default: the chain's client. */
  readonly client?: Pick<RpcClient, "batch">
}

/** Calls in one `eth_call`: a token that burns or returns all it can spoils so many others at most. */
const mostCalls = 60
/** After so many failures of nodes in a row nothing is asked this way for a minute: a node may be down, or refuse as much in one call. */
const mostFailures = 5

interface Lot extends CallOptions {
  readonly calls: ReadonlyArray<ViewCall>
}

export const makeMulticall = (client: RpcClient, address = multicall3): Multicall => {
  const whereabouts = makeWhereabouts(client, address)
  let failures = 0
  let restsUntil = Number.NEGATIVE_INFINITY

  /** Of lots, each in an `eth_call` of its own; undefined = they could not be asked. */
  const inLots = Effect.fnUntraced(function* (
    lots: ReadonlyArray<Lot>,
    from: Pick<RpcClient, "batch"> = client,
    isCounted = true,
  ) {
    if ((yield* steadyMillis) < restsUntil || lots.some(({ at }) => whereabouts.lacks(at))) return undefined
    // A node that cannot answer it may well answer the calls one by one.
    const results = yield* from.batch(lots.map(({ calls, ...options }) => aggregateCall(address, calls, options))).pipe(
      Effect.catchIf(
        ({ kind }) => kind !== "behind",
        () => Effect.succeed(undefined),
      ),
    )
    if (isCounted) failures = results === undefined ? failures + 1 : 0
    if (failures >= mostFailures) restsUntil = (yield* steadyMillis) + restMs
    if (results === undefined) return undefined
    const lacking = results.indexOf("no Multicall3")
    if (lacking !== -1) yield* whereabouts.lacked(lots[lacking]!.at)
    else for (const [place, { at }] of lots.entries()) if (results[place] !== "starved") whereabouts.had(at)
    return results
  })

  return {
    // Where a node does not say whether the contract is there the calls are made one by one: nobody waits for it.
    ask: Effect.fnUntraced(function* (calls, options = {}) {
      if (!(yield* whereabouts.has(options.at))) return calls.map(() => undefined)
      const parts: Array<ReadonlyArray<ViewCall>> = []
      for (let from = 0; from < calls.length; from += mostCalls) parts.push(calls.slice(from, from + mostCalls))
      const { client: from, at, gas } = options
      const asked = yield* Effect.forEach(parts, (calls) => inLots([{ calls, at, gas }], from), { concurrency: 2 })
      return parts.flatMap((part, place) => {
        const results = asked[place]?.[0]
        return typeof results === "object" ? results : part.map(() => undefined)
      })
    }),
    judge: Effect.fnUntraced(function* (asked, from) {
      for (const { options } of asked) if (!(yield* whereabouts.has(options.at))) return undefined
      const lots = asked.map(({ call, options: { at, gas } }) => ({ calls: [call], at, gas }))
      // They have been asked together before, which counted.
      const answers = (yield* inLots(lots, from, false))?.map((each) =>
        typeof each === "object" ? (each[0] ?? "0x") : each,
      )
      return answers?.includes("no Multicall3") ? undefined : answers
    }),
    isEnough: Effect.fnUntraced(function* (call, options) {
      if (!(yield* whereabouts.has(options.at))) return undefined
      const [answer] = yield* (options.client ?? client).batch([trivialCall(address, call, options)]).pipe(
        Effect.catchIf(
          ({ kind }) => kind !== "behind",
          () => Effect.succeed([]),
        ),
      )
      return answer === undefined || answer === "unknown" ? undefined : answer === "enough"
    }),
  }
}

/** "no Multicall3": what answers there is none. "starved": it had too little gas. */
const aggregateCall = (
  address: Address,
  calls: ReadonlyArray<ViewCall>,
  options: CallOptions,
): RpcCall<ReadonlyArray<string | undefined> | "no Multicall3" | "starved"> => ({
  method: "eth_call",
  params: callParams({ to: address, data: encodeAggregate(calls) }, options),
  read: (result) => decodeAggregate(bytesOf(result, "eth_call"), calls.length, answerOf) ?? "no Multicall3",
  readFault: (fault) => {
    if (isOutOfGas(fault)) return { value: "starved" }
    return isContractFault(fault) ? { value: "no Multicall3" } : undefined
  },
})

/** getBlockNumber() and as many bytes as the call has: some chains take gas for those. */
const trivialCall = (
  address: Address,
  { data }: ViewCall,
  options: CallOptions,
): RpcCall<"enough" | "starved" | "unknown"> => ({
  method: "eth_call",
  params: callParams({ to: address, data: `0x42cbb15c${data.slice(2)}` }, options),
  read: (result) => (bytesOf(result, "eth_call").length === 66 ? "enough" : "unknown"),
  readFault: (fault) => {
    if (isOutOfGas(fault)) return { value: "starved" }
    return isContractFault(fault) ? { value: "unknown" } : undefined
  },
})

/** aggregate3((address target, bool allowFailure, bytes callData)[]), every failure allowed. */
export const encodeAggregate = (calls: ReadonlyArray<ViewCall>): string => {
  const tuples = calls.map(
    ({ to, data }) => `${abiWord(to)}${abiWord(1)}${abiWord(96)}${abiWord(data.length / 2 - 1)}${padded(data)}`,
  )
  let offset = calls.length * 32
  const offsets = tuples.map((tuple) => {
    const own = offset
    offset += tuple.length / 2
    return abiWord(own)
  })
  return `0x82ad56cb${abiWord(32)}${abiWord(calls.length)}${offsets.join("")}${tuples.join("")}`
}

/** (bool success, bytes returnData)[] of so many results; undefined = it is none such. `keep`: what is kept of each. */
export const decodeAggregate = (
  answer: string,
  count: number,
  keep: (data: string) => string,
): ReadonlyArray<string | undefined> | undefined => {
  const hex = answer.slice(2)
  const bytes = hex.length / 2
  /** The number in the word at a byte, where it could be a place in the answer. */
  const numberAt = (at: number): number => {
    const number = at + 32 <= bytes ? Number(`0x${hex.slice(2 * at, 2 * at + 64)}`) : Number.NaN
    return number <= bytes ? number : Number.NaN
  }
  const list = numberAt(0)
  if (numberAt(list) !== count) return undefined
  const results: Array<string | undefined> = []
  for (let index = 0; index < count; index++) {
    const tuple = list + 32 + numberAt(list + 32 + 32 * index)
    const success = numberAt(tuple)
    const data = tuple + numberAt(tuple + 32)
    const end = data + 32 + numberAt(data)
    if (!(end <= bytes) || success > 1) return undefined
    results.push(success === 1 ? keep(`0x${hex.slice(2 * (data + 32), 2 * end)}`) : undefined)
  }
  return results
}

/** Of `eth_call`. */
export const callParams = (call: ViewCall, { at, gas }: CallOptions): ReadonlyArray<unknown> => [
  { ...call, ...(gas === undefined ? {} : { gas: quantity(gas) }) },
  at === undefined ? "latest" : quantity(at),
]

const padded = (data: string): string => data.slice(2).padEnd(Math.ceil((data.length - 2) / 64) * 64, "0")
