/** What transfers' transactions are and cost: kept, or asked from the node. All of it is of the ledger's own blocks, or nothing is answered. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { FigureUnknown } from "../../model/errors.ts"
import type { ChainId, Hash } from "../../model/primitives.ts"
import type { TransactionFacts } from "../../model/transactions/transaction.ts"
import { KeptTransactions } from "../../ports/KeptTransactions.ts"
import { TransactionSource } from "../../ports/TransactionSource.ts"
import { nodeTimeout, takeNodeTurn, whyUnasked } from "../turns/nodeWait.ts"

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
  const known = kept.filter((facts) => isOf(wanted.get(facts.hash), facts))
  // Two blocks of one number: one of them is no more, and which is not kept with them.
  const isDoubtful = doubtfulBlocks(known)
  const found = new Map(known.filter((facts) => !isDoubtful.has(facts.blockNumber)).map((facts) => [facts.hash, facts]))
  const ofKept = new Set(found.keys())
  const missing = [...wanted.keys()].filter((hash) => !found.has(hash))
  if (missing.length > 0) yield* takeNodeTurn((why) => unknown(asOf, why))
  while (missing.length > 0) {
    const hashes = missing.splice(0, askedAtOnce)
    const told = yield* source.read(chainId, hashes).pipe(
      Effect.timeout(nodeTimeout),
      Effect.mapError((error) => unknown(asOf, whyUnasked(error))),
    )
    if (!told.every((facts) => isOf(wanted.get(facts.hash), facts))) {
      return yield* unknown(asOf, "the chain's node tells other blocks than the ledger has. Try again shortly")
    }
    for (const facts of told) found.set(facts.hash, facts)
    // The node tells another block of a number than what is kept: which is asked anew, each once.
    const doubtful = doubtfulBlocks([...found.values()])
    const again = [...ofKept].filter((hash) => doubtful.has(found.get(hash)!.blockNumber))
    for (const hash of again) {
      found.delete(hash)
      ofKept.delete(hash)
      missing.push(hash)
    }
    if (doubtful.size > 0 && doubtfulBlocks([...found.values()]).size > 0) {
      return yield* unknown(asOf, "the chain's node tells two blocks of one number. Try again shortly")
    }
    const final = told.filter(({ hash }) => wanted.get(hash)?.blockHash === undefined)
    yield* Effect.ignore(store.keep(chainId, final))
  }
  return found
})

/** Numbers under which more than one block is told. */
const doubtfulBlocks = (facts: ReadonlyArray<TransactionFacts>): ReadonlySet<number> => {
  const hashes = new Map(facts.map(({ blockNumber, blockHash }) => [blockNumber, blockHash]))
  const others = facts.filter(({ blockNumber, blockHash }) => hashes.get(blockNumber) !== blockHash)
  return new Set(others.map(({ blockNumber }) => blockNumber))
}

/** Whether it is told of the very block that the ledger has it in. */
const isOf = (known: KnownTransaction | undefined, facts: TransactionFacts): boolean =>
  known !== undefined &&
  known.blockNumber === facts.blockNumber &&
  (known.blockHash ?? facts.blockHash) === facts.blockHash &&
  (known.index ?? facts.index) === facts.index

const unknown = (asOf: ReadonlyArray<AsOf>, why: string) =>
  new FigureUnknown({
    message: `the transactions' own columns (nonce, gas, gasPrice and the like) are not known: ${why}`,
    asOf,
  })
