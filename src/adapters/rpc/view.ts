/** View calls of contracts: many in one `eth_call` where the chain has Multicall3, else many a request. */
import { Effect } from "effect"
import type { RpcCall } from "./answers.ts"
import type { RpcClient } from "./client.ts"
import { isContractFault } from "./fault.ts"
import { type CallOptions, callParams, type Multicall, type ViewCall } from "./multicall.ts"
import { isPruned } from "./originCalls.ts"
import { bytesOf } from "./shapes.ts"

/** A lot of calls in one may use so many times the gas of one. */
const gasOfLot = 4

/**
 * What each call returns, in order; "0x" where it fails in the contract. Without `multicall` every call is made alone.
 * Where the node does not keep the state that is asked, its newest.
 */
export const view = Effect.fnUntraced(function* (
  client: RpcClient,
  calls: ReadonlyArray<ViewCall>,
  multicall: Multicall | undefined,
  { at, gas }: CallOptions = {},
) {
  const together = { at, gas: gas === undefined ? undefined : gas * gasOfLot }
  const data = [...(multicall === undefined ? calls.map(() => undefined) : yield* multicall.ask(calls, together))]
  for (const block of at === undefined ? [undefined] : [at, undefined]) {
    const open = [...calls.keys()].filter((index) => data[index] === undefined)
    if (open.length === 0) break
    const alone = yield* client.batch(open.map((index) => aloneCall(calls[index]!, { at: block, gas })))
    open.forEach((index, place) => {
      data[index] = alone[place]
    })
  }
  return data as ReadonlyArray<string>
})

/** Undefined: the node does not keep that state. */
const aloneCall = (call: ViewCall, options: CallOptions): RpcCall<string | undefined> => ({
  method: "eth_call",
  params: callParams(call, options),
  read: (result) => bytesOf(result, "eth_call"),
  readFault: (fault) => {
    if (isContractFault(fault)) return { value: "0x" }
    return options.at !== undefined && isPruned(fault) ? { value: undefined } : undefined
  },
})
