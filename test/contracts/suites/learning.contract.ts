/** The Ledger port's contract of what is learned of tokens and ids: asked once, and told of the very birth that was asked. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { zeroAddress } from "../../../src/model/primitives.ts"
import { searchTextOf } from "../../../src/model/search/searchText.ts"
import type { Standard, TokenDescription } from "../../../src/model/token.ts"
import type { BornToken, LedgerWriter } from "../../../src/ports/Ledger.ts"
import { NftStore } from "../../../src/ports/NftStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { address, hash, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../store.ts"

const [token, later] = [address(0x70), address(0x6f)]
const [alice, bob] = [address(0xa), address(0xb)]

export const learningContract = (name: string, makeStore: MakeStore) =>
  describe(`What is learned of tokens on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    })
    afterAll(() => store.close())

    const begin = async (chain: TestChain) => {
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0)))
      const find = async (address = token) => (await store.run(TokenStore.use((s) => s.find(chainId, address)))).value
      const uris = async () =>
        (
          await store.run(NftStore.use((s) => s.list({ chainId, token, page: { limit: 9 }, count: false })))
        ).value.items.map(({ tokenId, tokenUri }) => `${tokenId} ${tokenUri}`)
      const point = async () => (await store.run(TokenStore.use((s) => s.find(chainId, token)))).asOf[0]!
      return { chainId, writer, find, uris, point }
    }
    const mints = [
      multiTransfer(token, zeroAddress, alice, [[1n, 1n]]),
      transfer(token, zeroAddress, alice, 1n),
      nftTransfer(token, zeroAddress, alice, 1n),
    ]
    const born = (chain: TestChain, standard: Standard, block: number, logIndex: number, address = token) => ({
      standard,
      address,
      firstBlock: block,
      firstLogIndex: logIndex,
      firstTxHash: chain.blocks[block]!.logs[logIndex]!.txHash,
      firstBlockHash: chain.blocks[block]!.header.hash,
    })

    for (const [what, list] of [
      ["a description", (writer: LedgerWriter) => writer.listUndescribedTokens],
      ["an origin", (writer: LedgerWriter) => writer.listTokensWithoutOrigin],
    ] as const) {
      test(`tokens of every standard wait for ${what}, the oldest first`, async () => {
        const chain = new TestChain().block(mints).block([transfer(later, zeroAddress, alice, 1n)])
        const { writer } = await begin(chain)
        const waiting = [
          born(chain, "erc1155", 0, 0),
          born(chain, "erc20", 0, 1),
          born(chain, "erc721", 0, 2),
          born(chain, "erc20", 1, 0, later),
        ]
        expect(await store.run(list(writer)(9))).toEqual(waiting)
        expect(await store.run(list(writer)(2))).toEqual(waiting.slice(0, 2))
      })
    }

    test("a description is of one standard's token, and is written once asked", async () => {
      const chain = new TestChain().block(mints)
      const { writer, find } = await begin(chain)
      const waiting = await store.run(writer.listUndescribedTokens(9))
      expect((await find()).map(({ isDescribed }) => isDescribed)).toEqual([false, false, false])
      const named = (name: string) => ({ name, symbol: "GLD", decimals: 0 })
      await store.run(
        writer.describeTokens([
          { token: waiting[1]!, description: named("Gold \u{1F947}") },
          { token: waiting[2]!, description: { name: "Cards" } },
          { token: waiting[0]!, description: {} },
        ]),
      )
      expect(await store.run(writer.listUndescribedTokens(9))).toEqual([])
      // What says nothing was asked too.
      expect((await find()).map(({ isDescribed }) => isDescribed)).toEqual([true, true, true])
      expect((await find()).map(({ record }) => record)).toMatchObject([
        named("Gold \u{1F947}"),
        { name: "Cards" },
        { address: token },
      ])
      expect((await find()).map(({ record }) => record.name)).toEqual(["Gold \u{1F947}", "Cards", undefined])
    })

    test("a token that says something else later is told so, and what it says no more stays", async () => {
      const chain = new TestChain().block(mints)
      const { chainId, writer, find, point } = await begin(chain)
      const [, coin, card] = await store.run(writer.listUndescribedTokens(9))
      const describe = (token: BornToken, description: TokenDescription) =>
        store.run(writer.describeTokens([{ token, description }]))
      const said = async () => (await find()).map(({ record }) => record)
      await describe(coin!, { name: "Tether USD", symbol: "USDT" })
      await describe(card!, {})
      await describe(coin!, { name: "USD\u20AE0", symbol: "USD\u20AE0", decimals: 6 })
      await describe(card!, { name: "Cards" })
      const changed = [{ name: "USD\u20AE0", symbol: "USD\u20AE0", decimals: 6 }, { name: "Cards" }, { address: token }]
      expect(await said()).toMatchObject(changed)
      const before = await point()
      await describe(coin!, { name: "USD\u20AE0" })
      await describe(coin!, {})
      await describe(card!, { name: "Cards" })
      expect(await said()).toMatchObject(changed)
      expect(await point()).toEqual(before)
      const found = async (query: string) => {
        const [chains, text, page] = [[chainId], searchTextOf(query), { limit: 9 }] as const
        const search = TokenStore.use((s) => s.search({ standard: "erc20", chains, text, page, count: false }))
        return (await store.run(search)).value.items.length
      }
      expect(await Promise.all(["tether", "USDT", "usd\u20AE0"].map(found))).toEqual([0, 0, 1])
    })

    test("an origin is told, whole or in part or not at all, and not asked again", async () => {
      const chain = new TestChain().block(mints)
      const { writer, find } = await begin(chain)
      const [multi, coin, card] = await store.run(writer.listTokensWithoutOrigin(9))
      await store.run(
        writer.recordOrigins([
          { token: coin!, origin: { txHash: hash("made"), time: 1_600_000_000 } },
          { token: card!, origin: { time: 1_600_000_001 } },
          { token: multi!, origin: {} },
        ]),
      )
      expect(await store.run(writer.listTokensWithoutOrigin(9))).toEqual([])
      expect((await find()).map(({ record }) => record.createOperation)).toEqual([
        { txHash: hash("made"), timestamp: new Date(1_600_000_000_000).toISOString() },
        { timestamp: new Date(1_600_000_001_000).toISOString() },
        undefined,
      ])
    })

    test("tokens whose origin was given up are listed the newest first, from any of them on, until one is known", async () => {
      const coins = [1, 2, 3].map((number) => address(0x80 + number))
      const chain = new TestChain().block(mints)
      for (const coin of coins) chain.block([transfer(coin, zeroAddress, alice, 1n)])
      const { writer } = await begin(chain)
      const [multi, coin, card, ...others] = await store.run(writer.listTokensWithoutOrigin(9))
      const exhausted = (limit: number, last?: BornToken) => store.run(writer.listExhaustedTokens(limit, last))
      expect(await exhausted(9)).toEqual([])
      await store.run(
        writer.recordOrigins([
          { token: coin!, origin: { txHash: hash("made") } },
          { token: card!, origin: { time: 1_600_000_001 } },
          ...[multi!, ...others].map((token) => ({ token, origin: {} })),
        ]),
      )
      const [first, second, third] = others
      expect(await exhausted(9)).toEqual([third!, second!, first!, multi!])
      expect(await exhausted(2)).toEqual([third!, second!])
      expect(await exhausted(2, second)).toEqual([first!, multi!])
      expect(await exhausted(2, multi)).toEqual([])
      await store.run(writer.recordOrigins([{ token: second!, origin: { time: 7 } }]))
      await store.run(writer.rollback(3))
      expect(await exhausted(9)).toEqual([first!, multi!])
      expect(await store.run(writer.listTokensWithoutOrigin(9))).toEqual([])
    })

    test("a known time of creation is what lists sort by, else the first event's", async () => {
      const chain = new TestChain()
        .block([transfer(token, zeroAddress, alice, 1n)])
        .block([transfer(later, zeroAddress, alice, 1n)])
      const { chainId, writer } = await begin(chain)
      const order = async () =>
        (
          await store.run(
            TokenStore.use((s) =>
              s.list({
                standard: "erc20",
                chains: [chainId],
                sort: { field: "createdAt", direction: "desc" },
                page: { limit: 9 },
                count: false,
              }),
            ),
          )
        ).value.items.map((it) => it.address)
      expect(await order()).toEqual([later, token])
      const [first, second] = await store.run(writer.listTokensWithoutOrigin(9))
      await store.run(writer.recordOrigins([{ token: first!, origin: { txHash: hash("made") } }]))
      expect(await order()).toEqual([later, token])
      await store.run(writer.recordOrigins([{ token: second!, origin: { time: 1_000_000_000 } }]))
      expect(await order()).toEqual([token, later])
    })

    test("an answer never reaches another birth of the same address", async () => {
      const chain = new TestChain().block().block([transfer(token, zeroAddress, alice, 1n)])
      const { writer, find } = await begin(chain)
      const [pending] = await store.run(writer.listUndescribedTokens(9))
      expect(pending).toEqual(born(chain, "erc20", 1, 0))
      await store.run(writer.rollback(1))
      chain
        .truncate(1)
        .block()
        .block([transfer(token, zeroAddress, alice, 1n)], { salt: "fork" })
      await store.run(writer.append(chain.segment(1)))
      await store.run(writer.describeTokens([{ token: pending!, description: { name: "Late" } }]))
      await store.run(writer.recordOrigins([{ token: pending!, origin: { time: 5 } }]))
      const reborn = born(chain, "erc20", 2, 0)
      expect(await store.run(writer.listUndescribedTokens(9))).toEqual([reborn])
      expect(await store.run(writer.listTokensWithoutOrigin(9))).toEqual([reborn])
      expect((await find()).map(({ record }) => [record.name, record.createOperation])).toEqual([
        [undefined, undefined],
      ])
    })

    test("nor does a creation that was found on another fork, where the first event has its place on both", async () => {
      const chain = new TestChain().block().block([transfer(token, zeroAddress, alice, 1n)])
      const { writer, find } = await begin(chain)
      const [pending] = await store.run(writer.listTokensWithoutOrigin(9))
      await store.run(writer.rollback(1))
      chain.truncate(1).block([transfer(token, zeroAddress, alice, 1n)], { salt: "fork" })
      await store.run(writer.append(chain.segment(1)))
      const ofFork = { txHash: hash("made on the other fork"), time: 5 }
      await store.run(writer.recordOrigins([{ token: pending!, origin: ofFork }]))
      const reborn = born(chain, "erc20", 1, 0)
      expect([pending!.firstBlock, pending!.firstLogIndex]).toEqual([1, 0])
      expect(await store.run(writer.listTokensWithoutOrigin(9))).toEqual([reborn])
      // Its block is final meanwhile, and its header gone: it is asked for once more.
      for (let blocks = 0; blocks < 3; blocks++) chain.block()
      await store.run(writer.append(chain.segment(2, undefined, { finalizedBlock: 4 })))
      await store.run(writer.recordOrigins([{ token: pending!, origin: ofFork }]))
      const { firstBlockHash: _, ...final } = reborn
      expect(await store.run(writer.listTokensWithoutOrigin(9))).toEqual([final])
      await store.run(writer.recordOrigins([{ token: final, origin: { txHash: hash("made") } }]))
      expect(await store.run(writer.listTokensWithoutOrigin(9))).toEqual([])
      expect((await find()).map(({ record }) => record.createOperation)).toEqual([{ txHash: hash("made") }])
    })

    test("made by the transaction of its first event, a token is as old as the ledger has that block, whatever fork told it", async () => {
      const chain = new TestChain().block().block([transfer(token, zeroAddress, alice, 1n)])
      const { writer, find } = await begin(chain)
      const [only] = await store.run(writer.listTokensWithoutOrigin(9))
      const { time } = chain.blocks[1]!.header
      const origin = { txHash: only!.firstTxHash, time: time - 5 }
      await store.run(writer.recordOrigins([{ token: only!, origin }]))
      expect((await find()).map(({ record }) => record.createOperation)).toEqual([
        { txHash: only!.firstTxHash, timestamp: new Date(time * 1000).toISOString() },
      ])
    })

    test("live ids wait for their uri, the newest mint first; a burnt one does not", async () => {
      const chain = new TestChain()
        .block([nftTransfer(token, zeroAddress, alice, 1n), nftTransfer(later, zeroAddress, alice, 7n)])
        .block([nftTransfer(token, zeroAddress, alice, 2n ** 256n - 1n), nftTransfer(token, zeroAddress, alice, 3n)])
        .block([nftTransfer(token, alice, zeroAddress, 3n), nftTransfer(token, alice, bob, 1n)])
      const { writer, uris } = await begin(chain)
      const nft = (tokenId: bigint, mintBlock: number, mintLogIndex: number, of = token) => ({
        token: of,
        tokenId: String(tokenId),
        mintBlock,
        mintLogIndex,
      })
      const waiting = [nft(2n ** 256n - 1n, 1, 0), nft(7n, 0, 1, later), nft(1n, 0, 0)]
      expect(await store.run(writer.listNftsWithoutUri(9))).toEqual(waiting)
      expect(await store.run(writer.listNftsWithoutUri(2))).toEqual(waiting.slice(0, 2))
      await store.run(
        writer.recordTokenUris([
          { nft: waiting[0]!, uri: "ipfs://x/{id}" },
          { nft: waiting[2]! },
          { nft: nft(3n, 1, 1) },
        ]),
      )
      expect(await store.run(writer.listNftsWithoutUri(9))).toEqual([waiting[1]!])
      expect(await uris()).toEqual(["1 undefined", `${2n ** 256n - 1n} ipfs://x/{id}`])
    })

    test("a uri stays with its id as it moves, is gone with a new mint, and never reaches another mint", async () => {
      const chain = new TestChain()
        .block([nftTransfer(token, zeroAddress, alice, 1n)])
        .block([nftTransfer(token, alice, bob, 1n)])
        .block([nftTransfer(token, bob, zeroAddress, 1n)])
        .block([nftTransfer(token, zeroAddress, bob, 1n)])
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const uris = async () =>
        (
          await store.run(NftStore.use((s) => s.list({ chainId, token, page: { limit: 9 }, count: false })))
        ).value.items.map(({ tokenUri }) => tokenUri)
      const next = () => store.run(writer.listNftsWithoutUri(9))
      await store.run(writer.append(chain.segment(0, 0)))
      const [first] = await next()
      await store.run(writer.recordTokenUris([{ nft: first!, uri: "first" }]))
      await store.run(writer.append(chain.segment(1, 1)))
      expect([await uris(), await next()]).toEqual([["first"], []])
      await store.run(writer.append(chain.segment(2, 2)))
      expect([await uris(), await next()]).toEqual([[], []])
      await store.run(writer.rollback(2))
      expect([await uris(), await next()]).toEqual([["first"], []])
      await store.run(writer.append(chain.segment(2)))
      const again = { ...first!, mintBlock: 3 }
      expect([await uris(), await next()]).toEqual([[undefined], [again]])
      await store.run(writer.recordTokenUris([{ nft: first!, uri: "late" }]))
      expect([await uris(), await next()]).toEqual([[undefined], [again]])
      await store.run(writer.recordTokenUris([{ nft: again, uri: "second" }]))
      expect([await uris(), await next()]).toEqual([["second"], []])
      // A store may have forgotten what the first mint answered, and ask again: it never gives the other's.
      await store.run(writer.rollback(2))
      const kept: ReadonlyArray<unknown> = [
        [["first"], []],
        [[undefined], [first]],
      ]
      expect(kept).toContainEqual([await uris(), await next()])
    })

    test("what was recorded moves the revision; names and URIs move no figures, as who made a token may", async () => {
      const { writer, point } = await begin(new TestChain().block(mints))
      const before = await point()
      const moved = async () => {
        const { revision, figures } = await point()
        return [revision - before.revision, figures - before.figures]
      }
      const [waiting] = await store.run(writer.listUndescribedTokens(1))
      await store.run(writer.describeTokens([{ token: waiting!, description: { name: "Gold" } }]))
      expect(await moved()).toEqual([1, 0])
      const [nft] = await store.run(writer.listNftsWithoutUri(1))
      await store.run(writer.recordTokenUris([{ nft: nft!, uri: "x" }]))
      expect(await moved()).toEqual([2, 0])
      await store.run(writer.recordOrigins([{ token: waiting!, origin: {} }]))
      expect(await moved()).toEqual([3, 0])
    })

    test("who made a token moves the figures of a ledger that begins later: it tells whether all of them are there", async () => {
      const chainId = freshChainId()
      const chain = new TestChain(undefined, 7).block(mints)
      const writer = await store.open({ chainId, firstBlock: 7 })
      await store.run(writer.append(chain.segment(7)))
      const figures = async () => (await store.run(TokenStore.use((s) => s.find(chainId, token)))).asOf[0]!.figures
      const before = await figures()
      const [waiting] = await store.run(writer.listUndescribedTokens(1))
      await store.run(writer.recordOrigins([{ token: waiting!, origin: {} }]))
      expect(await figures()).toBe(before + 1)
    })

    test("a block moves figures, as its being taken back does", async () => {
      const chain = new TestChain().block(mints)
      const { writer, point } = await begin(chain)
      const figures = [(await point()).figures]
      chain.block([transfer(token, alice, bob, 1n)])
      await store.run(writer.append(chain.segment(1)))
      figures.push((await point()).figures)
      await store.run(writer.rollback(1))
      figures.push((await point()).figures)
      expect(figures.map((each) => each - figures[0]!)).toEqual([0, 1, 2])
    })
  })
