/** The contract of narrowed lists of holders and of ranks: what the whole list says, cut by a plain filter, of now and of any block. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Exit, Scope } from "effect"
import type { HolderKey } from "../../../../src/model/holder.ts"
import { countCap, type PageRequest, type Rows, type Snapshot } from "../../../../src/model/page.ts"
import { type Address, type ChainId, chainIdOfNumber } from "../../../../src/model/primitives.ts"
import { CodeStore } from "../../../../src/ports/CodeStore.ts"
import { Freshness } from "../../../../src/ports/Freshness.ts"
import { type HeldStandard, HolderStore } from "../../../../src/ports/HolderStore.ts"
import { Snapshots } from "../../../../src/ports/Snapshots.ts"
import { WantedCodes } from "../../../../src/ports/WantedCodes.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../../support/chain/testChain.ts"
import {
  type ContractScope,
  filteredStepsOf,
  freshChainId,
  type MakeStore,
  openStore,
  seed,
  type TestStore,
} from "../../store.ts"
import { walkBackward, walkForward } from "../../walk.ts"

const [coin, apes, goods] = [address(0x9101), address(0x9102), address(0x9103)]
const zero = address(0)
const people = Array.from({ length: 12 }, (_, number) => address(0xd100 + number))
const stranger = address(0xbeef)

/** So many rows that as of an early block the whole token is read; many balances are equal. */
const chainOf = (): TestChain => {
  const chain = new TestChain()
  for (let block = 0; block < 40; block++) {
    chain.block(
      people.flatMap((to, place) => [
        transfer(coin, zero, to, BigInt((block * (place % 5)) % 7)),
        ...(block % 6 === 0 ? [nftTransfer(apes, zero, to, BigInt(100 * block + place))] : []),
        ...(block % 7 === 0 ? [multiTransfer(goods, zero, to, [[BigInt(place % 3), BigInt(block + 1)]])] : []),
      ]),
    )
  }
  return chain
}

const narrowings = [
  {},
  { minBalance: "1" },
  { minBalance: "40" },
  { minBalance: "7" },
  { minBalance: String(2n ** 256n) },
  { addresses: [people[3]!, people[7]!, stranger] },
  { addresses: people.slice(0, 9), minBalance: "30" },
  { addresses: [stranger] },
  { excludeContracts: true },
  { excludeContracts: true, minBalance: "7" },
  { excludeContracts: true, addresses: people.slice(0, 9) },
] as const

/** What is known of some of them; of the others nothing is. */
const known = new Map([
  ...[2, 7, 8].map((place) => [people[place]!, true] as const),
  ...[0, 3, 7 + 4].map((place) => [people[place]!, false] as const),
])

