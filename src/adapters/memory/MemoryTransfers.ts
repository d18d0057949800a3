/** The TransferStore port in memory. */
import { Effect, Layer } from "effect"
import { type Count, countCap } from "../../domain/model/page.ts"
import { dateTimeOf } from "../../domain/model/primitives.ts"
import type { TransferFilter, TransferRecords } from "../../domain/model/transfer.ts"
import { TransferStore, type TransfersQuery } from "../../ports/TransferStore.ts"
import { feedKeyOf, feedOrder, pageOf } from "./rows.ts"
import { type FeedRow, type MemoryChain, MemoryChains, snapshotOf, storedChains, tokenOf } from "./state.ts"

export const layer = Layer.effect(
  TransferStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return TransferStore.of({
      list: <S extends keyof TransferRecords>(query: TransfersQuery<S>) =>
        Effect.sync(() => {
          const { standard, chains: ids, filter, direction, page, count } = query
          const stored = storedChains(chains, ids)
          const matching = stored.flatMap((chain) =>
            chain.transfers
              .filter((row) => row.standard === standard && matches(row, filter))
              .map((row) => ({ chain, row })),
          )
          const keyOf = ({ chain, row }: (typeof matching)[number]) => feedKeyOf(chain.settings.chainId, row)
          const rows = pageOf(matching, keyOf, feedOrder(direction), page)
          return snapshotOf(stored, {
            ...rows,
            items: rows.items.map(({ chain, row }) => record(chain, row) as TransferRecords[S]),
            ...(count ? { count: counted(matching.length, filter) } : {}),
          })
        }),
    })
  }),
)

const matches = (row: FeedRow, filter: TransferFilter): boolean =>
  (filter.tokenAddress?.includes(row.token) ?? true) &&
  (filter.from?.includes(row.from) ?? true) &&
  (filter.to?.includes(row.to) ?? true) &&
  (filter.address === undefined || filter.address.includes(row.from) || filter.address.includes(row.to)) &&
  (filter.tokenId === undefined || ("tokenId" in row && filter.tokenId.includes(String(row.tokenId)))) &&
  row.blockNumber >= (filter.blockNumberFrom ?? 0) &&
  row.blockNumber <= (filter.blockNumberTo ?? Infinity)

const counted = (total: number, { tokenAddress: _, ...narrowing }: TransferFilter): Count =>
  Object.keys(narrowing).length === 0 || total <= countCap
    ? { count: total, countType: "exact" }
    : { count: countCap, countType: "lowerBound" }

const record = (chain: MemoryChain, row: FeedRow) => {
  const { name, symbol, decimals } = tokenOf(chain, row.standard, row.token)?.description ?? {}
  const time = dateTimeOf(row.time)
  return {
    chainId: chain.settings.chainId,
    blockNumber: row.blockNumber,
    txHash: row.txHash,
    logIndex: row.logIndex,
    from: row.from,
    to: row.to,
    createdAt: time,
    timestamp: time,
    tokenAddress: row.token,
    ...("tokenId" in row ? { tokenId: String(row.tokenId) } : {}),
    ...(row.standard === "erc721" ? {} : { amount: String(row.amount) }),
    ...(name === undefined ? {} : { tokenName: name }),
    ...(symbol === undefined ? {} : { tokenSymbol: symbol }),
    ...(decimals === undefined ? {} : { tokenDecimals: decimals }),
  }
}
