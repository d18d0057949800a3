/** The newest block that a client has seen of each chain, and how it is asked for. */
import { CowryError } from "./error.ts"
import type { CallOptions } from "./shapes.ts"

/** Chain → block, of one network. */
export type Seen = Map<string, number>

export const see = (seen: Seen | undefined, chainId: string, block: number): void => {
  seen?.set(chainId, Math.max(block, seen.get(chainId) ?? 0))
}

/** What `x-min-block` says: what was seen of the chains that are asked, and what is wanted where that is newer. Empty = nothing. */
export const minBlockOf = (
  { minBlock }: CallOptions,
  chainId: string | undefined,
  seen: Seen | undefined,
  url: string,
): string => {
  const ofAll = chainId === undefined || chainId === "all"
  const wanted = new Map([...(seen ?? [])].filter(([chain]) => ofAll || chain === chainId))
  if (typeof minBlock !== "number") {
    for (const [chain, block] of Object.entries(minBlock ?? {})) see(wanted, chain, block)
  } else if (ofAll) {
    // Whether there is one chain that it can be of, the service knows. What was seen cannot be asked for beside it.
    if ([...wanted.values()].some((block) => block > minBlock)) throw ofSomeChain(minBlock, url)
    return String(minBlock)
  } else see(wanted, chainId, minBlock)
  return [...wanted].map(([chain, block]) => `${chain}:${block}`).join(",")
}

const ofSomeChain = (minBlock: number, url: string): CowryError => {
  const message = `minBlock: expected a block for each chain by its id, got ${minBlock}: newer was seen of a chain, and which chain it is of is not known`
  return new CowryError(message, { code: "INVALID_PARAMETER", parameter: "minBlock", url })
}
