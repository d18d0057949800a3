/** The contract of wallets of very many tokens: few of them have a price or are trusted, and the lists of these are the same as of a small wallet. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { oneDollar } from "../../../../src/model/price.ts"
import { type ChainId, zeroAddress } from "../../../../src/model/primitives.ts"
import { TokenNotes } from "../../../../src/ports/TokenNotes.ts"
import { TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { type HeldBy, WalletStore } from "../../../../src/ports/WalletStore.ts"
import { address, nftTransfer, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"

const tokens = 1200
const token = (number: number) => address(0x50_0000 + number)
const [spammed, other] = [address(0x61), address(0x62)]
const apes = address(0x721)
/** Held by the wallet but the last, which is the other's. Prices of now and of the hour of the first block. */
const priced = [7, 8, 900, 1199, tokens]
const trusted = [8, 20, 900]

export const manyTokensContract = (name: string, makeStore: MakeStore) =>
  describe(`Very many tokens on ${name}`, () => {
    let store: TestStore
    const chainId: ChainId = freshChainId()
    const numbers = Array.from({ length: tokens }, (_, index) => index + 1)
    const chain = new TestChain()
      .block([
        ...numbers.slice(0, -1).map((number) => transfer(token(number), zeroAddress, spammed, BigInt(number))),
        transfer(token(tokens), zeroAddress, other, 5n),
        transfer(token(7), zeroAddress, other, 5n),
        nftTransfer(apes, zeroAddress, spammed, 1n),
      ])
      // Now it has none of this one, which it had.
      .block([transfer(token(900), spammed, other, 900n)])

    const hour = Math.floor(chain.blocks[0]!.header.time / 3600)

    beforeAll(async () => {
      store = await openStore(makeStore)
      const writer = await store.open({ chainId })
      await store.run(writer.append(chain.segment(0, 0)))
      await store.run(writer.append(chain.segment(1, 1)))
      const born = await store.run(writer.listUndescribedTokens(2 * tokens))
      const coins = born.filter(({ standard }) => standard === "erc20")
      await store.run(writer.describeTokens(coins.map((token) => ({ token, description: { decimals: 0 } }))))
      const notes = [...trusted.map(token), apes].map((address) => ({ address, trusted: true, texts: {} }))
      await store.run(TokenNotes.use((port) => port.record(chainId, notes)))
      const prices = priced.map((number) => ({ address: token(number), price: oneDollar }))
      await store.run(TokenPrices.use((port) => port.record(chainId, prices)))
      await store.run(TokenPrices.use((port) => port.recordHour(chainId, hour, prices, hour + 1)))
    })
    afterAll(() => store.close())

    const asked: HeldBy = {
      chains: [chainId],
      holders: [spammed],
      standards: ["erc20", "erc721", "erc1155"],
      onlyTrusted: false,
      byId: false,
    }
    const held = async (query: Partial<HeldBy>) => {
      const sort = { field: "valueUsd", direction: "desc" } as const
      const list = await store.run(
        WalletStore.use((port) => port.list({ ...asked, ...query, sort, page: { limit: 2 * tokens }, count: true })),
      )
      const { totals } = (await store.run(WalletStore.use((port) => port.total({ ...asked, ...query })))).value
      const { items, count } = list.value
      const values = items.flatMap(({ value }) => (value === undefined ? [] : [BigInt(value)]))
      const value = String(values.reduce((sum, it) => sum + it, 0n))
      const none = { suspect: 0, states: [] }
      expect(totals).toEqual([{ chainId, rows: items.length, priced: values.length, value, ...none }])
      expect(count).toEqual({ count: items.length, countType: "exact" })
      return items.map(({ address, tokenAddress, value }) => [
        tokenAddress === apes ? "apes" : Number(BigInt(tokenAddress)) - 0x50_0000,
        ...(address === spammed ? [] : ["other's"]),
        ...(value === undefined ? [] : [Number(BigInt(value) / oneDollar)]),
      ])
    }
    const at = (blockNumber: number) => ({ at: [{ chainId, blockNumber, hour }] })
    const valued = (...numbers: ReadonlyArray<number>) => numbers.map((number) => [number, number])

    test("those with a value come first, the others by contract", async () => {
      const rest = numbers.slice(0, -1).filter((number) => !priced.includes(number))
      const all = [...valued(1199, 8, 7), ...rest.map((number) => [number]), ["apes"]]
      // ERC-20 stands before ERC-721.
      expect(await held({})).toEqual(all)
      const then = [...valued(1199, 900, 8, 7), ...rest.map((number) => [number]), ["apes"]]
      expect(await held(at(0))).toEqual(then)
    })

    test("least value, trust, both; now and as of a block; of one wallet and of two", async () => {
      expect(await held({ minValue: oneDollar })).toEqual(valued(1199, 8, 7))
      expect(await held({ minValue: 8n * oneDollar })).toEqual(valued(1199, 8))
      expect(await held({ minValue: 8n * oneDollar, ...at(0) })).toEqual(valued(1199, 900, 8))
      expect(await held({ onlyTrusted: true })).toEqual([[8, 8], [20], ["apes"]])
      expect(await held({ onlyTrusted: true, standards: ["erc20"] })).toEqual([[8, 8], [20]])
      expect(await held({ onlyTrusted: true, ...at(0) })).toEqual([[900, 900], [8, 8], [20], ["apes"]])
      expect(await held({ onlyTrusted: true, minValue: 0n })).toEqual(valued(8))
      expect(await held({ onlyTrusted: true, minValue: 0n, ...at(0) })).toEqual(valued(900, 8))
      expect(await held({ minValue: 0n, holders: [spammed, other] })).toEqual([
        [1199, 1199],
        [900, "other's", 900],
        [8, 8],
        [7, 7],
        [7, "other's", 5],
        [tokens, "other's", 5],
      ])
    })
  })