export const holdersContract = (name: string, makeStore: MakeStore, scope: ContractScope) =>
  describe(`Narrowed holders on ${name}`, () => {
    let store: TestStore
    let chainId: ChainId
    beforeAll(async () => {
      store = await openStore(makeStore)
      chainId = await seed(store, chainOf())
      const codes = [...known].map(([address, isContract]) => ({ address, isContract, blockNumber: 3 }))
      await store.run(CodeStore.use((s) => s.record(chainId, codes, 1000)))
    })
    afterAll(() => store.close())

    interface Asked {
      readonly minBalance?: string
      readonly addresses?: ReadonlyArray<Address>
      readonly blockNumber?: number
      readonly rank?: true
      readonly codes?: true
      readonly excludeContracts?: true
    }
    const passes = ({ minBalance = "0", addresses, excludeContracts }: Asked, it: HolderKey): boolean =>
      BigInt(it.balance) >= BigInt(minBalance) &&
      (addresses?.includes(it.address) ?? true) &&
      (excludeContracts !== true || known.get(it.address) !== true)
    const lists = {
      erc20: (asked: Asked) => holdersOf("erc20", coin, asked),
      erc721: (asked: Asked) => holdersOf("erc721", apes, asked),
      erc1155:
        (asked: Asked) =>
        (page: PageRequest<never>, count = false) =>
          store.run(HolderStore.use((s) => s.listErc1155({ chainId, token: goods, page, count, ...asked }))),
    }
    const holdersOf =
      (standard: HeldStandard, token: Address, asked: Asked) =>
      (page: PageRequest<never>, count = false) =>
        store.run(HolderStore.use((s) => s.list(standard, { chainId, token, page, count, ...asked })))

    type Read = (page: PageRequest<HolderKey>, count?: boolean) => Promise<Snapshot<Rows<HolderKey, HolderKey>>>

    for (const [standard, listOf] of Object.entries(lists)) {
      test(`${standard}: a narrowed list is the part of the whole that passes, with its number, of now and of any block`, async () => {
        for (const blockNumber of [undefined, 1, 20, 38]) {
          const at = blockNumber === undefined ? {} : { blockNumber }
          const whole = await walkForward(listOf(at) as unknown as Read, 1000)
          expect(whole.length).toBeGreaterThan(2)
          for (const narrowing of narrowings) {
            const wanted = whole.filter((it) => passes(narrowing, it))
            const read = listOf({ ...at, ...narrowing }) as unknown as Read
            for (const limit of filteredStepsOf(scope, [1000, 2], wanted.length)) {
              expect([narrowing, blockNumber, await walkForward(read, limit)]).toEqual([narrowing, blockNumber, wanted])
              expect(await walkBackward(read, limit)).toEqual(wanted)
            }
            const { count } = (await read({ limit: 1 }, true)).value
            expect([narrowing, blockNumber, count]).toEqual([
              narrowing,
              blockNumber,
              { count: wanted.length, countType: "exact" },
            ])
          }
        }
      })
    }

    test("erc1155: the rows of an address are counted to the last, also where others are counted up to the cap", async () => {
      const [collector, most] = [people[1]!, countCap + 2]
      const ids = Array.from({ length: most }, (_, id) => [BigInt(id), 1n] as const)
      const [half, all] = [most / 2, most]
      const own = await seed(
        store,
        new TestChain()
          .block([multiTransfer(goods, zero, collector, ids.slice(0, half))])
          .block([multiTransfer(goods, zero, collector, ids.slice(half, all))]),
      )
      const countOf = async (asked: Asked) => {
        const query = { chainId: own, token: goods, page: { limit: 1 }, count: true, ...asked }
        return (await store.run(HolderStore.use((s) => s.listErc1155(query)))).value.count
      }
      const addresses = [collector, stranger]
      expect(await countOf({ addresses })).toEqual({ count: most, countType: "exact" })
      expect(await countOf({ addresses, blockNumber: 0 })).toEqual({ count: half, countType: "exact" })
      expect(await countOf({ addresses, blockNumber: 1 })).toEqual({ count: most, countType: "exact" })
      const atLeast = { count: countCap, countType: "lowerBound" } as const
      expect(await countOf({ addresses, minBalance: "1" })).toEqual(atLeast)
      expect(await countOf({ addresses, excludeContracts: true })).toEqual(atLeast)
    })

    for (const standard of ["erc20", "erc1155"] as const) {
      test(`${standard}: rows of some addresses as of a block are the same in one snapshot, page after page`, async () => {
        const ofStore = standard === "erc20" ? { token: coin } : { token: goods }
        for (const blockNumber of [1, 20]) {
          const whole = await walkForward(lists[standard]({ blockNumber }) as unknown as Read, 1000)
          for (const narrowing of narrowings.filter((it) => "addresses" in it)) {
            const scope = Effect.runSync(Scope.make())
            const held = await store.run(Snapshots.use(({ open }) => Scope.provide(open, scope)))
            const read = (page: PageRequest<never>) =>
              store.run(
                HolderStore.use((s): Effect.Effect<Snapshot<Rows<HolderKey, HolderKey>>, unknown> => {
                  const asked = { chainId, ...ofStore, page, count: true, blockNumber, ...narrowing }
                  return standard === "erc20" ? s.list("erc20", asked) : s.listErc1155(asked)
                }).pipe(Effect.provideContext(held)),
              )
            const rows = await walkForward(read as unknown as Read, 2)
            expect([narrowing, blockNumber, rows]).toEqual([
              ...[narrowing, blockNumber],
              whole.filter((it) => passes(narrowing, it)),
            ])
            await Effect.runPromise(Scope.close(scope, Exit.void))
          }
        }
      })
    }

    for (const [standard, listOf] of Object.entries(lists)) {
      test(`${standard}: rows say what is known of code at their address, of now and of any block`, async () => {
        for (const blockNumber of [undefined, 1, 38]) {
          const at = blockNumber === undefined ? {} : { blockNumber }
          const plain = await walkForward(listOf(at) as unknown as Read, 1000)
          for (const excludeContracts of [undefined, true] as const) {
            const asked = { ...at, codes: true, ...(excludeContracts && { excludeContracts }) } as const
            const wanted = plain
              .filter((it) => passes(asked, it))
              .map((it) => ({ ...it, isContract: known.get(it.address) ?? null }))
            expect(wanted.some(({ isContract }) => isContract === null)).toBe(true)
            for (const limit of filteredStepsOf(scope, [1000, 2], wanted.length))
              expect(await walkForward(listOf(asked) as unknown as Read, limit)).toEqual(wanted)
          }
        }
      })
    }

    test("who is not known is listed by the largest of each token, once; and again in time", async () => {
      const top = { standard: "erc20", tokens: 5, skip: 0, holders: 6 } as const
      const largest = (await walkForward(lists.erc20({}) as unknown as Read, 1000))
        .map(({ address }) => address)
        .slice(0, 6)
      const unknown = (more: object) =>
        store.run(
          CodeStore.use((s) => s.listUnknown(chainId, { ...top, askedBefore: 1000, askedAfter: 2000, ...more })),
        )
      expect(await unknown({})).toEqual({ addresses: largest.filter((it) => !known.has(it)), tokens: 1 })
      expect(await unknown({ askedBefore: 1001 })).toEqual({
        addresses: largest,
        tokens: 1,
      })
      expect(await unknown({ skip: 1 })).toEqual({ addresses: [], tokens: 0 })
      // Asked by a clock that was ahead.
      expect((await unknown({ askedAfter: 1000 })).addresses).toEqual(largest.filter((it) => !known.has(it)))
      expect((await unknown({ askedAfter: 999 })).addresses).toEqual(largest)
    })

    test("what was recorded is found; recorded again it is the newer word", async () => {
      const find = () =>
        store.run(CodeStore.use((s) => s.find(chainId, [people[2]!, people[3]!, stranger, people[2]!])))
      expect(new Set((await find()).map(({ address }) => address))).toEqual(new Set([people[2]!, people[3]!]))
      const code = { address: people[3]!, isContract: true, blockNumber: 9 }
      const point = async () => (await store.run(Freshness.use((port) => port.newest(chainId))))!
      const before = await point()
      await store.run(CodeStore.use((s) => s.record(chainId, [code], 1001)))
      expect(await find()).toContainEqual(code)
      const { revision, figures } = await point()
      expect([revision - before.revision, figures - before.figures]).toEqual([1, 0])
      await store.run(CodeStore.use((s) => s.record(chainId, [{ ...code, isContract: false, blockNumber: 3 }], 1000)))
      await store.run(CodeStore.use((s) => s.record(chainIdOfNumber(404_404), [code], 1)))
    })

    test("the answers that are oldest are listed first, as far as they are older", async () => {
      const old = (askedBefore: number, limit: number, askedAfter = 1_000_000) =>
        store.run(CodeStore.use((s) => s.listOld(chainId, { askedBefore, askedAfter }, limit)))
      const strangers = [address(0x7101), address(0x7102), address(0x7103)]
      for (const [place, stranger] of strangers.entries()) {
        const code = { address: stranger, isContract: true, blockNumber: 3 }
        await store.run(CodeStore.use((s) => s.record(chainId, [code], 30 - 10 * place)))
      }
      expect(await old(30, 9)).toEqual([strangers[2]!, strangers[1]!])
      expect(await old(31, 2)).toEqual([strangers[2]!, strangers[1]!])
      expect(await old(10, 9)).toEqual([])
      // Those of a clock that was ahead as well.
      expect((await old(11, 9, 29)).slice(0, 2)).toEqual([strangers[2]!, strangers[0]!])
      expect(await old(11, 1, 29)).toEqual([strangers[2]!])
      expect(
        await store.run(
          CodeStore.use((s) => s.listOld(chainIdOfNumber(404_405), { askedBefore: 99, askedAfter: 99 }, 9)),
        ),
      ).toEqual([])
    })

    test("who is wanted waits once, in the order of their coming, until they were asked about", async () => {
      const [one, other] = [freshChainId(), freshChainId()]
      const wanting = <A>(use: (wanted: WantedCodes["Service"]) => Effect.Effect<A, unknown>) =>
        store.run(WantedCodes.use(use)) as Promise<A>
      const waiting = async (id: typeof one, number: number) => {
        for (let tries = 0; ; tries++) {
          const found = await wanting((it) => it.list(id, 100))
          if (found.length >= number || tries > 200) return found
          await Bun.sleep(25)
        }
      }
      await wanting((it) => it.want(one, [people[5]!, people[2]!, people[5]!]))
      await wanting((it) => it.want(other, [people[1]!]))
      expect(new Set(await waiting(one, 2))).toEqual(new Set([people[5]!, people[2]!]))
      expect(await waiting(other, 1)).toEqual([people[1]!])
      await wanting((it) => it.want(one, [people[2]!, people[9]!]))
      expect((await waiting(one, 3)).at(-1)).toBe(people[9]!)
      expect(await wanting((it) => it.list(one, 2))).toHaveLength(2)
      await wanting((it) => it.remove(one, [people[2]!, people[5]!, people[11]!]))
      expect(await waiting(one, 1)).toEqual([people[9]!])
      expect(await waiting(other, 1)).toEqual([people[1]!])
    })

    for (const standard of ["erc20", "erc721"] as const) {
      test(`${standard}: a rank is the place in the whole list, on every page, under every filter, both ways`, async () => {
        const whole = await walkForward(lists[standard]({}) as unknown as Read, 1000)
        const ranked = whole.map((it, place) => ({ ...it, rank: place + 1 }))
        for (const narrowing of narrowings) {
          const wanted = ranked.filter((it) => passes(narrowing, it))
          const read = lists[standard]({ ...narrowing, rank: true }) as unknown as Read
          // As over HTTP: a cursor has no rank.
          const bare: Read = ({ after, before, ...page }) => {
            const strip = ({ rank: _, ...key }: HolderKey) => key
            return read({ ...page, ...(after && { after: strip(after) }), ...(before && { before: strip(before) }) })
          }
          for (const one of [read, bare]) {
            for (const limit of filteredStepsOf(scope, [1, 3, 1000], wanted.length)) {
              expect([narrowing, await walkForward(one, limit)]).toEqual([narrowing, wanted])
              expect([narrowing, await walkBackward(one, limit)]).toEqual([narrowing, wanted])
            }
          }
        }
      })
    }
  })
