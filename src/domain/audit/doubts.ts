/** Which figures of the ledger are suspect, and what is said of several together. */
import { type AuditState, type ChainState, type Doubt, worstState } from "../../model/audit.ts"
import { compareChainIds } from "../../model/primitives.ts"
import { stateAt } from "./auditStatus.ts"

/** The state of figures after a block (absent = of now), where they are suspect. */
export const suspectAt = (doubt: Doubt | undefined, blockNumber: number | undefined): AuditState | undefined => {
  if (doubt === undefined) return undefined
  const state = stateAt(doubt, blockNumber)
  return doubt.partial === true || state === "drift" || state === "rebasing" ? state : undefined
}

/** The worst of each chain, ascending by chain id. */
export const worstByChain = (states: ReadonlyArray<ChainState>): ReadonlyArray<ChainState> =>
  [...new Set(states.map(({ chainId }) => chainId))].toSorted(compareChainIds).flatMap((chainId) => {
    const state = worstState(states.flatMap((it) => (it.chainId === chainId ? [it.state] : [])))
    return state === undefined ? [] : [{ chainId, state }]
  })
