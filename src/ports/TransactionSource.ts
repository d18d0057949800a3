/** Transactions as a chain's node tells them. */
import { Context, type Effect } from "effect"
import type { ChainId, Hash } from "../model/primitives.ts"
import type { TransactionFacts } from "../model/transactions/transaction.ts"
import type { SourceUnavailable } from "./ChainSource.ts"

export class TransactionSource extends Context.Service<
  TransactionSource,
  {
    /** In order. Fails where the node does not have one of them, or tells of one what cannot be: nothing is ever left out or made up. */
    read(
      chainId: ChainId,
      transactions: ReadonlyArray<Hash>,
    ): Effect.Effect<ReadonlyArray<TransactionFacts>, SourceUnavailable>
  }
>()("cowry/TransactionSource") {}
