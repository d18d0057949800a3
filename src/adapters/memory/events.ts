/** The ledger in memory as events: each as what the log said, in order. */
import type { LedgerEvent } from "../../model/events/event.ts"
import { comparePlaces } from "../../model/events/place.ts"
import type { FeedRow, MemoryChain, MemoryToken } from "./state.ts"
import { swapRecord } from "./swaps.ts"

type Records = {
  readonly transfer: (row: FeedRow) => object
  readonly swap: (swap: MemoryChain["swaps"][number]) => object
  readonly token: (token: MemoryToken) => object
}

/** Of block `from` and all above it, with records as they are wanted. */
export const eventsFrom = (chain: MemoryChain, from: number, records: Records): ReadonlyArray<LedgerEvent> => {
  const hashOf = (block: number) => {
    const header = chain.headers.find(({ number }) => number === block)
    return header === undefined ? {} : { blockHash: header.hash }
  }
  const transfers = chain.transfers.map((row): LedgerEvent => {
    const { standard, blockNumber: block, logIndex, sub, txHash, token, from, to } = row
    return {
      kind: "transfer",
      standard,
      at: { block, logIndex, place: sub + 1 },
      txHash,
      ...hashOf(block),
      tokens: [token],
      from,
      to,
      record: records.transfer(row),
    }
  })
  const swaps = chain.swaps.map((row): LedgerEvent => {
    const { blockNumber: block, logIndex, txHash } = row
    const { tokenIn, tokenOut } = swapRecord(chain, row)
    const at = { block, logIndex, place: 1 }
    return {
      kind: "swap",
      standard: "erc20",
      at,
      txHash,
      ...hashOf(block),
      tokens: [tokenIn, tokenOut],
      record: records.swap(row),
    }
  })
  const tokens = [...chain.tokens.values()].map((token): LedgerEvent => {
    const { standard, address, firstBlock: block, firstLogIndex: logIndex, firstTxHash: txHash } = token
    const at = { block, logIndex, place: 0 }
    return { kind: "token", standard, at, txHash, ...hashOf(block), tokens: [address], record: records.token(token) }
  })
  return [...transfers, ...swaps, ...tokens]
    .filter(({ at }) => at.block >= from)
    .sort((a, b) => comparePlaces(a.at, b.at))
}

/** Each as the log said. */
export const saidFrom = (chain: MemoryChain, from: number): ReadonlyArray<LedgerEvent> => {
  const { chainId } = chain.settings
  return eventsFrom(chain, from, {
    transfer: (row) => ({
      chainId,
      blockNumber: row.blockNumber,
      txHash: row.txHash,
      logIndex: row.logIndex,
      from: row.from,
      to: row.to,
      tokenAddress: row.token,
      ...("tokenId" in row ? { tokenId: String(row.tokenId) } : {}),
      ...(row.standard === "erc721" ? {} : { amount: String(row.amount) }),
    }),
    swap: (row) => {
      const { txHash, tokenIn, tokenOut, tokenInQty, tokenOutQty } = swapRecord(chain, row)
      return { chainId, txHash, tokenIn, tokenOut, tokenInQty, tokenOutQty }
    },
    token: ({ address }) => ({ chainId, address }),
  })
}

/** What a heal took and brought. */
export const difference = (before: ReadonlyArray<LedgerEvent>, after: ReadonlyArray<LedgerEvent>) => {
  const nameOf = ({ kind, standard, at, txHash, tokens }: LedgerEvent) =>
    JSON.stringify([kind, standard, at.block, at.logIndex, at.place, txHash, tokens])
  const without = (events: ReadonlyArray<LedgerEvent>, others: ReadonlyArray<LedgerEvent>) => {
    const names = new Set(others.map(nameOf))
    return events.filter((event) => !names.has(nameOf(event)))
  }
  return { removed: without(before, after), added: without(after, before) }
}
