/** The ERC-20 tokens of a chain, in memory. */
import type { MemoryChain, MemoryToken } from "./state.ts"

export const erc20s = (chain: MemoryChain | undefined): ReadonlyArray<MemoryToken> =>
  [...(chain?.tokens.values() ?? [])].filter(({ standard }) => standard === "erc20")
