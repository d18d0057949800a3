/** The contract of kept transactions: what was kept is found again as it was, of its own chain alone. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { TransactionFacts } from "../../../../src/model/transactions/transaction.ts"
import { KeptTransactions } from "../../../../src/ports/KeptTransactions.ts"
import { hash } from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"

const most = String(2n ** 256n - 1n)
const factsOf = (name: string, patch: Partial<TransactionFacts> = {}): TransactionFacts => ({
  hash: hash(name),
  blockNumber: 7,
  blockHash: hash("block 7"),
  index: 3,
  nonce: "0",
  gas: "21000",
  gasPrice: "1000000007",
  gasUsed: "21000",
  cumulativeGasUsed: "100000",
  methodId: "0xa9059cbb",
  ...patch,
})

export const keptTransactionsContract = (name: string, makeStore: MakeStore) =>
  describe(`Kept transactions on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    test("are found as they were kept, whatever else is asked for", async () => {
      const [one, other] = [freshChainId(), freshChainId()]
      const plain = factsOf("a")
      const extreme = factsOf("b", {
        ...{ nonce: "18446744073709551615", gasPrice: most, methodId: "0x", blockNumber: 2 ** 31 - 1 },
        ...{ gas: most, gasUsed: "0", cumulativeGasUsed: most, index: 0 },
      })
      const run = <A>(use: (kept: KeptTransactions["Service"]) => import("effect").Effect.Effect<A, unknown>) =>
        store.run(KeptTransactions.use(use))
      expect(await run((kept) => kept.find(one, [plain.hash]))).toEqual([])
      expect(await run((kept) => kept.find(one, []))).toEqual([])
      await run((kept) => kept.keep(one, []))
      await run((kept) => kept.keep(one, [plain, extreme]))
      const found = await run((kept) => kept.find(one, [hash("c"), extreme.hash, plain.hash, plain.hash]))
      expect([...found].sort((a, b) => a.blockNumber - b.blockNumber)).toEqual([plain, extreme])
      expect(await run((kept) => kept.find(other, [plain.hash]))).toEqual([])
      await run((kept) => kept.keep(one, [{ ...plain, gas: "1" }, factsOf("d")]))
      expect(await run((kept) => kept.find(one, [plain.hash]))).toEqual([plain])
      expect(await run((kept) => kept.find(one, [hash("d")]))).toEqual([factsOf("d")])
      // Of another fork, or of what a node told wrongly.
      for (const patch of [{ blockHash: hash("block 7'") }, { blockNumber: 8 }, { index: 4 }]) {
        const moved = { ...plain, nonce: "5", gas: "4", gasPrice: "3", gasUsed: "2", methodId: "0x", ...patch }
        await run((kept) => kept.keep(one, [{ ...moved, cumulativeGasUsed: "1" }, factsOf("d")]))
        expect(await run((kept) => kept.find(one, [plain.hash]))).toEqual([{ ...moved, cumulativeGasUsed: "1" }])
      }
    })
  })
