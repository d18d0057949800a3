/** The TransferStore port in memory. */
import { Effect, Layer } from "effect"
import { amountInUsd } from "../../domain/prices/worth.ts"
import { mintAccount, type WrapMovement } from "../../model/event.ts"
import { type Count, countUpTo } from "../../model/page.ts"
import { type Address, dateTimeOf, zeroAddress } from "../../model/primitives.ts"
import type { TransferFilter, TransferRecords } from "../../model/transfer.ts"
import { type InWindow, TransferStore, type TransfersQuery } from "../../ports/TransferStore.ts"
import { feedKeyOf, feedOrder, isInRange, pageOf } from "./rows.ts"
import { type FeedRow, type MemoryChain, MemoryChains, snapshotOf, storedChains, tokenOf } from "./state.ts"
import { priceAt } from "./times.ts"

export const layer = Layer.effect(
  TransferStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return TransferStore.of({
      wrapsFrom: (ids) => Effect.sync(() => snapshotOf(storedChains(chains, ids), 0)),
      list: <S extends keyof TransferRecords>(query: TransfersQuery<S>) =>
        Effect.sync(() => {
          const { standard, chains: ids, filter, direction, page, count, include = [], skip = 0 } = query
          const stored = storedChains(chains, ids)
          const matching = stored.flatMap((chain) =>
            [...chain.transfers, ...(filter.wraps === true ? chain.wraps.map(wrapRow) : [])]
              .filter(
                (row) => row.standard === standard && matches(chain, row, filter) && isInRange(chain, row, filter),
              )
              .map((row) => ({ chain, row })),
          )
          const keyOf = ({ chain, row }: (typeof matching)[number]) => feedKeyOf(chain.settings.chainId, row)
          const rows = pageOf(matching, keyOf, feedOrder(direction), page, skip)
          return snapshotOf(stored, {
            ...rows,
            items: rows.items.map(({ chain, row }) => transferRecord(chain, row, include) as TransferRecords[S]),
            ...(count ? { count: counted(matching.length, filter) } : {}),
          })
        }),
    })
  }),
)

/** As a row of the feed: a Deposit comes from the zero address, a Withdrawal goes there. */
const wrapRow = (movement: WrapMovement): FeedRow & { readonly wrap: "deposit" | "withdrawal" } => {
  const deposited = movement.debit === mintAccount
  const holder = (deposited ? movement.credit : movement.debit) as Address
  const [from, to] = deposited ? [zeroAddress, holder] : [holder, zeroAddress]
  return {
    ...movement,
    kind: "transfer",
    from,
    to,
    standard: "erc20",
    sub: 0,
    wrap: deposited ? "deposit" : "withdrawal",
  }
}

const matches = ({ notes }: MemoryChain, row: FeedRow, filter: TransferFilter): boolean =>
  (filter.trusted !== true || notes.get(row.token)?.trusted === true) &&
  (filter.tokenAddress?.includes(row.token) ?? true) &&
  (filter.from?.includes(row.from) ?? true) &&
  (filter.to?.includes(row.to) ?? true) &&
  (filter.address === undefined || filter.address.includes(row.from) || filter.address.includes(row.to)) &&
  (filter.either === undefined || filter.either.from.includes(row.from) || filter.either.to.includes(row.to)) &&
  (filter.tokenId === undefined || ("tokenId" in row && filter.tokenId.includes(String(row.tokenId))))

const counted = (total: number, { tokenAddress: _, trusted: __, ...narrowing }: TransferFilter): Count =>
  countUpTo(total, Object.keys(narrowing).length === 0)

export const transferRecord = (chain: MemoryChain, row: FeedRow, include: NonNullable<TransfersQuery["include"]>) => {
  const operator = "operator" in row ? row.operator : undefined
  const token = tokenOf(chain, row.standard, row.token)
  const { name, symbol, decimals } = token?.description ?? {}
  const price = row.standard === "erc20" ? priceAt(token, Math.floor(row.time / 3600)) : undefined
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
    // In the order of PostgreSQL's records.
    ...(row.standard === "erc20" ? { amount: String(row.amount) } : {}),
    ...(price === undefined || decimals === undefined ? {} : { amountInUsd: amountInUsd(row.amount, decimals, price) }),
    tokenAddress: row.token,
    ...("tokenId" in row ? { tokenId: String(row.tokenId) } : {}),
    ...(row.standard === "erc1155" ? { amount: String(row.amount) } : {}),
    ...(name === undefined ? {} : { tokenName: name }),
    ...(symbol === undefined ? {} : { tokenSymbol: symbol }),
    ...(decimals === undefined ? {} : { tokenDecimals: decimals }),
    ...(include.includes("transactionIndex") && row.txIndex !== undefined ? { transactionIndex: row.txIndex } : {}),
    ...(include.includes("blockHash") ? windowHash(chain, row.blockNumber) : {}),
    ...("wrap" in row ? { wrap: row.wrap } : {}),
    ...(include.includes("operator") && operator !== undefined ? { operator } : {}),
  }
}

const windowHash = ({ headers }: MemoryChain, blockNumber: number): InWindow => {
  const header = headers.find(({ number }) => number === blockNumber)
  return header === undefined ? {} : { blockHash: header.hash }
}
