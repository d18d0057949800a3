/** The contract of narrowed lists of holders and of ranks: what the whole list says, cut by a plain filter, of now and of any block. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { HolderKey } from "../../../../src/model/holder.ts"
import type { PageRequest, Rows, Snapshot } from "../../../../src/model/page.ts"
import type { Address, ChainId } from "../../../../src/model/primitives.ts"
import { type HeldStandard, HolderStore } from "../../../../src/ports/HolderStore.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type MakeStore, openStore, seed, type TestStore } from "../../store.ts"
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
] as const

export const holdersContract = (name: string, makeStore: MakeStore) =>
  describe(`Narrowed holders on ${name}`, () => {
    let store: TestStore
    let chainId: ChainId
    beforeAll(async () => {
      store = await openStore(makeStore)
      chainId = await seed(store, chainOf())
    })
    afterAll(() => store.close())

    interface Asked {
      readonly minBalance?: string
      readonly addresses?: ReadonlyArray<Address>
      readonly blockNumber?: number
      readonly rank?: true
    }
    const lists = {
      erc20: (asked: Asked) => holdersOf("erc20", coin, asked),
      erc721: (asked: Asked) => holdersOf("erc721", apes, asked),
      erc1155: (asked: Asked) => (page: PageRequest<never>) =>
        store.run(HolderStore.use((s) => s.listErc1155({ chainId, token: goods, page, count: true, ...asked }))),
    }
    const holdersOf = (standard: HeldStandard, token: Address, asked: Asked) => (page: PageRequest<never>) =>
      store.run(HolderStore.use((s) => s.list(standard, { chainId, token, page, count: true, ...asked })))

    type Read = (page: PageRequest<HolderKey>) => Promise<Snapshot<Rows<HolderKey, HolderKey>>>

    for (const [standard, listOf] of Object.entries(lists)) {
      test(`${standard}: a narrowed list is the part of the whole that passes, with its number, of now and of any block`, async () => {
        for (const blockNumber of [undefined, 1, 20, 38]) {
          const at = blockNumber === undefined ? {} : { blockNumber }
          const whole = await walkForward(listOf(at) as unknown as Read, 1000)
          expect(whole.length).toBeGreaterThan(2)
          for (const narrowing of narrowings) {
            const { minBalance = "0", addresses } = narrowing as Asked
            const wanted = whole.filter(
              (it) => BigInt(it.balance) >= BigInt(minBalance) && (addresses?.includes(it.address) ?? true),
            )
            const read = listOf({ ...at, ...narrowing }) as unknown as Read
            for (const limit of [2, 1000]) {
              expect([narrowing, blockNumber, await walkForward(read, limit)]).toEqual([narrowing, blockNumber, wanted])
              expect(await walkBackward(read, limit)).toEqual(wanted)
            }
            const { count } = (await read({ limit: 1 })).value
            expect([narrowing, blockNumber, count]).toEqual([
              narrowing,
              blockNumber,
              { count: wanted.length, countType: "exact" },
            ])
          }
        }
      })
    }

    for (const standard of ["erc20", "erc721"] as const) {
      test(`${standard}: a rank is the place in the whole list, on every page, under every filter, both ways`, async () => {
        const whole = await walkForward(lists[standard]({}) as unknown as Read, 1000)
        const ranked = whole.map((it, place) => ({ ...it, rank: place + 1 }))
        for (const narrowing of narrowings) {
          const { minBalance = "0", addresses } = narrowing as Asked
          const wanted = ranked.filter(
            (it) => BigInt(it.balance) >= BigInt(minBalance) && (addresses?.includes(it.address) ?? true),
          )
          const read = lists[standard]({ ...narrowing, rank: true }) as unknown as Read
          // As over HTTP: a cursor has no rank.
          const bare: Read = ({ after, before, ...page }) => {
            const strip = ({ rank: _, ...key }: HolderKey) => key
            return read({ ...page, ...(after && { after: strip(after) }), ...(before && { before: strip(before) }) })
          }
          for (const one of [read, bare]) {
            for (const limit of [1, 3, 1000]) {
              expect([narrowing, await walkForward(one, limit)]).toEqual([narrowing, wanted])
              expect([narrowing, await walkBackward(one, limit)]).toEqual([narrowing, wanted])
            }
          }
        }
      })
    }
  })
