/** View calls of contracts: many in one `eth_call` where the chain has Multicall3, else many a request. */
import { Effect } from "effect"
import type { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { isContractFault, isOutOfGas, isPruned } from "../transport/fault.ts"
import { answerOf } from "../wire/kept.ts"
import { bytesOf } from "../wire/shapes.ts"
import { type CallOptions, callParams, type Multicall, type ViewCall } from "./multicall.ts"

/** A lot of calls in one may use so many times the gas of one. */
const gasOfLot = 4
/** What one may use that had too little: on some chains gas is counted in other measures. */
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
  const together = { client, at, gas: gas === undefined ? undefined : gas * gasOfLot }
  const data = [...(multicall === undefined ? calls.map(() => undefined) : yield* multicall.ask(calls, together))]
  /** Where not all of them are told this way, what failed is the node. */
  const judged = Effect.fnUntraced(function* (failure: SourceUnavailable, open: ReadonlyArray<Open>) {
    if (multicall === undefined || failure.kind !== undefined) return yield* failure
    const answers: Array<string> = []
    for (const { index, options } of open) {
      const most = options.gas === undefined ? undefined : mostGas
      const answer = yield* multicall.judge(calls[index]!, { client, at: options.at, gas: most })
      if (answer === undefined) return yield* failure
      answers.push(answer)
    }
    return answers
  })
  let open = [...data.keys()]
    .filter((index) => data[index] === undefined)
    .map((index): Open => ({ index, options: { at, gas } }))
  while (open.length > 0) {
    const answers = yield* client
      .batch(open.map(({ index, options }) => aloneCall(calls[index]!, options, strict)))
      .pipe(Effect.catch((failure) => judged(failure, open)))
    const again: Array<Open> = []
    open.forEach(({ index, options }, place) => {
      const answer = answers[place]!
      if (answer === "pruned") again.push({ index, options: { gas: options.gas } })
      else if (answer === "starved") again.push({ index, options: { ...options, gas: mostGas } })
      else data[index] = answer
    })
    open = again
  }
  return data as ReadonlyArray<string>
})

/** A call that is to be made (again). */
interface Open {
  readonly index: number
  readonly options: CallOptions
}

/** "pruned": the node does not keep that state. "starved": it had too little gas. */
const aloneCall = (call: ViewCall, options: CallOptions, strict: boolean): RpcCall<string> => ({
  method: "eth_call",
  params: callParams(call, options),
  read: (result) => answerOf(bytesOf(result, "eth_call")),
  readFault: (fault) => {
    if (options.gas !== undefined && options.gas < mostGas && isOutOfGas(fault)) return { value: "starved" }
    if (isContractFault(fault)) return { value: "0x" }
    return options.at !== undefined && !strict && isPruned(fault) ? { value: "pruned" } : undefined
  },
})
