/** The contract of what people say of tokens: notes, and the list of trusted tokens in every order. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { PageRequest } from "../../../src/model/page.ts"
import type { Address, ChainId } from "../../../src/model/primitives.ts"
import type { Erc20Token, TokenKey } from "../../../src/model/token.ts"
import type { AddressedNote } from "../../../src/model/tokenNote.ts"
import { KeptCopies } from "../../../src/ports/KeptCopies.ts"
import { TokenNotes } from "../../../src/ports/TokenNotes.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TrustedTokens, trustedSortFields } from "../../../src/ports/TrustedTokens.ts"
import { address, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type ContractScope, freshChainId, type MakeStore, openStore, seed, stepsOf, type TestStore } from "../store.ts"
import { walkBackward, walkForward } from "../walk.ts"

const zero = address(0)
const coin = (number: number) => address(0x9000 + number)
const holder = (number: number) => address(0xd000 + number)
const trust = (token: Address, texts: AddressedNote["texts"] = {}): AddressedNote => ({
  address: token,
  trusted: true,
  texts,
})

/** Forty coins: coin n has n % 5 holders and came in block n / 8; every third has a name. */
const mint = (number: number) =>
  Array.from({ length: number % 5 }, (_, who) => transfer(coin(number), zero, holder(who), 10n))
const coins = Array.from({ length: 40 }, (_, number) => number + 1)
const fleet = (): TestChain => {
  const chain = new TestChain()
  for (let from = 0; from < coins.length; from += 8) {
    const events = coins
      .slice(from, from + 8)
      .flatMap((number) => [transfer(coin(number), zero, zero, 0n), ...mint(number)])
    chain.block(events, { time: 1_700_000_000 + 30_000 * from })
  }
  return chain.block([nftTransfer(coin(3), zero, holder(1), 1n)])
}

