/** View calls of contracts: many in one `eth_call` where the chain has Multicall3, else many a request. */
import { Effect } from "effect"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isContractFault, isOutOfGas, isPruned, isRateLimit, type RpcFault } from "../transport/fault.ts"
import { answerOf } from "../wire/kept.ts"
import { bytesOf } from "../wire/shapes.ts"
import { type CallOptions, callParams, type Multicall, type ViewCall } from "./multicall.ts"

/** A lot of calls in one may use so much, or what one of them may. */
const gasOfLot = 20_000_000
/** What one may use where gas is counted in other measures, or may be. */
const mostGas = 100_000_000

/** What each call returns of one state, in order; "0x" where it fails, or is longer than any honest answer. */
export type AskState = (calls: ReadonlyArray<ViewCall>) => Effect.Effect<ReadonlyArray<string>, SourceUnavailable>

export interface ViewOptions extends CallOptions {
  /** A node that does not keep the state that is asked has failed. Default: its newest state is asked. */
  readonly strict?: boolean
}

/**
 * What each call returns, in order; "0x" where it fails in the contract, or is longer than any honest answer. Without
 * `multicall` every call is made alone. With it a call has failed also where the node says so in words that nobody knows:
 * one contract would else keep its chain waiting for good.
 */
export const view = Effect.fnUntraced(function* (
  client: Pick<RpcClient, "batch">,
  calls: ReadonlyArray<ViewCall>,
  multicall: Multicall | undefined,
  { at, gas, strict = false }: ViewOptions = {},
) {
  const together = { client, at, gas: gas === undefined ? undefined : Math.max(gas, gasOfLot) }
  const data = [...(multicall === undefined ? calls.map(() => undefined) : yield* multicall.ask(calls, together))]
  /** Where not all of them are told this way, what failed is the node. */
  const judged = Effect.fnUntraced(function* (failure: SourceUnavailable, open: ReadonlyArray<Open>) {
    if (multicall === undefined || failure.kind !== undefined) return yield* failure
    const asked = open.map(({ index, options }) => ({ call: calls[index]!, options }))
    const answers = yield* multicall.judge(asked, client)
    // What one failed of may be the gas, too.
    return answers === undefined ? yield* failure : answers.map((answer) => (answer === "0x" ? "starved" : answer))
  })
  /**
   * Whether calls that had too little gas are to blame themselves; undefined = nobody knows. It is asked each time: how
   * gas is counted may depend on another chain's prices.
   */
  const useItUp = Effect.fnUntraced(function* (starved: ReadonlyArray<Open>) {
    if (multicall === undefined || starved.length === 0) return undefined
    // All of them were asked of one state, and had as much.
    const { options } = starved[0]!
    const [longest] = starved
      .map(({ index }) => calls[index]!)
      .sort((one, other) => other.data.length - one.data.length)
    return yield* multicall.isEnough(longest!, { client, ...options })
  })
  let open = [...data.keys()]
    .filter((index) => data[index] === undefined)
    .map((index): Open => ({ index, options: { at, gas } }))
  while (open.length > 0) {
    const answers = yield* client
      .batch(open.map(({ index, options }) => aloneCall(calls[index]!, options, strict)))
      .pipe(Effect.catch((failure) => judged(failure, open)))
    const again: Array<Open> = []
    const starved: Array<Open> = []
    open.forEach(({ index, options }, place) => {
      const answer = answers[place]!
      if (answer === "pruned") again.push({ index, options: { gas: options.gas } })
      else if (answer !== "starved") data[index] = answer
      else if (options.gas !== undefined) starved.push({ index, options })
      else data[index] = "0x"
    })
    const blame = yield* useItUp(starved)
    for (const { index, options } of starved) {
      if (mayHaveMore(options) && blame !== true) again.push({ index, options: { ...options, gas: mostGas } })
      // What is enough for nothing at all is no bound: the node has its own.
      else if (blame === false) again.push({ index, options: { at: options.at } })
      else data[index] = "0x"
    }
    open = again
  }
  return data as ReadonlyArray<string>
})

/** A call that is to be made (again). */
interface Open {
  readonly index: number
  readonly options: CallOptions
}

const mayHaveMore = ({ gas = mostGas }: CallOptions): boolean => gas < mostGas

/** "pruned": the node does not keep that state. "starved": it had too little gas. */
const aloneCall = (call: ViewCall, options: CallOptions, strict: boolean): RpcCall<string> => ({
  method: "eth_call",
  params: callParams(call, options),
  read: (result) => answerOf(bytesOf(result, "eth_call")),
  readFault: (fault) => {
    if (options.gas !== undefined && isOutOfGas(fault)) return { value: "starved" }
    if (isContractFault(fault) || (options.gas === mostGas && isAborted(fault))) return { value: "0x" }
    return options.at !== undefined && !strict && isPruned(fault) ? { value: "pruned" } : undefined
  },
})

/** Of a call that had used up less before: the node would run into its own limit of time each time. */
const isAborted = (fault: RpcFault): boolean =>
  fault.kind === "answer" && !isRateLimit(fault) && /execution (?:was )?(?:aborted|timed? ?out)/i.test(fault.message)
