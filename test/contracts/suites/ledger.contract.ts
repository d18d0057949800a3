/** The Ledger port's contract: segments go in whole or not at all, blocks come out without a trace. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { type Standard, standards } from "../../../src/model/token.ts"
import type { TransferExtra } from "../../../src/model/transfer.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { Ledger } from "../../../src/ports/Ledger.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import {
  address,
  deposit,
  hash,
  multiTransfer,
  nftTransfer,
  operatorOf,
  TestChain,
  transfer,
  withdrawal,
} from "../../support/chain/testChain.ts"
import { contentOf } from "../content.ts"
import { freshChainId, type MakeStore, openStore, seed, settingsOf, type TestStore } from "../store.ts"

const token = address(0x70)
const weth = address(0x71)
const [alice, bob] = [address(0xa), address(0xb)]

export const ledgerContract = (name: string, makeStore: MakeStore) =>
  describe(`Ledger on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const refusal = (effect: Effect.Effect<unknown, { readonly _tag: string; readonly message: string }>) =>
      store.run(Effect.flip(effect)).then((error) => error._tag)

    test("a new chain starts at its first block with nothing stored", async () => {
      const writer = await store.open({ chainId: freshChainId(), firstBlock: 7 })
      expect(await store.run(writer.checkpoint)).toEqual({ nextBlock: 7, firstBlock: 7, finalizedBlock: -1 })
      expect(await store.run(writer.recentHeaders)).toEqual([])
    })

    test("an append moves the checkpoint to the segment's end and keeps its headers", async () => {
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, alice, 5n)])
        .block()
        .block()
      const writer = await store.open({ chainId: freshChainId() })
      const appended = await store.run(writer.append(chain.segment(0, 2, { finalizedBlock: 0 })))
      const headers = chain.blocks.map(({ header }) => header)
      expect(appended).toEqual({
        checkpoint: { nextBlock: 3, firstBlock: 0, finalizedBlock: 0, head: headers[2]! },
        unknownPool: 0,
      })
      expect((await store.run(writer.recentHeaders)).filter(({ number }) => number > 0)).toEqual(headers.slice(1))
    })

    test("a segment that does not follow the checkpoint is refused and changes nothing", async () => {
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, alice, 5n)])
        .block()
        .block()
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0, 0)))
      const before = await contentOf(store, chainId, chain)
      for (const segment of [
        chain.segment(0, 0),
        chain.segment(2, 2),
        chain.segment(1, 2, { parentHash: hash("another parent") }),
        chain.segment(1, 2, { toBlock: 3 }),
        chain.segment(1, 1, { movements: chain.blocks[0]!.movements }),
        chain.segment(1, 1, { head: { ...chain.blocks[1]!.header, time: 1 } }),
      ]) {
        expect(await refusal(writer.append(segment))).toBe("SegmentRefused")
      }
      expect(await contentOf(store, chainId, chain)).toEqual(before)
      await store.run(writer.append(chain.segment(1)))
    })

    test("the same log twice, a log index of 2²⁴ and a block older than its parent are refused", async () => {
      const mint = transfer(token, zeroAddress, alice, 5n)
      const writer = await store.open({ chainId: freshChainId() })
      const twice = new TestChain().block([mint]).segment(0)
      const tooHigh = new TestChain().block([mint], { logIndex: 2 ** 24 }).segment(0)
      const older = new TestChain().block([mint], { time: 100 }).block([mint], { time: 99 }).segment(0)
      const refused = [{ ...twice, movements: [...twice.movements, ...twice.movements] }, tooHigh, older]
      for (const segment of refused) expect(await refusal(writer.append(segment))).toBe("SegmentRefused")
      await store.run(writer.append(new TestChain().block([mint], { logIndex: 2 ** 24 - 1 }).segment(0)))
    })

    test("supply is what was minted less what was burnt; holders are addresses above zero", async () => {
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, alice, 100n)])
        .block([transfer(token, alice, bob, 30n), transfer(token, bob, zeroAddress, 30n)])
        .block([transfer(token, zeroAddress, zeroAddress, 1000n)])
      const chainId = await seed(store, chain)
      const supplies = await Promise.all(
        [0, 1, 2].map((block) => store.run(SupplyStore.use((s) => s.find(chainId, token, block)))),
      )
      expect(supplies.map(({ value }) => value)).toEqual(["100", "70", "1070"])
      const holders = await store.run(
        HolderStore.use((s) => s.list("erc20", { chainId, token, page: { limit: 10 }, count: true })),
      )
      expect(holders.value).toMatchObject({
        items: [
          { address: zeroAddress, balance: "1000" },
          { address: alice, balance: "70" },
        ],
        hasMore: false,
        supply: "1070",
        count: { count: 2, countType: "exact" },
      })
    })

    test("wrapped native mints on Deposit, burns on Withdrawal, and its zero address is a holder like any other", async () => {
      const chain = new TestChain(new Set([weth]))
        .block([deposit(weth, alice, 10n)])
        .block([withdrawal(weth, alice, 4n), transfer(weth, alice, zeroAddress, 1n)])
      const chainId = await seed(store, chain)
      const { value } = await store.run(TokenStore.use((s) => s.find(chainId, weth)))
      const transfers = { last24h: 1, last48h: 1, last72h: 1 }
      expect(value).toEqual([
        {
          standard: "erc20",
          record: { chainId, address: weth, totalSupply: "6", transfers, holdersCount: 2 },
          supply: "6",
          isDescribed: false,
        },
      ])
      const zero = await store.run(HolderStore.use((s) => s.findBalance(chainId, weth, zeroAddress)))
      expect(zero.value).toBe("1")
    })

    test("a rollback takes blocks back without a trace", async () => {
      const chain = new TestChain(new Set([weth]))
        .block([transfer(token, zeroAddress, alice, 100n), deposit(weth, alice, 3n)])
        .block([transfer(token, alice, bob, 60n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId, wrappedNative: [weth] })
      await store.run(writer.append(chain.segment(0)))
      const before = await contentOf(store, chainId, chain)
      const born = address(0x72)
      chain
        .block([transfer(token, bob, zeroAddress, 60n), withdrawal(weth, alice, 3n)])
        .block([transfer(born, zeroAddress, bob, 1n), transfer(token, alice, alice, 1n)])
      await store.run(writer.append(chain.segment(2)))
      const checkpoint = await store.run(writer.rollback(2))
      expect(checkpoint).toEqual({ nextBlock: 2, firstBlock: 0, finalizedBlock: -1, head: chain.blocks[1]!.header })
      chain.truncate(2)
      expect(await contentOf(store, chainId, chain)).toEqual(before)
      const gone = await store.run(TokenStore.use((s) => s.find(chainId, born)))
      expect(gone.value).toEqual([])
    })

    test("the whole ledger can be taken back while nothing is final", async () => {
      const chain = new TestChain().block([transfer(token, zeroAddress, alice, 1n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      expect(await store.run(writer.rollback(0))).toEqual({ nextBlock: 0, firstBlock: 0, finalizedBlock: -1 })
      const tokens = await store.run(TokenStore.use((s) => s.find(chainId, token)))
      expect(tokens).toEqual({ asOf: [], value: [] })
      await store.run(writer.append(chain.segment(0)))
    })

    test("a rollback below the reorg window is refused and changes nothing", async () => {
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, alice, 1n)])
        .block()
        .block()
        .block()
        .block()
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0, 4, { finalizedBlock: 3 })))
      const before = await contentOf(store, chainId, chain)
      expect(await refusal(writer.rollback(2))).toBe("SegmentRefused")
      expect(await refusal(writer.rollback(0))).toBe("SegmentRefused")
      expect(await refusal(writer.rollback(6))).toBe("SegmentRefused")
      expect(await contentOf(store, chainId, chain)).toEqual(before)
    })

    test("a block that is not there yet is not final: what comes in its place can be taken back", async () => {
      const chain = new TestChain()
      for (let block = 0; block < 5; block++) chain.block([transfer(token, zeroAddress, alice, 1n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const first = await store.run(writer.append(chain.segment(0, 2, { finalizedBlock: 19_999_936 })))
      expect(first.checkpoint.finalizedBlock).toBe(2)
      const { checkpoint } = await store.run(writer.append(chain.segment(3, 4, { finalizedBlock: 2 })))
      expect(checkpoint.finalizedBlock).toBe(2)
      expect((await store.run(writer.recentHeaders)).map(({ number }) => number)).toEqual([3, 4])
      expect((await store.run(writer.rollback(4))).nextBlock).toBe(4)
    })

    test("amounts of 2²⁵⁶−1 stay exact, also when they add up", async () => {
      const huge = 2n ** 256n - 1n
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, alice, huge), transfer(token, zeroAddress, alice, huge)])
        .block([transfer(token, alice, bob, huge)])
        .block([transfer(token, bob, alice, 2n ** 127n), transfer(token, alice, zeroAddress, huge)])
      const chainId = await seed(store, chain)
      const balances = await Promise.all(
        [alice, bob].map((holder) => store.run(HolderStore.use((s) => s.findBalance(chainId, token, holder)))),
      )
      expect(balances.map(({ value }) => value)).toEqual([String(2n ** 127n), String(huge - 2n ** 127n)])
      const supply = await store.run(SupplyStore.use((s) => s.find(chainId, token)))
      expect(supply.value).toBe(String(huge))
    })

    test("the transaction's index and the operator are kept as the log has them, and shown on request only", async () => {
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, alice, 5n), nftTransfer(token, zeroAddress, alice, 1n)])
        .block([
          multiTransfer(token, alice, bob, [
            [1n, 2n],
            [2n, 3n],
          ]),
          transfer(token, alice, bob, 1n),
        ])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const whole = chain.segment(0)
      const silent = {
        ...whole,
        movements: whole.movements.map((row, place) => ({ ...row, txIndex: place === 0 ? 2 ** 31 - 1 : undefined })),
      }
      await store.run(writer.append(silent))
      const rowsOf = async (standard: Standard, include?: ReadonlyArray<TransferExtra>) => {
        const query = {
          standard,
          chains: [chainId],
          filter: {},
          direction: "asc",
          page: { limit: 9 },
          count: false,
        } as const
        const { value } = await store.run(TransferStore.use((s) => s.list({ ...query, ...(include && { include }) })))
        return value.items.map((row) => [
          "transactionIndex" in row ? row.transactionIndex : "absent",
          "operator" in row ? row.operator : "absent",
        ])
      }
      expect(await rowsOf("erc20", ["transactionIndex"])).toEqual([
        [2 ** 31 - 1, "absent"],
        ["absent", "absent"],
      ])
      expect(await rowsOf("erc721", ["transactionIndex"])).toEqual([[1, "absent"]])
      const [by, none] = [operatorOf(alice), ["absent", "absent"]]
      expect(await rowsOf("erc1155", ["transactionIndex", "operator"])).toEqual([
        [0, by],
        [0, by],
      ])
      expect(await rowsOf("erc1155", ["operator"])).toEqual([
        ["absent", by],
        ["absent", by],
      ])
      for (const standard of standards) expect((await rowsOf(standard))[0]).toEqual(none)
    })

    test("of each 256 blocks one is known by its hash for ever, once it is final; a rollback takes those above along", async () => {
      const chain = new TestChain(new Set(), 250)
      for (let block = 250; block < 1100; block++) chain.block()
      const writer = await store.open({ chainId: freshChainId(), firstBlock: 250 })
      const landmarks = (limit = 9) => store.run(writer.landmarks(limit))
      const known = (...numbers: ReadonlyArray<number>) =>
        numbers.map((number) => {
          const { hash, time } = chain.blocks[number - 250]!.header
          return { number, hash, time }
        })
      expect(await landmarks()).toEqual([])
      await store.run(writer.append(chain.segment(250, 599)))
      expect(await landmarks()).toEqual([])
      await store.run(writer.extend(chain.segment(600, 800, { finalizedBlock: 511 })))
      await store.run(writer.extend(chain.segment(801, 1099, { finalizedBlock: 512 })))
      await store.run(writer.commit)
      expect(await landmarks()).toEqual(known(512, 256, 250))
      expect(await landmarks(1)).toEqual(known(512))
      await store.run(writer.rollback(768))
      chain.truncate(768)
      for (let block = 768; block < 1100; block++) chain.block([], { salt: "other" })
      await store.run(writer.append(chain.segment(768, 1099, { finalizedBlock: 1099 })))
      expect(await landmarks()).toEqual(known(1024, 768, 512, 256, 250))
    })

    test("another writer waits until the first lets go", async () => {
      const settings = settingsOf({ chainId: freshChainId() })
      const order: Array<string> = []
      const use = (who: string, hold: Effect.Effect<void>) =>
        Effect.scoped(
          Ledger.use((ledger) => ledger.open(settings)).pipe(
            Effect.tap(() => Effect.sync(() => order.push(`${who} writes`))),
            Effect.andThen(hold),
            Effect.tap(() => Effect.sync(() => order.push(`${who} lets go`))),
          ),
        )
      let release = () => {}
      const held = Effect.promise(() => new Promise<void>((resolve) => (release = resolve)))
      const first = store.run(use("first", held))
      while (order.length === 0) await Bun.sleep(1)
      const second = store.run(use("second", Effect.void))
      // Another chain is opened and let go meanwhile: this takes as long as the second one would that did not wait.
      const other = settingsOf({ chainId: freshChainId() })
      await store.run(Effect.scoped(Ledger.use((ledger) => ledger.open(other))))
      expect(order).toEqual(["first writes"])
      release()
      await Promise.all([first, second])
      expect(order).toEqual(["first writes", "first lets go", "second writes", "second lets go"])
    })

    test("a chain stored with other settings is refused", async () => {
      const chainId = freshChainId()
      const open = (first: number) =>
        Effect.scoped(Ledger.use((ledger) => ledger.open(settingsOf({ chainId, firstBlock: first }))))
      await store.run(open(5))
      expect(await refusal(open(6) as Effect.Effect<unknown, never>)).toBe("LedgerRefused")
    })
  })
