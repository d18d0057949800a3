/** The AuditStore port's contract: samples of one snapshot, records that stay with their token, and the list of states. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import type { AuditState } from "../../../src/model/audit.ts"
import type { PageRequest } from "../../../src/model/page.ts"
import { type Address, ChainId, dateTimeOf, Hash, zeroAddress as zero } from "../../../src/model/primitives.ts"
import type { Standard, TokenKey } from "../../../src/model/token.ts"
import {
  type AuditBreadth,
  type AuditChoice,
  type AuditRecord,
  AuditStore,
  type Partiality,
  type StoredRow,
} from "../../../src/ports/AuditStore.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { TokenHistories } from "../../../src/ports/TokenHistories.ts"
import { TokenNotes } from "../../../src/ports/TokenNotes.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TrustedTokens } from "../../../src/ports/TrustedTokens.ts"
import {
  address,
  consecutiveTransfer,
  deposit,
  multiTransfer,
  nftTransfer,
  oddEvents,
  TestChain,
  transfer,
  withdrawal,
} from "../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../store.ts"

const coin = (number: number) => address(0xc000 + number)
const [alice, bob, carol] = [address(0xa), address(0xb), address(0xc)]
const [gold, cards, goods] = [coin(1), coin(2), coin(3)]
const few: AuditBreadth = { top: 1, recent: 1, places: [] }
const all: AuditBreadth = { top: 9, recent: 9, places: [0, 0.5, 0.999] }

const record = (state: AuditState, blockNumber: number, more: Partial<AuditRecord> = {}): AuditRecord => ({
  state,
  blockNumber,
  time: 1_700_000_000,
  compared: 3,
  watched: [],
  ...more,
})

/** Gold: 100 minted, 30 to bob, 5 burnt by him, 1 to carol. Cards 1 to 3, of which 3 is burnt. Goods: ids 7 and 8. */
const trade = (): TestChain =>
  new TestChain()
    .block([transfer(gold, zero, alice, 100n)])
    .block([transfer(gold, alice, bob, 30n), nftTransfer(cards, zero, alice, 1n), nftTransfer(cards, zero, bob, 2n)])
    .block([transfer(gold, bob, zero, 5n), nftTransfer(cards, zero, carol, 3n)])
    .block([
      nftTransfer(cards, carol, zero, 3n),
      multiTransfer(goods, zero, bob, [
        [7n, 40n],
        [8n, 2n],
      ]),
    ])
    .block([transfer(gold, bob, carol, 1n), multiTransfer(goods, bob, carol, [[7n, 15n]])])

