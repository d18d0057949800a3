/** Where Multicall3 is: whether the newest state has it, and in which states it has shown that it is not. Either is looked at again. */
import { Effect, Option } from "effect"
import type { Address } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { bytesOf } from "../wire/shapes.ts"

/** Of blocks: absent = the newest state. */
export interface Whereabouts {
  /** Whether it may be asked of that state; undefined = the node does not say. */
  readonly has: (at?: number) => Effect.Effect<boolean | undefined>
  /** The state has none, as far as is known without asking. */
  readonly lacks: (at?: number) => boolean
  /** An answer of that state said that there is none. One may lie: the state was lost, the backend is behind. */
  readonly lacked: (at?: number) => Effect.Effect<void>
  /** It has answered of that state. */
  readonly had: (at?: number) => void
}

/** After so many answers without it, of states as new or newer, it is left alone. */
const mostInVain = 5
/** That it is not there is believed for so long. */
export const absentMs = 3_600_000
/** A node that has failed is left alone for so long. */
export const restMs = 60_000

export const makeWhereabouts = (client: RpcClient, address: Address): Whereabouts => {
  let told: { readonly isThere: boolean | undefined; readonly until: number } | undefined
  let inVain: ReadonlyArray<{ readonly at: number; readonly until: number }> = []

  const look = Effect.gen(function* () {
    const code = Option.getOrUndefined(yield* Effect.option(client.batch([codeCall(address)])))?.[0]
    const isThere = code === undefined ? undefined : code !== "0x"
    const goodForMs = { true: Number.POSITIVE_INFINITY, false: absentMs, undefined: restMs }[`${isThere}`]
    told = { isThere, until: (yield* steadyMillis) + goodForMs }
    return isThere
  })

  // What was made later is in no older state: a state without it speaks of those before it alone.
  const lacks = (at = Number.POSITIVE_INFINITY) => inVain.filter((each) => each.at >= at).length >= mostInVain

  return {
    has: Effect.fnUntraced(function* (at) {
      const now = yield* steadyMillis
      inVain = inVain.filter(({ until }) => now < until)
      if (lacks(at)) return false
      return told !== undefined && now < told.until ? told.isThere : yield* look
    }),
    lacks,
    lacked: Effect.fnUntraced(function* (at = Number.POSITIVE_INFINITY) {
      const until = (yield* steadyMillis) + absentMs
      inVain = [...inVain, { at, until }].sort((one, other) => other.at - one.at).slice(0, mostInVain)
    }),
    had: (at = Number.POSITIVE_INFINITY) => {
      inVain = inVain.filter((each) => each.at < at)
    },
  }
}

const codeCall = (address: Address): RpcCall<string> => ({
  method: "eth_getCode",
  params: [address, "latest"],
  read: (result) => bytesOf(result, "eth_getCode"),
})
