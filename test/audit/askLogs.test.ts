/** How many blocks of a contract's own logs are asked of at once, by what a node takes. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { type AskSize, askLogs, firstAskSize } from "../../src/domain/audit/missing/askLogs.ts"
import { contractsOf } from "../../src/domain/audit/missing/healContract.ts"
import type { AsOf, Log } from "../../src/model/block.ts"
import { QueryTooSlow } from "../../src/model/errors.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { AuditStore, type StoredRow } from "../../src/ports/AuditStore.ts"
import { ChainSource, type ChainSourceClient, RangeRefused } from "../../src/ports/ChainSource.ts"
import { address, consecutiveTransfer, hash, TestChain } from "../support/chain/testChain.ts"

const chainId = ChainId.make("1")
const at = { chainId, blockNumber: 20_000_000, firstBlock: 0 } as AsOf

/** What the ledger has of a range. */
type Stored = AuditStore["Service"]["storedRows"]

/** Lengths of so many ranges without a log, asked of a node that takes none that is longer than `limit()`. */
const ask = (
  size: AskSize,
  calls: number,
  limit: () => number,
  storedRows: Stored = () => Effect.succeed({ asOf: [], value: [] }),
  logsOf: (from: number, to: number) => ReadonlyArray<Log> = () => [],
): Promise<ReadonlyArray<number>> => {
  const lengths: Array<number> = []
  const source: Partial<ChainSourceClient> = {
    contractLogs: Effect.fnUntraced(function* (_, from, to) {
      lengths.push(to - from + 1)
      if (to - from + 1 > limit()) return yield* new RangeRefused({ message: "too much" })
      return { answers: [{ node: "https://node.test", logs: logsOf(from, to) }], silent: [] }
    }),
  }
  const store: Partial<AuditStore["Service"]> = { storedRows }
  const contracts = contractsOf({ chainId, wrappedNative: [] })
  return Effect.runPromise(
    askLogs({ address: address(0xc), at, from: 0, calls, size, contracts }).pipe(
      Effect.provideService(ChainSource, { of: () => source as ChainSourceClient }),
      Effect.provideService(AuditStore, store as AuditStore["Service"]),
      Effect.as(lengths),
    ),
  )
}

test("after a node's bad minutes ranges become long again, and few are refused", async () => {
  const size = firstAskSize()
  let limit = 1
  expect((await ask(size, 40, () => limit)).at(-1)).toBe(1)
  limit = 10_000
  const lengths = await ask(size, 1500, () => limit)
  expect(lengths.at(-1)).toBeGreaterThan(4000)
  expect(Math.max(...lengths.slice(0, 20))).toBe(1)
  expect(lengths.filter((length) => length > limit).length).toBeLessThan(1500 / 20)
})

/** A ledger with so many rows a block, and how many were read at most. */
const denseLedger = (rowsOfBlock: number) => {
  let mostRead = 0
  const stored: Stored = Effect.fnUntraced(function* (
    _chainId,
    _address,
    { from, to },
    most = Number.POSITIVE_INFINITY,
  ) {
    const rows = rowsOfBlock * (to - from + 1)
    mostRead = Math.max(mostRead, Math.min(rows, most + 1))
    if (rows > most) return yield* new QueryTooSlow({ message: "too many" })
    const row = (place: number): StoredRow => ({
      ...{ kind: "erc20", blockNumber: from + Math.floor(place / rowsOfBlock), logIndex: place % rowsOfBlock, sub: 0 },
      ...{ from: address(1), to: address(2), tokenId: 0n, amount: 1n },
    })
    return { asOf: [], value: Array.from({ length: Math.min(rows, 100_000) }, (_, place) => row(place)) }
  })
  return { stored, mostRead: () => mostRead }
}

test("where nodes give nothing of a token of which the ledger has much, ranges are as short as its rows are many", async () => {
  const { stored, mostRead } = denseLedger(20)
  const lengths = await ask(firstAskSize(), 30, () => Number.POSITIVE_INFINITY, stored)
  expect(lengths[0]).toBe(10_000)
  expect(lengths.slice(10).filter((length) => length > 400 || length < 100)).toEqual([])
  expect(mostRead()).toBeLessThan(60_000)
})

test("ranges are as short as its logs are of many ids, and no more are taken in at once than a block has room for", async () => {
  const events = Array.from({ length: 20 }, (_, place) =>
    consecutiveTransfer(address(0xc), address(0), address(1), BigInt(5000 * place), BigInt(5000 * place + 4999)),
  )
  const [block] = new TestChain().block(events).blocks
  const logsOf = (from: number, to: number) =>
    Array.from({ length: Math.min(8, to - from + 1) }, (_, place) =>
      block!.logs.map((log) => ({ ...log, blockNumber: to - place, blockHash: hash(`${to - place}`) })),
    ).flat()
  const size = { current: { ...firstAskSize().current, blocks: 8 } }
  // 100,000 ids a block: eight and four are too much, and behind two there is no room for a third.
  expect(await ask(size, 30, () => 8, undefined, logsOf)).toEqual([8, 4, 2])
})

test("a block is read whole, however many rows it has", async () => {
  const { stored } = denseLedger(60_000)
  const lengths = await ask({ current: { ...firstAskSize().current, blocks: 4 } }, 6, () => 4, stored)
  expect(lengths).toEqual([4, 2, 1, 1, 1, 1, 1, 1])
})
