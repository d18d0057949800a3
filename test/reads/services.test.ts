/** What the services add to the ports: rules between filters, amounts below zero, blocks out of reach, sources that are not there. */
import { describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { checkBlock } from "../../src/domain/reads/history.ts"
import { findBalance } from "../../src/domain/reads/holders.ts"
import { findNativeSupply, findSupply, listNativeSupplies } from "../../src/domain/reads/supply.ts"
import { listTransfers } from "../../src/domain/reads/transfers.ts"
import type { AsOf } from "../../src/model/block.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { NativeSupply } from "../../src/model/supply.ts"
import type { TransferFilter } from "../../src/model/transfer.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { NativeSupplySource } from "../../src/ports/NativeSupplySource.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import { always } from "../support/always.ts"
import { address, hash } from "../support/chain/testChain.ts"

const first = ChainId.make("1")
const second = ChainId.make("2")
const third = ChainId.make("3")
const asOf: AsOf = {
  chainId: first,
  blockNumber: 30,
  hash: hash("30"),
  time: 1_700_000_000,
  finality: "latest",
  nodeHead: 30,
  firstBlock: 10,
  revision: 1,
  figures: 1,
  rewrites: 1,
}
const unused = Effect.die("not asked")

/** What an effect gives, or the text of its refusal. */
const outcome = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.runSync(effect.pipe(Effect.catch((error) => Effect.succeed(error.message))))

describe("listTransfers", () => {
  const list = (filter: TransferFilter) =>
    outcome(
      listTransfers({
        standard: "erc721",
        chains: [first],
        filter,
        direction: "desc",
        page: { limit: 1 },
        count: false,
      }).pipe(
        Effect.provideService(TransferStore, {
          wrapsFrom: () => Effect.succeed({ asOf: [], value: 0 }),
          list: () => Effect.succeed({ asOf: [asOf], value: { items: [], keys: [], hasMore: false } }),
        }),
      ),
    )
  const nothing = { asOf: [asOf], items: [] }

  test("takes ids of exactly one contract", () => {
    const wanted = "tokenId: expected exactly one tokenAddress beside it (an id says nothing without its contract)"
    expect(list({ tokenAddress: [address(1)], tokenId: ["1", "2"] })).toEqual(nothing)
    expect(list({ tokenId: ["1"] })).toBe(`${wanted}, got 0`)
    expect(list({ tokenAddress: [address(1), address(2)], tokenId: ["1"] })).toBe(`${wanted}, got 2`)
  })

  test("takes a range of blocks that begins before it ends", () => {
    expect(list({ blockNumberFrom: 2, blockNumberTo: 2 })).toEqual(nothing)
    expect(list({ blockNumberFrom: 3, blockNumberTo: 2 })).toBe(
      "blockNumberFrom: expected a block number up to blockNumberTo (2), got 3",
    )
  })
})

describe("amounts below zero, the mark of a token whose events do not tell the truth,", () => {
  const negative = () => Effect.succeed({ asOf: [asOf], value: "-5" })

  test("are answered as nothing", () => {
    const balance = findBalance({ chainId: first, token: address(1), holder: address(2) }).pipe(
      Effect.provideService(HolderStore, always(unused, { findBalance: negative })),
    )
    const supply = findSupply({ chainId: first, token: address(1) }).pipe(
      Effect.provideService(SupplyStore, always(unused, { find: negative })),
    )
    expect([outcome(balance), outcome(supply)]).toEqual([
      { asOf: [asOf], value: "0", isBelowZero: true },
      { asOf: [asOf], value: "0", isBelowZero: true },
    ])
  })
})

test("checkBlock takes the blocks from the ledger's first to the snapshot's", () => {
  const check = (chains: ReadonlyArray<AsOf>, block: number) => outcome(checkBlock(chains, block))
  expect([check([asOf], 10), check([asOf], 30)]).toEqual([undefined, undefined])
  expect(check([asOf], 31)).toBe("blockNumber: expected a block up to the indexed head 30, got 31")
  expect(check([asOf], 9)).toBe("block 9 is before the indexed history, which starts at block 10")
  expect(check([], 0)).toBe("blockNumber: expected a block up to the indexed head (nothing is indexed yet), got 0")
})

describe("native supply", () => {
  const supplyOf = (chainId: ChainId): NativeSupply => ({
    chainId,
    symbol: "ETH",
    totalSupply: "120000000.5",
    circulatingSupply: "120000000",
    blockNumber: 1,
    timestamp: "2026-01-02T03:04:05.000Z",
  })
  const with1 = Layer.succeed(NativeSupplySource, {
    find: (chainId) => Effect.succeed(chainId === "1" ? { supply: supplyOf(chainId), ageSeconds: 3 } : undefined),
  })

  test("of a chain without a source is refused", () => {
    expect(outcome(findNativeSupply(first).pipe(Effect.provide(with1)))).toEqual({
      supply: supplyOf(first),
      ageSeconds: 3,
    })
    expect(outcome(findNativeSupply(second).pipe(Effect.provide(with1)))).toBe(
      "chain 2 has no source of its native supply",
    )
  })

  test("of many chains leaves out those without a source, and is refused when none has one", () => {
    expect(outcome(listNativeSupplies([first, second]).pipe(Effect.provide(with1)))).toEqual([
      { supply: supplyOf(first), ageSeconds: 3 },
    ])
    expect(outcome(listNativeSupplies([second, third]).pipe(Effect.provide(with1)))).toBe(
      "no chain of this network has a source of its native supply",
    )
  })
})
