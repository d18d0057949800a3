/** Takes blocks back out of the ledger in memory. */
import type { MemoryChain, Version } from "./state.ts"

/** Takes back block `fromBlock` and all above it. */
export const removeBlocks = (chain: MemoryChain, fromBlock: number): void => {
  chain.swaps.splice(0, chain.swaps.length, ...chain.swaps.filter(({ blockNumber }) => blockNumber < fromBlock))
  const approvals = chain.approvals.filter(({ blockNumber }) => blockNumber < fromBlock)
  chain.approvals.splice(0, chain.approvals.length, ...approvals)
  const odd = chain.oddLogs.filter(({ blockNumber }) => blockNumber < fromBlock)
  chain.oddLogs.splice(0, chain.oddLogs.length, ...odd)
  for (const [key, { since }] of chain.pools) if (since >= fromBlock) chain.pools.delete(key)
  const kept = chain.transfers.filter(({ blockNumber }) => blockNumber < fromBlock)
  chain.transfers.splice(0, chain.transfers.length, ...kept)
  const wraps = chain.wraps.filter(({ blockNumber }) => blockNumber < fromBlock)
  chain.wraps.splice(0, chain.wraps.length, ...wraps)
  chain.landmarks = chain.landmarks.filter(({ number }) => number < fromBlock)
  for (const [key, token] of chain.tokens) {
    if (token.firstBlock >= fromBlock) {
      chain.tokens.delete(key)
      continue
    }
    cutVersions(token.balances, fromBlock)
    cutVersions(token.owners, fromBlock)
    for (const [tokenId, balances] of token.units) {
      cutVersions(balances, fromBlock)
      if (balances.size === 0) token.units.delete(tokenId)
    }
  }
}

const cutVersions = <Key>(all: Map<Key, Array<Pick<Version, "blockNumber">>>, fromBlock: number): void => {
  for (const [key, versions] of all) {
    while ((versions.at(-1)?.blockNumber ?? -1) >= fromBlock) versions.pop()
    if (versions.length === 0) all.delete(key)
  }
}
