/** What transfers' transactions are and cost: kept, or asked from the node. All of it is of the ledger's own blocks, or nothing is answered. */
import { Array as Arr, Duration, Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { FigureUnknown } from "../../model/errors.ts"
import type { ChainId, Hash } from "../../model/primitives.ts"
import type { TransactionFacts } from "../../model/transactions/transaction.ts"
import { KeptTransactions } from "../../ports/KeptTransactions.ts"
import { TransactionSource } from "../../ports/TransactionSource.ts"

/** A transaction as the ledger knows it. */
export interface KnownTransaction {
  readonly hash: Hash
  readonly blockNumber: number
  /** While a reorg may take the block back; absent = none can. */
  readonly blockHash?: Hash
  /** Its place in the block; absent = not known. */
  readonly index?: number
}

/** Transactions that are asked for at once: what came is kept before the next are asked. */
const askedAtOnce = 250
/** How long an answer waits for so many. */
const nodeTimeout = Duration.seconds(10)

/** By hash. */
export const findTransactionFacts = Effect.fnUntraced(function* (
  chainId: ChainId,
  asOf: ReadonlyArray<AsOf>,
  transactions: ReadonlyArray<KnownTransaction>,
) {
  const wanted = new Map(transactions.map((it) => [it.hash, it]))
  const store = yield* KeptTransactions
  const source = yield* TransactionSource
  // What is kept spares a question, and no more than that.
  const none: ReadonlyArray<TransactionFacts> = []
  const kept = yield* Effect.orElseSucceed(store.find(chainId, [...wanted.keys()]), () => none)
  const found = new Map(kept.filter((facts) => isOf(wanted.get(facts.hash), facts)).map((facts) => [facts.hash, facts]))
  const missing = [...wanted.keys()].filter((hash) => !found.has(hash))
  for (const hashes of Arr.chunksOf(missing, askedAtOnce)) {
    const told = yield* source.read(chainId, hashes).pipe(
      Effect.timeout(nodeTimeout),
      Effect.mapError(() => unknown(asOf, "the chain's node could not be asked")),
    )
    if (!told.every((facts) => isOf(wanted.get(facts.hash), facts))) {
      return yield* unknown(asOf, "the chain's node tells other blocks than the ledger has")
    }
    for (const facts of told) found.set(facts.hash, facts)
    const final = told.filter(({ hash }) => wanted.get(hash)?.blockHash === undefined)
    yield* Effect.ignore(store.keep(chainId, final))
  }
  return found
})

/** Whether it is told of the very block that the ledger has it in. */
const isOf = (known: KnownTransaction | undefined, facts: TransactionFacts): boolean =>
  known !== undefined &&
  known.blockNumber === facts.blockNumber &&
  (known.blockHash ?? facts.blockHash) === facts.blockHash &&
  (known.index ?? facts.index) === facts.index

const unknown = (asOf: ReadonlyArray<AsOf>, why: string) =>
  new FigureUnknown({
    message: `the transactions' own columns (nonce, gas, gasPrice and the like) are not known: ${why}. Try again shortly`,
    asOf,
  })