export const trustContract = (name: string, makeStore: MakeStore, scope: ContractScope) =>
  describe(`Trusted tokens and notes on ${name}`, () => {
    let store: TestStore
    let ids: ReadonlyArray<ChainId>
    const record = (chainId: ChainId, notes: ReadonlyArray<AddressedNote>) =>
      store.run(TokenNotes.use((port) => port.record(chainId, notes)))
    const trustedOf = async (chains: ReadonlyArray<ChainId>) => {
      const sort = { field: "name", direction: "asc" } as const
      const { value } = await store.run(
        TrustedTokens.use((port) => port.list({ chains, sort, page: { limit: 1000 }, count: true })),
      )
      expect(value.count).toEqual({ count: value.items.length, countType: "exact" })
      return value.items.map((token) => token.address).sort()
    }
    const found = async (chainId: ChainId, token: Address) =>
      (await store.run(TokenStore.use((port) => port.find(chainId, token)))).value
    const revisionOf = async (chainId: ChainId) =>
      (await store.run(TokenStore.use((port) => port.find(chainId, coin(1))))).asOf[0]!.revision

    beforeAll(async () => {
      store = await openStore(makeStore)
      ids = [await seed(store, fleet()), await seed(store, fleet())]
      for (const chainId of ids) {
        const writer = await store.open({ chainId: freshChainId() })
        expect(await store.run(writer.checkpoint)).toMatchObject({ nextBlock: 0 })
        expect(
          await record(
            chainId,
            coins.filter((number) => number % 4 !== 0).map((number) => trust(coin(number))),
          ),
        ).toBe("all")
      }
    })
    afterAll(() => store.close())

    for (const field of trustedSortFields) {
      test(`by ${field}: the trusted alone, in the order of the list of all ERC-20 tokens, walked both ways`, async () => {
        for (const chains of [[ids[0]!], ids]) {
          for (const direction of ["desc", "asc"] as const) {
            const trusted = new Set(coins.filter((number) => number % 4 !== 0).map(coin))
            // Without market capitalisations that order is by holders.
            const like = field === "marketCap" ? "holdersCount" : field
            const all = await store.run(
              TokenStore.use((port) =>
                port.list({
                  standard: "erc20",
                  chains,
                  sort: { field: like, direction },
                  page: { limit: 1000 },
                  count: false,
                }),
              ),
            )
            const wanted = all.value.items.filter((token) => trusted.has(token.address))
            expect(wanted).toHaveLength(30 * chains.length)
            const read = (page: PageRequest<TokenKey>) =>
              store.run(
                TrustedTokens.use((port) => port.list({ chains, sort: { field, direction }, page, count: false })),
              )
            for (const limit of stepsOf(scope, [1, 7, 1000])) {
              expect<ReadonlyArray<Erc20Token>>(await walkForward(read, limit)).toEqual(wanted)
              expect<ReadonlyArray<Erc20Token>>(await walkBackward(read, limit)).toEqual(wanted)
            }
          }
        }
      })
    }

    test("by marketCap: as numbers of any size, ties by chain and address; those without one last in both directions, by holders", async () => {
      const chains = [await seed(store, fleet()), await seed(store, fleet())]
      const capOf = (number: number) => {
        if (number % 3 === 0) return undefined
        return number % 5 === 0 ? 7n : BigInt(number % 4) * 10n ** BigInt(number)
      }
      const rows = chains.flatMap((chainId) =>
        coins.filter((number) => number % 4 !== 1).map((number) => ({ chainId, number, cap: capOf(number) })),
      )
      for (const chainId of chains) {
        await record(
          chainId,
          coins.filter((number) => number % 4 !== 1).map((number) => trust(coin(number))),
        )
        const priced = coins.flatMap((number) => {
          const marketCap = capOf(number)
          return marketCap === undefined ? [] : [{ address: coin(number), price: 1n, marketCap }]
        })
        await store.run(TokenPrices.use((port) => port.record(chainId, priced)))
      }
      const compare = (x: bigint, y: bigint) => (x < y ? -1 : x > y ? 1 : 0)
      for (const direction of ["desc", "asc"] as const) {
        const sign = direction === "desc" ? 1 : -1
        const wanted = [...rows]
          .sort(
            (a, b) =>
              Number(a.cap === undefined) - Number(b.cap === undefined) ||
              sign *
                (compare(b.cap ?? 0n, a.cap ?? 0n) ||
                  (a.cap === undefined ? (b.number % 5) - (a.number % 5) : 0) ||
                  Number(a.chainId) - Number(b.chainId) ||
                  a.number - b.number),
          )
          .map(({ chainId, number, cap }) => [chainId, coin(number), cap === undefined ? undefined : String(cap)])
        const shown = (tokens: ReadonlyArray<Erc20Token>) =>
          tokens.map((token) => [token.chainId, token.address, token.marketCap])
        const read = (page: PageRequest<TokenKey>) =>
          store.run(
            TrustedTokens.use((port) =>
              port.list({ chains, sort: { field: "marketCap", direction }, page, count: false }),
            ),
          )
        for (const limit of stepsOf(scope, [1, 7, 1000])) {
          expect(shown(await walkForward(read, limit))).toEqual(wanted)
          expect(shown(await walkBackward(read, limit))).toEqual(wanted)
        }
      }
    })

    test("a note stands at every standard of its contract, trusted or not; elsewhere there is none", async () => {
      const chainId = await seed(store, fleet())
      const texts = { website: "https://three.example", description: "“Three” \\ 3" }
      await record(chainId, [
        trust(coin(3), texts),
        { address: coin(4), trusted: false, texts: { email: "a@b.example" } },
      ])
      expect((await found(chainId, coin(3))).map(({ standard, note }) => [standard, note])).toEqual([
        ["erc20", { trusted: true, texts }],
        ["erc721", { trusted: true, texts }],
      ])
      expect((await found(chainId, coin(4))).map(({ note }) => note)).toEqual([
        { trusted: false, texts: { email: "a@b.example" } },
      ])
      expect((await found(chainId, coin(5))).map((it) => "note" in it)).toEqual([false])
      expect(await trustedOf([chainId])).toEqual([coin(3)])
    })

    test("what is recorded takes the place of what was, and nothing else; the revision moves only then", async () => {
      const chainId = await seed(store, fleet())
      const before = await revisionOf(chainId)
      await record(chainId, [trust(coin(1), { website: "https://a.example" }), trust(coin(2))])
      const first = await revisionOf(chainId)
      await record(chainId, [trust(coin(2)), trust(coin(1), { website: "https://a.example" })])
      const same = await revisionOf(chainId)
      await record(chainId, [trust(coin(2)), trust(coin(1), { website: "https://b.example" })])
      const reworded = await revisionOf(chainId)
      await record(chainId, [trust(coin(2)), trust(coin(7)), { ...trust(coin(1)), trusted: false }])
      const changed = await revisionOf(chainId)
      expect(await trustedOf([chainId])).toEqual([coin(2), coin(7)])
      expect([first > before, same === first, reworded > same, changed > reworded]).toEqual([true, true, true, true])
      await record(chainId, [])
      expect(await trustedOf([chainId])).toEqual([])
      expect((await found(chainId, coin(2))).map((it) => "note" in it)).toEqual([false])
    })

    test("a token that the ledger meets later is trusted from birth, also when it was rolled back and comes again", async () => {
      const chainId = freshChainId()
      const writer = await store.open({ chainId })
      const chain = new TestChain().block([transfer(coin(1), zero, holder(1), 5n)])
      await store.run(writer.append(chain.segment(0)))
      await record(chainId, [trust(coin(1)), trust(coin(2)), trust(coin(3))])
      chain.block([transfer(coin(2), zero, holder(1), 5n), nftTransfer(coin(3), zero, holder(1), 5n)])
      await store.run(writer.append(chain.segment(1)))
      expect(await trustedOf([chainId])).toEqual([coin(1), coin(2)])
      await store.run(writer.rollback(1))
      expect(await trustedOf([chainId])).toEqual([coin(1)])
      await store.run(writer.append(chain.segment(1)))
      expect(await trustedOf([chainId])).toEqual([coin(1), coin(2)])
    })

    test("a chain that has no ledger yet takes no notes", async () => {
      expect(await record(freshChainId(), [trust(coin(1))])).toBe("absent")
    })

    test("a kept copy is the one that was checked last", async () => {
      const key = freshChainId()
      const find = () => store.run(KeptCopies.use((port) => port.find(key)))
      const keep = (text: string, checkedAt: number, etag?: string) =>
        store.run(
          KeptCopies.use((port) => port.keep(key, { text, checkedAt, ...(etag === undefined ? {} : { etag }) })),
        )
      expect(await find()).toBeUndefined()
      await keep("one", 1_700_000_000_000, '"1"')
      expect(await find()).toEqual({ text: "one", checkedAt: 1_700_000_000_000, etag: '"1"' })
      await keep("older", 1_600_000_000_000)
      await keep("two", 1_800_000_000_000)
      await keep("between", 1_700_000_000_001, '"3"')
      expect(await find()).toEqual({ text: "two", checkedAt: 1_800_000_000_000 })
    })
  })
