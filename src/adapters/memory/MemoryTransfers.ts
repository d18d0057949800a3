/** The TransferStore port in memory. */
import { Effect, Layer } from "effect"
import type { Movement } from "../../domain/model/event.ts"
import { type Count, countCap } from "../../domain/model/page.ts"
import { compareChainIds, dateTimeOf } from "../../domain/model/primitives.ts"
import type { Erc20Transfer, FeedKey, TransferFilter } from "../../domain/model/transfer.ts"
import { TransferStore } from "../../ports/TransferStore.ts"
import { pageOf } from "./rows.ts"
import { type MemoryChain, MemoryChains, snapshotOf, storedChains } from "./state.ts"

export const layer = Layer.effect(
  TransferStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return TransferStore.of({
      listErc20: ({ chains: ids, filter, direction, page, count }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, ids)
          const matching = stored.flatMap((chain) =>
            chain.transfers.filter((row) => matches(row, filter)).map((row) => ({ chain, row })),
          )
          const compare = direction === "asc" ? compareKeys : (a: FeedKey, b: FeedKey) => compareKeys(b, a)
          const rows = pageOf(matching, keyOf, compare, page)
          return snapshotOf(stored, {
            ...rows,
            items: rows.items.map(({ chain, row }) => record(chain, row)),
            ...(count ? { count: counted(matching.length, filter) } : {}),
          })
        }),
    })
  }),
)

const matches = (row: Movement, filter: TransferFilter): boolean =>
  (filter.tokenAddress?.includes(row.token) ?? true) &&
  (filter.from?.includes(row.from) ?? true) &&
  (filter.to?.includes(row.to) ?? true) &&
  (filter.address === undefined || filter.address.includes(row.from) || filter.address.includes(row.to)) &&
  row.blockNumber >= (filter.blockNumberFrom ?? 0) &&
  row.blockNumber <= (filter.blockNumberTo ?? Infinity)

const counted = (total: number, { tokenAddress: _, ...narrowing }: TransferFilter): Count =>
  Object.keys(narrowing).length === 0 || total <= countCap
    ? { count: total, countType: "exact" }
    : { count: countCap, countType: "lowerBound" }

const keyOf = ({ chain, row }: { chain: MemoryChain; row: Movement }): FeedKey => ({
  time: row.time,
  chainId: chain.settings.chainId,
  blockNumber: row.blockNumber,
  logIndex: row.logIndex,
  sub: 0,
})

const compareKeys = (a: FeedKey, b: FeedKey): number =>
  (a.chainId === b.chainId ? 0 : a.time - b.time || compareChainIds(a.chainId, b.chainId)) ||
  a.blockNumber - b.blockNumber ||
  a.logIndex - b.logIndex ||
  a.sub - b.sub

const record = ({ settings, tokens }: MemoryChain, row: Movement): Erc20Transfer => {
  const { name, symbol, decimals } = tokens.get(row.token)?.description ?? {}
  const time = dateTimeOf(row.time)
  return {
    chainId: settings.chainId,
    blockNumber: row.blockNumber,
    txHash: row.txHash,
    logIndex: row.logIndex,
    from: row.from,
    to: row.to,
    createdAt: time,
    timestamp: time,
    amount: String(row.amount),
    tokenAddress: row.token,
    ...(name === undefined ? {} : { tokenName: name }),
    ...(symbol === undefined ? {} : { tokenSymbol: symbol }),
    ...(decimals === undefined ? {} : { tokenDecimals: decimals }),
  }
}
