/** Questions of wallets as of a moment that is not a block's number: a time, a block's hash, the newest final block. The answer names the block that it took. */
import type { SoakBlock } from "../chain/chain.ts"
import { differenceOf } from "../compare.ts"
import type { State } from "../oracle.ts"
import { standards } from "../oracle.ts"
import { type Asking, prefix } from "../questions/asking.ts"
import { holdingsOf, portfolioOf } from "./holdings.ts"

/** A question whose answer names its block. */
export interface MomentQuestion {
  readonly kind: "moment"
  readonly url: string
  readonly chains: ReadonlyArray<string>
  /** Codes of refusals that the state, and what is final by now, allow. */
  readonly refusals: (state: State, final: number) => ReadonlyArray<string>
  /** What is wrong with the answer as of the block that it named; undefined = nothing. */
  readonly judge: (state: State, final: number, named: number, body: unknown) => string | undefined
}

/** The portfolio as of a moment. A time's block may be an earlier one than the last by then, if nobody's balances changed between. */
export const portfolioAt = (asking: Asking): MomentQuestion => {
  const { random } = asking
  const holder = asking.person()
  const chain = asking.chain()
  const { chainId } = chain
  const path = `${prefix}/${chainId}/address/${asking.written(holder)}/portfolio`
  const which = { standards, onlyTrusted: false, least: undefined, byId: false }
  const judgeAs = (isMeant: (state: State, final: number, block: SoakBlock) => string | undefined) =>
    ((state, final, named, body) => {
      if (named > state.head.number) return `block ${named} is beyond the head`
      const wrong = isMeant(state, final, state.blockAt(named))
      return wrong ?? differenceOf(portfolioOf([state], holder, which, named), body, false)
    }) satisfies MomentQuestion["judge"]
  const at = chain.blocks[random.below(chain.head + 1)]!
  switch (random.pick(["timestamp", "blockHash", "finality"] as const)) {
    case "timestamp": {
      const time = at.time + random.pick([0, 0, 1, 7])
      const text = random.chance(0.5) ? `${time}` : new Date(time * 1000).toISOString()
      const lastBy = (state: State) => {
        let number = state.head.number
        while (number > 0 && state.blockAt(number).time > time) number--
        return number
      }
      return {
        ...{ kind: "moment", url: `${path}?timestamp=${text}`, chains: [chainId] },
        // A branch that stands now may have begun later, or not come so far.
        refusals: (state) => [
          ...(state.blockAt(0).time > time ? ["HISTORY_NOT_AVAILABLE"] : []),
          ...(state.head.time <= time ? ["INVALID_PARAMETER"] : []),
          "UNAVAILABLE",
        ],
        judge: judgeAs((state, _, block) => {
          const last = lastBy(state)
          if (block.number > last) return `block ${block.number} is younger than the time: the last by then is ${last}`
          const [then, wanted] = [block.number, last].map((number) => heldThere(state.at(number), holder))
          return then === wanted ? undefined : `block ${block.number} is not as block ${last}`
        }),
      }
    }
    case "blockHash":
      return {
        ...{ kind: "moment", url: `${path}?blockHash=${asking.written(at.hash)}`, chains: [chainId] },
        refusals: (state) => [
          ...(at.number > state.head.number || state.blockAt(at.number).hash !== at.hash ? ["INVALID_PARAMETER"] : []),
          "UNAVAILABLE",
        ],
        judge: judgeAs((_, __, block) =>
          block.hash === at.hash ? undefined : `block ${block.number} has another hash`,
        ),
      }
    case "finality":
      return {
        ...{ kind: "moment", url: `${path}?finality=finalized`, chains: [chainId] },
        refusals: (_, final) => (final < 50 ? ["HISTORY_NOT_AVAILABLE"] : []),
        judge: judgeAs((_, final, block) => (block.number <= final ? undefined : `block ${block.number} is not final`)),
      }
  }
}

const heldThere = (state: State, holder: string): string =>
  holdingsOf(state, holder, { standards, onlyTrusted: false, least: undefined, byId: false })
    .map(({ contract, tokenId, balance }) => `${contract} ${tokenId} ${balance}`)
    .sort()
    .join()
