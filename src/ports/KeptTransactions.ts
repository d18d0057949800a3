/** Transactions of final blocks that were asked for before: so many of the newest asked. */
import { Context, type Effect } from "effect"
import type { StoreError } from "../model/errors.ts"
import type { ChainId, Hash } from "../model/primitives.ts"
import type { TransactionFacts } from "../model/transactions/transaction.ts"

export class KeptTransactions extends Context.Service<
  KeptTransactions,
  {
    /** Those that are kept, in no order. */
    find(
      chainId: ChainId,
      transactions: ReadonlyArray<Hash>,
    ): Effect.Effect<ReadonlyArray<TransactionFacts>, StoreError>
    /** Of blocks that never change any more. What was kept of another block, or another place in it, gives way, all else that is kept stays; the oldest go where there are too many. */
    keep(chainId: ChainId, transactions: ReadonlyArray<TransactionFacts>): Effect.Effect<void, StoreError>
  }
>()("cowry/KeptTransactions") {}
