/** View calls of contracts: many in one `eth_call` where the chain has Multicall3, else many a request. */
import { Effect } from "effect"
import type { RpcCall } from "./answers.ts"
import type { RpcClient } from "./client.ts"
import { isContractFault } from "./fault.ts"
import { blockTag, type Multicall, type ViewCall } from "./multicall.ts"
import { isPruned } from "./originCalls.ts"
import { bytesOf } from "./shapes.ts"

export interface ViewOptions {
  /** The state after that block; the newest where the node keeps no other. Absent = the newest. */
  readonly at?: number | undefined
  /** What a call made alone may use. Absent = what the node allows. */
  readonly gas?: number
}

/** What each call returns, in order; "0x" where it fails in the contract. Without `multicall` every call is made alone. */
export const view = Effect.fnUntraced(function* (
  client: RpcClient,
  calls: ReadonlyArray<ViewCall>,
  multicall: Multicall | undefined,
  { at, gas }: ViewOptions = {},
) {
  const data = [...(multicall === undefined ? calls.map(() => undefined) : yield* multicall.ask(calls, at))]
  for (const block of at === undefined ? [undefined] : [at, undefined]) {
    const open = [...calls.keys()].filter((index) => data[index] === undefined)
    if (open.length === 0) break
    const alone = yield* client.batch(open.map((index) => aloneCall(calls[index]!, block, gas)))
    open.forEach((index, place) => {
      data[index] = alone[place]
    })
  }
  return data as ReadonlyArray<string>
})

/** Undefined: the node does not keep that state. */
const aloneCall = (
  { to, data }: ViewCall,
  at: number | undefined,
  gas: number | undefined,
): RpcCall<string | undefined> => ({
  method: "eth_call",
  params: [{ to, data, ...(gas === undefined ? {} : { gas: `0x${gas.toString(16)}` }) }, blockTag(at)],
  read: (result) => bytesOf(result, "eth_call"),
  readFault: (fault) => {
    if (isContractFault(fault)) return { value: "0x" }
    return at !== undefined && isPruned(fault) ? { value: undefined } : undefined
  },
})
