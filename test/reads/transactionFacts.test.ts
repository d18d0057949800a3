/** Columns of transactions: what is kept and what a node tells count only where both are of the ledger's own blocks. */
import { describe, expect, test } from "bun:test"
import { Effect, Result } from "effect"
import { findTransactionFacts, type KnownTransaction } from "../../src/domain/reads/transactionFacts.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { TransactionFacts } from "../../src/model/transactions/transaction.ts"
import { SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { KeptTransactions } from "../../src/ports/KeptTransactions.ts"
import { TransactionSource } from "../../src/ports/TransactionSource.ts"
import { hash } from "../support/chain/testChain.ts"

const factsOf = (name: string, patch: Partial<TransactionFacts> = {}): TransactionFacts => ({
  ...{ hash: hash(name), blockNumber: 7, blockHash: hash("block 7"), index: 3, nonce: "0", gas: "21000" },
  ...{ gasPrice: "9", gasUsed: "21000", cumulativeGasUsed: "100000", methodId: "0x", ...patch },
})
const final = (name: string): KnownTransaction => ({ hash: hash(name), blockNumber: 7, index: 3 })

/** `node`: what it tells; undefined = it is down. */
const world = (kept: ReadonlyArray<TransactionFacts>, node?: ReadonlyArray<TransactionFacts>) => {
  const asked: Array<string> = []
  const stored: Array<TransactionFacts> = []
  const find = (...transactions: ReadonlyArray<KnownTransaction>) =>
    Effect.runPromise(
      Effect.result(findTransactionFacts(ChainId.make("7"), [], transactions)).pipe(
        Effect.provideService(KeptTransactions, {
          find: () => Effect.succeed(kept),
          keep: (_, facts) => Effect.sync(() => stored.push(...facts)),
        }),
        Effect.provideService(TransactionSource, {
          read: (_, hashes) => {
            asked.push(...hashes)
            return node === undefined
              ? Effect.fail(new SourceUnavailable({ message: "rate limit" }))
              : Effect.succeed(node.filter(({ hash }) => hashes.includes(hash)))
          },
        }),
        Effect.map((result) => (Result.isSuccess(result) ? [...result.success.values()] : result.failure.message)),
      ),
    )
  return { find, asked, stored }
}

describe("what is kept", () => {
  test("is told while the node is down, and nothing else is", async () => {
    const { find, asked } = world([factsOf("a")])
    expect(await find(final("a"))).toEqual([factsOf("a")])
    expect(asked).toEqual([])
    expect(await find(final("a"), final("b"))).toContain("the chain's node could not be asked")
  })

  test.each<[string, Partial<TransactionFacts>, Partial<KnownTransaction>]>([
    ["another block", { blockNumber: 6 }, {}],
    ["another place", { index: 2 }, {}],
    ["a fork that was taken back", { blockHash: hash("fork") }, { blockHash: hash("block 7") }],
  ])("is asked anew where it is of %s, and the node's word is what is told", async (_, patch, known) => {
    const { find, asked } = world([factsOf("a", { ...patch, nonce: "66" })], [factsOf("a")])
    expect(await find({ ...final("a"), ...known })).toEqual([factsOf("a")])
    expect(asked).toEqual([hash("a")])
  })

  test("of two blocks of one number is asked anew: one of them is no more", async () => {
    const stale = factsOf("a", { blockHash: hash("fork"), nonce: "66" })
    const { find, asked } = world([stale, factsOf("b")], [factsOf("a"), factsOf("b")])
    expect(await find(final("a"), final("b"))).toEqual([factsOf("a"), factsOf("b")])
    expect(asked.length).toBe(2)
  })

  test("and a node that tells two blocks of one number: neither is told", async () => {
    const stale = factsOf("a", { blockHash: hash("fork") })
    const { find, asked, stored } = world([stale], [stale, factsOf("b")])
    expect(await find(final("a"), final("b"))).toContain("two blocks of one number")
    expect(asked).toEqual([hash("b"), hash("a")])
    expect(stored).not.toContainEqual(stale)
  })

  test("of a fork that its node is not on is asked anew and replaced, once it tells the block of another in it", async () => {
    const stale = factsOf("a", { blockHash: hash("fork"), nonce: "66" })
    const other = factsOf("c", { blockNumber: 8, blockHash: hash("block 8") })
    const { find, asked, stored } = world([stale, other], [factsOf("a"), factsOf("b")])
    const found = await find(final("a"), final("b"), { ...final("c"), blockNumber: 8 })
    expect(found).toEqual(expect.arrayContaining([factsOf("a"), factsOf("b"), other]))
    expect(asked).toEqual([hash("b"), hash("a")])
    expect(stored).toEqual([factsOf("b"), factsOf("a")])
  })
})

test("of blocks that a reorg may take back nothing is kept", async () => {
  const { find, stored } = world([], [factsOf("a"), factsOf("b")])
  await find({ ...final("a"), blockHash: hash("block 7") }, final("b"))
  expect(stored).toEqual([factsOf("b")])
})
