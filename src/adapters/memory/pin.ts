/** Whether a walk as of a block goes on speaking of the same block. */
import type { PageRequest, Pin } from "../../model/page.ts"
import type { MemoryChain } from "./state.ts"

/** Nothing where no block is asked for. */
export const pinOf = (
  chain: MemoryChain | undefined,
  blockNumber: number | undefined,
  page: PageRequest<unknown>,
): { readonly pin?: Pin } => {
  if (blockNumber === undefined || chain === undefined) return {}
  const { rollbacks } = chain
  const since = page.rollbacks ?? rollbacks.length
  const replaced = since > rollbacks.length || rollbacks.slice(since).some((fromBlock) => fromBlock <= blockNumber)
  return { pin: { replaced, rollbacks: rollbacks.length } }
}
