/** The KeptTransactions port in memory. */
import { Effect, Layer } from "effect"
import type { TransactionFacts } from "../../model/transactions/transaction.ts"
import { KeptTransactions } from "../../ports/KeptTransactions.ts"

const most = 10_000

const isSamePlace = (one: TransactionFacts, other: TransactionFacts): boolean =>
  one.blockNumber === other.blockNumber && one.blockHash === other.blockHash && one.index === other.index

export const layer = Layer.sync(KeptTransactions, () => {
  const kept = new Map<string, TransactionFacts>()
  return KeptTransactions.of({
    find: (chainId, transactions) =>
      Effect.sync(() => [...new Set(transactions)].flatMap((hash) => kept.get(`${chainId} ${hash}`) ?? [])),
    keep: (chainId, transactions) =>
      Effect.sync(() => {
        for (const facts of transactions) {
          const key = `${chainId} ${facts.hash}`
          const known = kept.get(key)
          if (known === undefined || !isSamePlace(known, facts)) kept.set(key, facts)
        }
        for (const oldest of kept.keys()) {
          if (kept.size <= most) return
          kept.delete(oldest)
        }
      }),
  })
})
