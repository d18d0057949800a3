/** Questions with one answer, most of them of the compatibility endpoint: how they are put, and what their parameters mean. */
import { holdersOf } from "../../support/judge/truth.ts"
import type { State } from "../oracle.ts"
import { standardsOf, supplyOf } from "../records.ts"
import { type Asking, prefix } from "./asking.ts"

/** A question with one answer. */
export interface ValueQuestion {
  readonly kind: "value"
  readonly url: string
  readonly chains: ReadonlyArray<string>
  /** The whole body; `found` is the one that came, where only parts of it can be known. */
  readonly answer: (states: ReadonlyArray<State>, found: unknown) => unknown
  /** Absent = 200. */
  readonly status?: number
  /** A block that is asked for: refused while the chain has not reached it. */
  readonly block?: number
  /** The code of that refusal; absent = as the compatibility endpoint refuses. */
  readonly beyond?: string
}

/** What a balance is where no standard is named: the first that the contract emits by now speaks. */
export const balanceOf = (now: State, then: State, contract: string, holder: string): bigint => {
  const [standard] = standardsOf(now, contract)
  const balances = standard === undefined ? [] : holdersOf(then, standard, contract)
  return balances.find(([address]) => address === holder)?.[1] ?? 0n
}

export const supplyAt = (now: State, then: State, contract: string): bigint => {
  const [standard] = standardsOf(now, contract)
  return standard === undefined ? 0n : supplyOf(then, standard, contract)
}

type Values = Readonly<Record<string, string | number | undefined>>

/** `result` of the newest state. */
export const compat =
  (
    module: string,
    action: string,
    prepare: (asking: Asking) => {
      readonly values: Values
      readonly result: (state: State) => unknown
      readonly block?: number
    },
  ) =>
  (asking: Asking): ValueQuestion => {
    const { chainId } = asking.chain()
    const { values, result, block } = prepare(asking)
    const given = Object.entries({ module, action, ...values }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    )
    const path = asking.random.pick(["compat/api", "etherscan/api", "compat/api/"])
    return {
      kind: "value",
      url: `${prefix}/${chainId}/${path}?${given.join("&")}`,
      chains: [chainId],
      answer: ([state]) => ({ status: "1", message: "OK", result: result(state!) }),
      ...(block === undefined ? {} : { block }),
    }
  }

/** `blockno` of a list: now and then one; what the state is then. */
export const blockOf = (asking: Asking) => {
  const block = asking.random.chance(0.4) ? asking.block() : undefined
  return {
    blockno: block,
    past: (state: State) => (block === undefined ? state : state.at(block)),
    ...(block === undefined ? {} : { block }),
  }
}

/** `page` and `offset`, and what they cut out. */
export const windowOf = ({ random }: Asking, otherwise: number) => {
  const page = random.pick([undefined, 1, 1, 2, 3])
  const offset = random.pick([undefined, 1, 5, 20, 100, 1000])
  const [start, size] = [((page ?? 1) - 1) * (offset ?? otherwise), offset ?? otherwise]
  return {
    values: { page, offset },
    cut: <Value>(all: ReadonlyArray<Value>) => all.slice(start, start + size),
  }
}