export const auditContract = (name: string, makeStore: MakeStore) =>
  describe(`Audits on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const begin = async (chain: TestChain, chainId: ChainId = freshChainId()) => {
      const writer = await store.open({ chainId, firstBlock: chain.firstBlock })
      await store.run(writer.append(chain.segment(chain.firstBlock)))
      const sample = (choice: AuditChoice, breadth: AuditBreadth = few) =>
        store.run(AuditStore.use((audits) => audits.sample(chainId, choice, breadth)))
      const find = async (token: Address) =>
        (await store.run(AuditStore.use((audits) => audits.find(chainId, token)))).value
      const counts = () => store.run(AuditStore.use((audits) => audits.counts(chainId)))
      const put = async (...records: ReadonlyArray<readonly [Address, Standard, AuditRecord]>) => {
        const { value } = await sample({ tokens: records.map(([token]) => token) })
        const found = records.flatMap(([token, standard, it]) =>
          value
            .filter((each) => each.token.address === token && each.token.standard === standard)
            .map((each) => ({ token: each.token, record: it })),
        )
        await store.run(AuditStore.use((audits) => audits.record(chainId, found)))
      }
      const revision = async () =>
        (await store.run(AuditStore.use((audits) => audits.find(chainId, gold)))).asOf[0]?.revision
      return { chainId, writer, sample, find, counts, put, revision }
    }

    test("a sample of an ERC-20 is its supply, what was burnt, the zero address, large and recent holders", async () => {
      const chain = trade()
      const { sample } = await begin(chain)
      const { asOf, value } = await sample({ tokens: [gold] })
      expect(asOf.map(({ blockNumber, hash }) => [blockNumber, hash])).toEqual([[4, chain.blocks[4]!.header.hash]])
      expect(value).toEqual([
        {
          token: {
            standard: "erc20",
            address: gold,
            firstBlock: 0,
            firstLogIndex: 0,
            firstTxHash: chain.blocks[0]!.logs[0]!.txHash,
          },
          older: false,
          mixed: false,
          burnt: 5n,
          figures: [
            { of: "supply", token: gold, ledger: 95n, touched: -1 },
            { of: "balance", token: gold, holder: zero, ledger: 0n, touched: -1 },
            { of: "balance", token: gold, holder: alice, ledger: 70n, touched: 1 },
            { of: "balance", token: gold, holder: bob, ledger: 24n, touched: 4 },
            { of: "balance", token: gold, holder: carol, ledger: 1n, touched: 4 },
          ],
        },
      ])
    })

    test("a sample has the lowest balances below zero, however few moved since", async () => {
      const [dave, erin, frank] = [address(0xd), address(0xe), address(0xf)]
      const chain = trade().block([
        ...[dave, erin, frank].map((it, index) => transfer(gold, it, alice, BigInt(index === 0 ? 5 : 7))),
        ...[dave, erin, frank].map((it, index) => multiTransfer(goods, it, alice, [[BigInt(index), 5n]])),
        multiTransfer(goods, frank, alice, [[9n, 5n]]),
      ])
      for (let block = 0; block < 3; block++) {
        chain.block([transfer(gold, alice, carol, 1n), multiTransfer(goods, alice, carol, [[2n, 1n]])])
      }
      const { sample } = await begin(chain)
      const below = async (breadth: AuditBreadth) =>
        (await sample({ tokens: [gold, goods] }, breadth)).value.map(({ figures }) =>
          figures
            .filter(({ ledger }) => ledger < 0n)
            .map((it) => [it.ledger, "holder" in it && it.holder, "tokenId" in it ? it.tokenId : ""]),
        )
      expect(await below(few)).toEqual([
        [
          [-7n, erin, ""],
          [-7n, frank, ""],
        ],
        [
          [-5n, frank, "2"],
          [-5n, frank, "9"],
        ],
      ])
      expect(await below({ ...few, belowZero: 1 })).toEqual([[[-7n, frank, ""]], [[-5n, frank, "9"]]])
      expect((await below({ ...few, belowZero: 9 })).map(({ length }) => length)).toEqual([3, 4])
    })

    test("a sample of NFTs has balances and owners of live ids, of ERC-1155 amounts of ids; the zero address has none", async () => {
      const { sample } = await begin(trade())
      const { value } = await sample({ tokens: [goods, cards] }, all)
      const figures = value.map((it) => it.figures.map(({ token: _, ...figure }) => figure))
      expect(value.map(({ token }) => token.standard)).toEqual(["erc1155", "erc721"])
      expect(figures).toEqual([
        [
          { of: "unit", holder: bob, tokenId: "7", ledger: 25n, touched: 4 },
          { of: "unit", holder: bob, tokenId: "8", ledger: 2n, touched: 3 },
          { of: "unit", holder: carol, tokenId: "7", ledger: 15n, touched: 4 },
        ],
        [
          { of: "supply", ledger: 2n, touched: -1 },
          { of: "balance", holder: alice, ledger: 1n, touched: 1 },
          { of: "balance", holder: bob, ledger: 1n, touched: 1 },
          { of: "balance", holder: carol, ledger: 0n, touched: 3 },
          { of: "owner", tokenId: "1", ledger: BigInt(alice), touched: 1 },
          { of: "owner", tokenId: "2", ledger: BigInt(bob), touched: 1 },
        ],
      ])
    })

    test("places lead to transfers all over a token's history, and more of one part find no more than there is", async () => {
      const chain = new TestChain()
      for (let number = 0; number < 10; number++) chain.block([transfer(gold, zero, address(0x100 + number), 1n)])
      const { sample } = await begin(chain)
      const holdersAt = async (places: ReadonlyArray<number>) =>
        (await sample({ tokens: [gold] }, { top: 0, recent: 0, places })).value[0]!.figures.flatMap((figure) =>
          "holder" in figure && figure.holder !== zero ? [Number(figure.holder) - 0x100] : [],
        )
      expect(await holdersAt([])).toEqual([])
      expect(await holdersAt([0, 0.55, 0.99])).toEqual([0, 5, 9])
      expect(await holdersAt([0.31, 0.3, 0.39])).toEqual([3])
    })

    test("what the last record watches is in the sample, with the record as it was written", async () => {
      const { sample, put } = await begin(trade())
      const huge = 2n ** 256n - 1n
      const watched = [
        { of: "balance", token: gold, holder: address(0x77), ledger: huge, node: 0n, touched: 3 },
        { of: "supply", token: gold, ledger: 95n, touched: -1 },
      ] as const
      const wanted = record("drift", 3, {
        compared: 12,
        difference: { of: "balance", holder: address(0x77), ledger: String(huge), node: "0" },
        reason: "“why” \\ ",
        watched,
        differed: { from: 2, to: 3 },
        logs: { from: 1, to: 2 },
        healed: { from: 0, to: 1 },
      })
      await put([gold, "erc20", wanted])
      const [found] = (await sample({ tokens: [gold] }, { top: 0, recent: 0, places: [] })).value
      expect(found?.last).toEqual(wanted)
      expect(found?.figures.map((figure) => ("holder" in figure ? figure.holder : figure.of))).toEqual([
        "supply",
        zero,
        address(0x77),
      ])
      await put(
        [
          cards,
          "erc721",
          record("exact", 3, { watched: [{ of: "owner", token: cards, tokenId: "1", ledger: 1n, touched: 1 }] }),
        ],
        [
          goods,
          "erc1155",
          record("exact", 3, {
            watched: [{ of: "unit", token: goods, holder: alice, tokenId: "8", ledger: 0n, touched: 1 }],
          }),
        ],
      )
      const others = (await sample({ tokens: [cards, goods] }, { top: 0, recent: 0, places: [] })).value
      expect(others.map(({ figures }) => figures.map((it) => ("tokenId" in it ? it.tokenId : it.of)))).toEqual([
        ["supply", "1"],
        ["8"],
      ])
    })

    test("of a contract every stored movement of a range is told, wraps and batches too, and of one that is unknown none", async () => {
      const weth = coin(9)
      const chain = new TestChain(new Set([weth]))
        .block([transfer(weth, zero, alice, 7n), transfer(gold, zero, alice, 1n)])
        .block([deposit(weth, alice, 2n ** 255n), withdrawal(weth, bob, 3n), nftTransfer(weth, alice, bob, 5n)])
        .block([
          multiTransfer(weth, zero, bob, [
            [7n, 40n],
            [8n, 2n],
          ]),
        ])
        .block([transfer(weth, alice, bob, 1n), consecutiveTransfer(weth, zero, alice, 0n, 9999n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId, wrappedNative: [weth] })
      await store.run(writer.append(chain.segment(0)))
      const rowsOf = async (token: Address, from: number, to: number) =>
        (await store.run(AuditStore.use((audits) => audits.storedRows(chainId, token, { from, to })))).value
      const row = (kind: StoredRow["kind"], blockNumber: number, logIndex: number, more: Partial<StoredRow>) => ({
        ...{ kind, blockNumber, logIndex, sub: 0, tokenId: 0n, amount: 1n, from: alice, to: bob },
        ...more,
      })
      expect(await rowsOf(weth, 0, 2)).toEqual([
        row("erc20", 0, 0, { from: zero, to: alice, amount: 7n }),
        row("wrap", 1, 0, { from: alice, to: alice, amount: 2n ** 255n }),
        row("wrap", 1, 1, { from: bob, to: bob, amount: -3n }),
        row("erc721", 1, 2, { tokenId: 5n }),
        row("erc1155", 2, 0, { from: zero, tokenId: 7n, amount: 40n }),
        row("erc1155", 2, 0, { from: zero, tokenId: 8n, amount: 2n, sub: 1 }),
      ])
      expect((await rowsOf(weth, 2, 3)).map(({ blockNumber }) => blockNumber)).toEqual([2, 2, 3, 3])
      // What was left out is told too, without its ids.
      const leftOut = row("withoutRoom", 3, 1, { from: weth, to: weth, amount: 0n })
      expect((await rowsOf(weth, 3, 3)).slice(1)).toEqual([leftOut])
      expect(await rowsOf(coin(10), 0, 9)).toEqual([])
      const atMost = (most: number) =>
        store.run(Effect.result(AuditStore.use((it) => it.storedRows(chainId, weth, { from: 0, to: 2 }, most))))
      expect(await atMost(6)).toMatchObject({ success: { value: { length: 6 } } })
      expect(await atMost(5)).toMatchObject({ failure: { _tag: "QueryTooSlow" } })
    })

    test("those in drift are due at every look, the one that was looked at longest ago first", async () => {
      const chain = new TestChain()
      for (let number = 1; number <= 9; number++) chain.block([transfer(coin(number), zero, alice, 1n)])
      const { sample, put } = await begin(chain)
      const states = ["exact", "exact", "drift", "exact", "drift", "exact", "exact", "exact", "exact"] as const
      for (const [place, state] of states.entries()) await put([coin(place + 1), "erc20", record(state, 20 - place)])
      const due = async () => (await sample({ due: 4 })).value.map(({ token }) => Number(token.address) - 0xc000)
      expect((await due()).slice(0, 2)).toEqual([5, 9])
      await put([coin(5), "erc20", record("drift", 30)])
      expect((await due())[0]).toBe(3)
    })

    test("an address that emits ERC-20 and ERC-721 is mixed, one that emits another pair is not", async () => {
      const chain = new TestChain().block([
        transfer(gold, zero, alice, 1n),
        nftTransfer(gold, zero, alice, 1n),
        transfer(cards, zero, alice, 1n),
        multiTransfer(cards, zero, alice, [[1n, 1n]]),
      ])
      const { sample } = await begin(chain)
      const { value } = await sample({ tokens: [gold, cards] })
      expect(value.map(({ token, mixed }) => [token.address, token.standard, mixed])).toEqual([
        [gold, "erc20", true],
        [gold, "erc721", true],
        [cards, "erc20", false],
        [cards, "erc1155", false],
      ])
    })

    test("whether a token is older than the ledger is told by when it was made; the first block's second does not tell", async () => {
      const made = [1, 2, 3, 4, 5]
      const chain = new TestChain(new Set(), 500)
      for (const number of made) chain.block([transfer(coin(number), zero, alice, 1n)])
      const { sample, writer } = await begin(chain)
      const { time } = chain.blocks[0]!.header
      const [old, same, young, born] = await store.run(writer.listTokensWithoutOrigin(4))
      await store.run(
        writer.recordOrigins([
          { token: old!, origin: { time: time - 1, txHash: Hash.make(`0x${"aa".repeat(32)}`) } },
          { token: same!, origin: { time, txHash: Hash.make(`0x${"bb".repeat(32)}`) } },
          { token: young!, origin: { time: time + 1 } },
          { token: born!, origin: { time, txHash: born!.firstTxHash } },
        ]),
      )
      const { value } = await sample({ tokens: made.map(coin) })
      expect(value.map(({ older }) => older)).toEqual([true, undefined, false, false, undefined])
    })

    test("a contract that a ledger of some tokens was not made for is told from one that it was made for, without any event", async () => {
      const [kept, still, other] = [1, 2, 3].map(coin) as [Address, Address, Address]
      const chain = new TestChain().block([transfer(kept, zero, alice, 1n)])
      const told = async (tokens?: ReadonlyArray<Address>) => {
        const chainId = freshChainId()
        const writer = await store.open({ chainId, ...(tokens && { tokens }) })
        await store.run(writer.append(chain.segment(0)))
        const found = AuditStore.use((audits) =>
          Effect.forEach([kept, still, other], (it) => audits.find(chainId, it), { concurrency: "unbounded" }),
        )
        return (await store.run(found)).map(({ asOf, value, isNotKept }) => [asOf.length, value.length, isNotKept])
      }
      const seen = [1, 1, undefined]
      const unseen = [1, 0, undefined]
      expect(await told([kept, still])).toEqual([seen, unseen, [1, 0, true]])
      expect(await told()).toEqual([seen, unseen, unseen])
    })

    test("a contract without a token of whose logs some say nothing sure is told from one that has none", async () => {
      const [strange, both, none] = [coin(4), coin(5), coin(6)]
      const chain = new TestChain()
        .block([...oddEvents(strange, bob, zero, alice).slice(0, 1), transfer(both, zero, alice, 1n)])
        .block([...oddEvents(both, bob, zero, alice).slice(0, 1), ...oddEvents(goods, bob, zero, alice).slice(2)])
      const { chainId } = await begin(chain)
      const odd = (token: Address) =>
        store.run(
          Effect.map(
            AuditStore.use((audits) => audits.find(chainId, token)),
            ({ isOdd }) => isOdd,
          ),
        )
      expect(await Promise.all([strange, both, none, goods].map(odd))).toEqual([true, undefined, undefined, undefined])
    })

    test("what was of a token says whether the ledger may lack its beginning, and whether it is known to", async () => {
      const [old, ancient, young] = [1, 2, 3].map(coin) as [Address, Address, Address]
      const chain = new TestChain(new Set(), 100)
      for (const token of [old, ancient, young]) chain.block([transfer(token, zero, alice, 5n)])
      const { chainId, writer } = await begin(chain)
      const born = await store.run(writer.listTokensWithoutOrigin(9))
      const bornAs = (address: Address) => born.find((it) => it.address === address)!
      await store.run(
        writer.recordOrigins([
          { token: bornAs(ancient), origin: { time: chain.genesisTime - 99_999 } },
          { token: bornAs(young), origin: { txHash: bornAs(young).firstTxHash } },
        ]),
      )
      const page = { chainId, page: { limit: 9 }, count: false }
      const walk = { ...page, range: {}, direction: "asc" } as const
      const told = (token: Address) =>
        store.run(
          Effect.gen(function* () {
            const histories = yield* TokenHistories
            const supply = yield* histories.versions({ ...walk, what: { of: "supply", token } })
            const balance = yield* histories.versions({ ...walk, what: { of: "balance", token, holder: alice } })
            const diff = yield* histories.diff({ ...page, token, from: -1 })
            return [supply, balance, diff].map(({ value }) => [value.items.length, value.partial])
          }),
        )
      const thrice = (row: readonly [number, Partiality | undefined]) => [row, row, row].map((it) => [...it])
      expect(await told(old)).toEqual(thrice([1, "possible"]))
      expect(await told(ancient)).toEqual(thrice([1, "known"]))
      expect(await told(young)).toEqual(thrice([1, undefined]))
      expect(await told(coin(4))).toEqual(thrice([0, undefined]))
    })

    test("of a token that may be older than the ledger no supply is told, until all of it is known to be there", async () => {
      const [old, young, shown] = [1, 2, 3].map(coin) as [Address, Address, Address]
      const chain = new TestChain(new Set(), 100)
        .block([transfer(old, alice, bob, 30n)])
        .block([transfer(young, zero, alice, 5n), transfer(shown, zero, alice, 7n)])
      const { chainId, writer, find, put } = await begin(chain)
      const born = await store.run(writer.listTokensWithoutOrigin(9))
      const token = born.find(({ address }) => address === young)!
      await store.run(writer.recordOrigins([{ token, origin: { txHash: token.firstTxHash } }]))
      const page = { limit: 9 }
      const told = async () => {
        const sort = { field: "createdAt", direction: "asc" } as const
        const query = { standard: "erc20", chains: [chainId], sort, page, count: false } as const
        const listed = (await store.run(TokenStore.use((tokens) => tokens.list(query)))).value.items
        const all = await Promise.all(
          [old, young, shown].map(async (address) => {
            const held = { chainId, token: address, page, count: false }
            const supplies = [undefined, 101].map(async (blockNumber) => {
              const at = blockNumber === undefined ? held : { ...held, blockNumber }
              return (await store.run(HolderStore.use((holders) => holders.list("erc20", at)))).value.supply
            })
            const [audit] = await find(address)
            const { totalSupply } = listed.find((it) => it.address === address)!
            return [totalSupply, ...(await Promise.all(supplies)), audit?.partial]
          }),
        )
        return all
      }
      const unknown = [undefined, undefined, undefined, "possible"]
      expect(await told()).toEqual([unknown, ["5", "5", "5", undefined], unknown])
      await put([shown, "erc20", record("exact", 101)], [old, "erc20", record("unverified", 101)])
      const other = born.find(({ address }) => address === old)!
      await store.run(writer.recordOrigins([{ token: other, origin: { time: chain.genesisTime - 99_999 } }]))
      const known = [undefined, undefined, undefined, "known"]
      expect(await told()).toEqual([known, ["5", "5", "5", undefined], ["7", "7", "7", undefined]])
    })

    test("due are the active that were compared longest ago, those never compared, those compared longest ago", async () => {
      const chain = new TestChain()
      for (let number = 9; number > 0; number--) chain.block([transfer(coin(number), zero, alice, 1n)])
      const { sample, put } = await begin(chain)
      const due = async (number: number) =>
        (await sample({ due: number })).value.map(({ token }) => Number(token.address) - 0xc000)
      expect(await due(4)).toEqual([1, 2, 3, 4])
      for (const [from, places] of [
        [7, [1, 7, 8, 9]],
        [3, [1, 3, 4, 5, 6]],
        [10, [1, 2, 3, 4]],
      ] as const) {
        const { value } = await sample({ due: 4, from: coin(from) })
        expect(value.map(({ token }) => Number(token.address) - 0xc000)).toEqual([...places])
      }
      await put(...[1, 2, 3].map((it) => [coin(it), "erc20", record("exact", 10 - it)] as const))
      expect(await due(4)).toEqual([4, 5, 6, 7, 3])
      await put(...[4, 5, 6, 7, 8].map((it) => [coin(it), "erc20", record("exact", 20)] as const))
      expect(await due(4)).toEqual([9, 3, 2, 1])
      await put([coin(9), "erc20", record("exact", 20)])
      expect(await due(8)).toEqual([3, 2, 1, 4, 5, 6, 7, 8])
      expect(await due(2)).toEqual([3, 2])
    })

    test("a known token is unverified until it was compared; an unknown one is nothing", async () => {
      const { find, put, counts, revision, chainId } = await begin(trade())
      expect(await find(gold)).toEqual([
        { chainId, address: gold, standard: "erc20", state: "unverified", reason: "not compared with the node yet" },
      ])
      expect(await find(address(0x99))).toEqual([])
      expect(await counts()).toEqual({ exact: 0, drift: 0, rebasing: 0, unverified: 3 })
      const before = (await revision())!
      const difference = { of: "supply", ledger: "95", node: "96" } as const
      await put(
        [gold, "erc20", record("drift", 4, { difference, reason: "more" })],
        [cards, "erc721", record("exact", 4)],
      )
      expect((await revision())! > before).toBe(true)
      expect(await find(gold)).toEqual([
        {
          chainId,
          address: gold,
          standard: "erc20",
          state: "drift",
          blockNumber: 4,
          timestamp: dateTimeOf(1_700_000_000),
          compared: 3,
          difference,
          reason: "more",
        },
      ])
      expect(await counts()).toEqual({ exact: 1, drift: 1, rebasing: 0, unverified: 1 })
      await put([gold, "erc20", record("exact", 5)], [goods, "erc1155", record("unverified", 5, { reason: "gone" })])
      expect((await find(gold))[0]).toEqual({
        chainId,
        address: gold,
        standard: "erc20",
        state: "exact",
        blockNumber: 5,
        timestamp: dateTimeOf(1_700_000_000),
        compared: 3,
      })
      expect(await counts()).toEqual({ exact: 2, drift: 0, rebasing: 0, unverified: 1 })
    })

    test("what is found says from which block to which it differed, whatever its state is since", async () => {
      const { find, put } = await begin(trade())
      const differed = { from: 2, to: 3 }
      await put([gold, "erc20", record("exact", 4, { differed })], [cards, "erc721", record("exact", 4)])
      expect((await find(gold)).map((it) => [it.state, it.differed])).toEqual([["exact", differed]])
      expect((await find(cards)).map((it) => Object.hasOwn(it, "differed"))).toEqual([false])
    })

    test("what is found of several contracts is what is found of each, by address and standard, each once", async () => {
      const chain = trade().block([nftTransfer(gold, zero, alice, 1n)])
      const { find, put, chainId } = await begin(chain)
      await put(
        [gold, "erc721", record("drift", 5, { differed: { from: 5, to: 5 } })],
        [goods, "erc1155", record("exact", 5)],
      )
      const findMany = async (id: ChainId, ...tokens: ReadonlyArray<Address>) =>
        (await store.run(AuditStore.use((audits) => audits.findMany(id, tokens)))).value
      const found = await findMany(chainId, goods, gold, address(0x99), gold)
      expect(found).toEqual([...(await find(gold)), ...(await find(goods))])
      expect(found.map(({ standard, state }) => `${standard} ${state}`)).toEqual([
        "erc20 unverified",
        "erc721 drift",
        "erc1155 exact",
      ])
      expect([await findMany(chainId), await findMany(freshChainId(), gold)]).toEqual([[], []])
    })

    test("lists of tokens leave out supply and market capitalisation of those in doubt, and keep their places", async () => {
      const fleet = [1, 2, 3, 4, 5].map(coin)
      const { put, chainId } = await begin(new TestChain().block(fleet.map((it) => transfer(it, zero, alice, 100n))))
      const price = 10n ** 18n
      await store.run(
        TokenPrices.use((prices) =>
          prices.record(
            chainId,
            fleet.map((token, place) => ({ address: token, price, marketCap: BigInt(500 - place) })),
          ),
        ),
      )
      await store.run(
        TokenNotes.use((notes) =>
          notes.record(
            chainId,
            fleet.map((token) => ({ address: token, trusted: true, texts: {} })),
          ),
        ),
      )
      await put(
        [coin(1), "erc20", record("exact", 0)],
        [coin(2), "erc20", record("drift", 0)],
        [coin(3), "erc20", record("unverified", 0)],
        [coin(4), "erc20", record("rebasing", 0)],
      )
      const sort = { field: "marketCap", direction: "desc" } as const
      const lists = [
        (page: PageRequest<TokenKey>) =>
          TokenStore.use((port) => port.list({ standard: "erc20", chains: [chainId], sort, page, count: false })),
        (page: PageRequest<TokenKey>) =>
          TrustedTokens.use((port) => port.list({ chains: [chainId], sort, page, count: false })),
      ]
      const figures = [[1, "100", "500"], [2], [3, "100", "498"], [4], [5, "100", "496"]]
      for (const list of lists) {
        for (const limit of [1, 2, 5]) {
          const told: Array<ReadonlyArray<unknown>> = []
          for (let after: TokenKey | undefined, more = true; more; ) {
            const { value } = await store.run(list({ limit, ...(after === undefined ? {} : { after }) }))
            for (const { address: token, totalSupply, marketCap } of value.items) {
              const known = [totalSupply, marketCap].filter((it) => it !== undefined)
              told.push([Number(token) - 0xc000, ...known])
            }
            after = value.keys.at(-1)
            more = value.hasMore
          }
          expect(told).toEqual(figures)
        }
      }
      const found = await store.run(TokenStore.use((port) => port.find(chainId, coin(2))))
      expect(found.value[0]?.supply).toBe("100")
    })

    test("whatever characters a reason holds, it keeps no record of the same look away", async () => {
      const { find, put, counts } = await begin(trade())
      const reason = "the node cannot tell: \0 half a \ud83d"
      await put([cards, "erc721", record("unverified", 4, { reason })], [gold, "erc20", record("drift", 4)])
      expect((await find(gold))[0]?.state).toBe("drift")
      expect((await find(cards))[0]?.reason).toStartWith("the node cannot tell: ")
      expect(await counts()).toEqual({ exact: 0, drift: 1, rebasing: 0, unverified: 2 })
    })

    test("a token that is rolled back takes its record along, others keep theirs; a birth after it is another token's", async () => {
      const chain = trade()
      const { find, put, counts, sample, writer, chainId } = await begin(chain)
      const gone = (await sample({ tokens: [goods] })).value[0]!.token
      await put([gold, "erc20", record("exact", 4)], [goods, "erc1155", record("drift", 4)])
      await store.run(writer.rollback(3))
      expect(await find(goods)).toEqual([])
      expect((await find(gold))[0]?.state).toBe("exact")
      expect(await counts()).toEqual({ exact: 1, drift: 0, rebasing: 0, unverified: 1 })
      chain.truncate(3).block([multiTransfer(goods, zero, bob, [[7n, 1n]])])
      await store.run(writer.append(chain.segment(3)))
      await store.run(AuditStore.use((audits) => audits.record(chainId, [{ token: gone, record: record("drift", 4) }])))
      expect((await find(goods))[0]?.state).toBe("unverified")
    })

    test("the record of the later block stays, whichever is written last, but for one of a block that was taken back", async () => {
      const { find, put, counts, revision, writer } = await begin(trade())
      const differed = { from: 4, to: 4 }
      await put([gold, "erc20", record("rebasing", 4, { differed })])
      const before = await revision()
      await put([gold, "erc20", record("exact", 3)])
      expect((await find(gold)).map((it) => [it.state, it.blockNumber, it.differed])).toEqual([
        ["rebasing", 4, differed],
      ])
      expect(await revision()).toBe(before!)
      await put([gold, "erc20", record("exact", 3)], [cards, "erc721", record("exact", 3)])
      expect((await find(gold))[0]?.state).toBe("rebasing")
      expect(await counts()).toEqual({ exact: 1, drift: 0, rebasing: 1, unverified: 1 })
      await put([gold, "erc20", record("drift", 4)])
      expect(await counts()).toEqual({ exact: 1, drift: 1, rebasing: 0, unverified: 1 })
      await store.run(writer.rollback(4))
      await put([gold, "erc20", record("exact", 2)])
      expect((await find(gold))[0]?.state).toBe("drift")
      await put([gold, "erc20", record("exact", 3)])
      expect((await find(gold)).map((it) => [it.state, it.blockNumber])).toEqual([["exact", 3]])
    })

    test("the list has every token of the chains asked, each once, walked either way in pages of any size", async () => {
      const chain = () =>
        new TestChain().block(
          [5, 3, 9, 1].flatMap((it) => [transfer(coin(it), zero, alice, 1n), nftTransfer(coin(it), zero, alice, 1n)]),
        )
      const first = await begin(chain(), ChainId.make(`9${freshChainId()}`))
      const second = await begin(chain(), ChainId.make(`1000${freshChainId()}`))
      await first.put([coin(3), "erc20", record("drift", 1)], [coin(9), "erc721", record("unverified", 1)])
      await second.put([coin(1), "erc721", record("drift", 1)])
      const chains = [second.chainId, first.chainId]
      const page = async (query: object, limit: number, more: object = {}) =>
        (
          await store.run(
            AuditStore.use((audits) => audits.list({ chains, count: true, page: { limit, ...more }, ...query })),
          )
        ).value
      const nameOf = ({ chainId, address, standard }: { chainId: ChainId; address: Address; standard: Standard }) =>
        `${chains.indexOf(chainId) === 1 ? "first" : "second"} ${Number(address) - 0xc000} ${standard}`
      const walk = async (query: object, limit: number) => {
        const names: Array<string> = []
        let found = await page(query, limit)
        for (;;) {
          names.push(...found.items.map(nameOf))
          if (!found.hasMore) break
          found = await page(query, limit, { after: found.keys.at(-1) })
        }
        const back: Array<string> = found.items.map(nameOf)
        for (let left = found.keys[0]; left !== undefined; ) {
          const before = await page(query, limit, { before: left })
          back.unshift(...before.items.map(nameOf))
          left = before.hasMore ? before.keys[0] : undefined
        }
        expect(back).toEqual(names)
        return { names, count: found.count }
      }
      const tokens = [1, 3, 5, 9].flatMap((it) => [`${it} erc20`, `${it} erc721`])
      const every = ["first", "second"].flatMap((it) => tokens.map((token) => `${it} ${token}`))
      for (const limit of [1, 3, 100]) {
        expect(await walk({}, limit)).toEqual({ names: every, count: { count: 16, countType: "exact" } })
        expect(await walk({ state: "drift" }, limit)).toEqual({
          names: ["first 3 erc20", "second 1 erc721"],
          count: { count: 2, countType: "exact" },
        })
        expect((await walk({ state: "unverified" }, limit)).names).toEqual(
          every.filter((it) => it !== "first 3 erc20" && it !== "second 1 erc721"),
        )
      }
      expect(await walk({ state: "rebasing" }, 3)).toEqual({ names: [], count: { count: 0, countType: "exact" } })
      expect(await walk({ tokens: [coin(3), coin(1)], state: "drift" }, 1)).toEqual({
        names: ["first 3 erc20", "second 1 erc721"],
        count: { count: 2, countType: "exact" },
      })
      expect((await walk({ tokens: [coin(9)], state: "unverified" }, 2)).count?.count).toBe(4)
    })

    test("a chain without a ledger has no samples, no audits and counts nothing", async () => {
      const chainId = freshChainId()
      const sample = await store.run(AuditStore.use((audits) => audits.sample(chainId, { due: 5 }, all)))
      expect(sample).toEqual({ asOf: [], value: [] })
      expect(await store.run(AuditStore.use((audits) => audits.counts(chainId)))).toEqual({
        exact: 0,
        drift: 0,
        rebasing: 0,
        unverified: 0,
      })
    })
  })
