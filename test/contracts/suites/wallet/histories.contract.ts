/** The contract of what was: versions of balances and supplies, price points, series of holdings, who came and left. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { isReserved, type NftMovement } from "../../../../src/model/event.ts"
import type { PageRequest } from "../../../../src/model/page.ts"
import { type Address, type ChainId, zeroAddress } from "../../../../src/model/primitives.ts"
import type { BlockKey } from "../../../../src/model/wallet/histories.ts"
import { type Moments, TokenHistories, type Versioned } from "../../../../src/ports/TokenHistories.ts"
import { TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { deposit, type TestChain, transfer, withdrawal } from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"
import { walkBackward, walkForward } from "../../walk.ts"
import { bazaar, contracts, type Facts, factsOf, traders } from "../../worlds/bazaar.ts"

const coin = contracts[0]!
const directions = ["asc", "desc"] as const

/** A bazaar whose first coin is wrapped native too: some blocks have Deposits and nothing else. */
const world = (): TestChain => {
  const chain = bazaar(23, [coin.address])
  const time = () => ({ time: chain.blocks.at(-1)!.header.time + 1800 })
  // Long final in the end.
  chain.block([withdrawal(coin.address, traders[2]!, 1n)], time())
  chain.block([], time())
  chain.block([deposit(coin.address, traders[1]!, 3n), deposit(coin.address, traders[2]!, 1n)], time())
  for (let block = 0; block < 10; block++) chain.block([], time())
  chain.block([deposit(coin.address, traders[1]!, 50n)], time())
  chain.block([withdrawal(coin.address, traders[1]!, 20n), deposit(coin.address, traders[2]!, 20n)], time())
  chain.block([], time())
  return chain.block([transfer(coin.address, traders[2]!, traders[3]!, 5n)], time())
}

export const historiesContract = (name: string, makeStore: MakeStore) =>
  describe(`What was on ${name}`, () => {
    let store: TestStore
    const chain = world()
    const chainId: ChainId = freshChainId()
    const { blocks } = chain
    /** After each block. */
    const facts: ReadonlyArray<ReadonlyArray<Facts>> = blocks.map((_, block) => factsOf(blocks.slice(0, block + 1)))
    const hourOf = (block: number) => Math.floor(blocks[block]!.header.time / 3600)
    const points = Array.from({ length: hourOf(blocks.length - 1) - hourOf(0) + 1 }, (_, index) => hourOf(0) + index)
      .filter((hour) => hour % 5 === 0 || hour % 24 === 0)
      .map((hour) => ({ hour, price: BigInt(hour) }))
    const priceIn = (hour: number) => {
      const point = points.findLast((it) => it.hour <= hour)
      return point !== undefined && hour - point.hour < 24 ? String(point.price) : null
    }

    beforeAll(async () => {
      store = await openStore(makeStore)
      // All tokens are named: being named in a setting makes none of the others wrapped native.
      const tokens = contracts.map(({ address }) => address)
      const writer = await store.open({ chainId, wrappedNative: [coin.address], tokens })
      for (let block = 0; block < chain.nextBlock; block++) {
        // As of a long chain: of most blocks nothing but their own rows tells the time.
        const sparse = block % 16 === 0 ? {} : { landmarks: [] }
        await store.run(writer.append(chain.segment(block, block, { finalizedBlock: block - 9, ...sparse })))
      }
      const born = await store.run(writer.listUndescribedTokens(100))
      const coins = born.filter((it) => it.standard === "erc20" && it.address === coin.address)
      await store.run(writer.describeTokens(coins.map((token) => ({ token, description: { decimals: 2 } }))))
      for (const { hour, price } of points) {
        const prices = [{ address: coin.address, price }]
        await store.run(TokenPrices.use((port) => port.recordHour(chainId, hour, prices, hour + 1)))
      }
      await store.run(
        TokenPrices.use((port) => port.recordPegs(chainId, [contracts[3]!.address], [contracts[3]!.address])),
      )
    })
    afterAll(() => store.close())

    const figure = (block: number, what: Versioned): bigint => {
      const of = (standard: string) => facts[block]?.find((it) => it.standard === standard && it.address === what.token)
      if (what.of === "supply") return of("erc20")?.supply ?? 0n
      if (what.of === "unit") {
        const rows = blocks.slice(0, block + 1).flatMap(({ nfts }) => nfts)
        const own = rows.filter((it) => it.token === what.token && String(it.tokenId) === what.tokenId)
        const got = own.filter(({ to }) => to === what.holder).reduce((sum, { amount }) => sum + amount, 0n)
        const gave = own.filter(({ from }) => from === what.holder).reduce((sum, { amount }) => sum + amount, 0n)
        return got - gave
      }
      const first = what.standard === undefined ? (of("erc20") ?? of("erc721") ?? of("erc1155")) : of(what.standard)
      return first?.balances.get(what.holder) ?? 0n
    }
    /** Nobody is given what is burnt. To the zero address from itself is a mint, of an ERC-1155 alone. */
    const isOfId = ({ standard, from, to }: NftMovement, holder: Address) =>
      holder === zeroAddress ? standard === "erc1155" && from === to && to === holder : [from, to].includes(holder)
    /** Blocks whose logs moved something of it, or nothing. Of an ERC-721 whoever lost an id, too. */
    const touchesOf = (what: Versioned) =>
      blocks.flatMap(({ header: { number }, movements, nfts }) => {
        const named = what.of === "balance" ? what.standard : undefined
        const standard = named ?? facts.at(-1)!.find((it) => it.address === what.token)?.standard
        const moved = movements.filter(
          (it) =>
            it.token === what.token &&
            (what.of === "supply" || standard === "erc20") &&
            (what.of === "supply"
              ? isReserved(it.debit) || isReserved(it.credit)
              : [it.debit, it.credit].includes(what.holder)),
        )
        const given = nfts.filter(
          (it) =>
            it.token === what.token &&
            it.standard === standard &&
            what.of !== "supply" &&
            isOfId(it, what.holder) &&
            (what.of !== "unit" || String(it.tokenId) === what.tokenId),
        )
        const rows = what.of === "unit" ? given : [...moved, ...given]
        return rows.length === 0 ? [] : [{ number, hashes: [...new Set(rows.map(({ txHash }) => txHash))] }]
      })

    const whats: ReadonlyArray<Versioned> = [
      ...traders.map((holder) => ({ of: "balance", token: coin.address, holder }) as const),
      { of: "balance", token: contracts[2]!.address, holder: traders[0]! },
      { of: "supply", token: coin.address },
      { of: "supply", token: contracts[3]!.address },
      ...[coin, contracts[2]!, contracts[3]!, contracts[5]!].map(
        ({ address }) => ({ of: "balance", token: address, holder: zeroAddress }) as const,
      ),
      ...contracts[6]!.emits.map(
        (standard) => ({ of: "balance", token: contracts[6]!.address, holder: traders[0]!, standard }) as const,
      ),
      { of: "unit", token: contracts[2]!.address, holder: zeroAddress, tokenId: "1" },
      ...["0", "1", "9"].map(
        (tokenId) => ({ of: "unit", token: contracts[2]!.address, holder: traders[0]!, tokenId }) as const,
      ),
    ]
    const read =
      (what: Versioned, direction: "asc" | "desc", range = {}) =>
      (page: PageRequest<BlockKey>) =>
        store.run(
          TokenHistories.use((port) =>
            port.versions({ chainId, what, range, direction, page, count: page.limit === 7 }),
          ),
        )

    test("versions: each block that touched it, after it and before it, by which transactions, walked both ways", async () => {
      let rows = 0
      for (const what of whats) {
        const wanted = touchesOf(what).map(({ number, hashes }) => ({
          blockNumber: number,
          balance: String(figure(number, what)),
          before: String(number === 0 ? 0n : figure(number - 1, what)),
          transactions: hashes,
        }))
        rows += wanted.length
        for (const direction of directions) {
          const all = direction === "asc" ? wanted : wanted.toReversed()
          for (const limit of [3, 7, 1000]) {
            const bare = (found: ReadonlyArray<{ time?: number; blockNumber: number }>) =>
              found.map(({ time, ...row }) => {
                if (time !== undefined) expect(time).toBe(blocks[row.blockNumber]!.header.time)
                return row
              })
            expect(bare(await walkForward(read(what, direction), limit))).toEqual(all)
            if (limit === 7) expect(bare(await walkBackward(read(what, direction), limit))).toEqual(all)
          }
        }
        const { value } = await read(what, "desc")({ limit: 7 })
        expect(value.count).toEqual({ count: wanted.length, countType: "exact" })
        expect(value.standards).toEqual(contracts.find(({ address }) => address === what.token)!.emits)
      }
      expect(rows).toBeGreaterThan(40)
      const unknown = { of: "supply", token: traders[0]! } as const
      expect((await read(unknown, "asc")({ limit: 7 })).value).toMatchObject({ items: [], standards: [] })
    })

    test("versions of a range of blocks, of times, and of final blocks alone", async () => {
      const what = whats[1]!
      const all = touchesOf(what).map(({ number }) => number)
      const blocksIn = async (range: object) =>
        (await read(what, "asc", range)({ limit: 1000 })).value.items.map(({ blockNumber }) => blockNumber)
      expect(await blocksIn({ blockNumberFrom: 20, blockNumberTo: 50 })).toEqual(
        all.filter((it) => it >= 20 && it <= 50),
      )
      expect(await blocksIn({ finalized: true })).toEqual(all.filter((it) => it <= chain.nextBlock - 10))
      const [from, to] = [blocks[12]!.header.time, blocks[55]!.header.time]
      const isWithin = (it: number) => blocks[it]!.header.time >= from && blocks[it]!.header.time <= to
      expect(await blocksIn({ timestampFrom: from, timestampTo: to })).toEqual(all.filter(isWithin))
      expect(await blocksIn({ blockNumberFrom: 9, blockNumberTo: 8 })).toEqual([])
    })

    test("a walk whose block was taken back says so", async () => {
      const own = freshChainId()
      const forked = bazaar(24)
      const writer = await store.open({ chainId: own })
      await store.run(writer.append(forked.segment(0)))
      const what = { of: "balance", token: coin.address, holder: traders[0]! } as const
      const page = (after?: BlockKey, rollbacks?: number) =>
        store.run(
          TokenHistories.use((port) =>
            port.versions({
              chainId: own,
              what,
              range: {},
              direction: "asc",
              count: false,
              page: { limit: 3, ...(after && { after }), ...(rollbacks === undefined ? {} : { rollbacks }) },
            }),
          ),
        )
      const first = (await page()).value
      expect(first.pin).toEqual({ rollbacks: 0, replaced: false })
      const last = first.keys.at(-1)!
      await store.run(writer.rollback(last.blockNumber + 1))
      expect((await page(last, 0)).value.pin).toEqual({ rollbacks: 1, replaced: false })
      await store.run(writer.rollback(last.blockNumber))
      expect((await page(last, 0)).value.pin).toEqual({ rollbacks: 2, replaced: true })
    })

    test("price points by hour, walked both ways, and what was paid in any hour", async () => {
      for (const direction of directions) {
        const list =
          (token: Address, more = {}) =>
          (page: PageRequest<{ readonly hour: number }>) =>
            store.run(
              TokenHistories.use((port) => port.prices({ chainId, token, direction, page, count: true, ...more })),
            )
        const wanted = points.map(({ hour, price }) => ({ hour, untilHour: hour + 23, price: String(price) }))
        const all = direction === "asc" ? wanted : wanted.toReversed()
        for (const limit of [2, 1000]) {
          expect(await walkForward(list(coin.address), limit)).toEqual(all)
          expect(await walkBackward(list(coin.address), limit)).toEqual(all)
        }
        const [from, to] = [points[1]!.hour, points[2]!.hour]
        const some = (await list(coin.address, { from, to })({ limit: 9 })).value
        expect(some.items.map(({ hour }) => hour).sort()).toEqual([from, to])
        expect(some.count).toEqual({ count: 2, countType: "exact" })
        expect((await list(contracts[3]!.address)({ limit: 9 })).value.items).toEqual([
          { hour: 0, price: String(10n ** 18n) },
        ])
      }
      const hours = [0, points[0]!.hour - 1, points[0]!.hour, points[1]!.hour + 1, points.at(-1)!.hour + 24]
      const found = await store.run(TokenHistories.use((port) => port.pricesAt(chainId, coin.address, hours)))
      expect(found).toEqual({ decimals: 2, prices: hours.map(priceIn) })
    })

    test("who came and left between two blocks: the sum is the change of supply", async () => {
      for (const [from, to] of [
        [0, 20],
        [6, 61],
        [40, undefined],
        [61, 62],
        [30, 30],
      ] as const) {
        const end = to ?? blocks.length - 1
        const holders = [...new Set([...facts[end]!, ...facts[from]!].flatMap(({ balances }) => [...balances.keys()]))]
        const at = (block: number, holder: string) =>
          facts[block]!.find((it) => it.standard === "erc20" && it.address === coin.address)?.balances.get(
            holder as Address,
          ) ?? 0n
        const wanted = holders
          .filter((holder) => holder.length === 42 && at(from, holder) !== at(end, holder))
          .sort()
          .map((holder) => ({ address: holder, before: String(at(from, holder)), after: String(at(end, holder)) }))
        const list = (page: PageRequest<{ readonly address: Address }>) =>
          store.run(
            TokenHistories.use((port) =>
              port.diff({ chainId, token: coin.address, from, ...(to === undefined ? {} : { to }), page, count: true }),
            ),
          )
        for (const limit of [1, 1000]) {
          expect((await walkForward(list, limit)) as ReadonlyArray<unknown>).toEqual(wanted)
          expect((await walkBackward(list, limit)) as ReadonlyArray<unknown>).toEqual(wanted)
        }
        const sum = wanted.reduce((all, { before, after }) => all + BigInt(after) - BigInt(before), 0n)
        const supply = (block: number) => figure(block, { of: "supply", token: coin.address })
        expect(sum).toBe(supply(end) - supply(from))
        expect((await list({ limit: 1 })).value.count?.count).toBe(wanted.length)
      }
    })

    test("series: what was held and what it cost at times and after blocks", async () => {
      const last = blocks.length - 1
      for (const holder of traders.slice(0, 3)) {
        const series = (moments: Moments) =>
          store.run(
            TokenHistories.use((port) => port.series({ chainId, holder, moments, onlyTrusted: false, page: {} })),
          )
        const sample = Array.from({ length: last + 1 }, (_, block) => block)
        for (const moments of [{ blocks: sample }, { times: sample.map((block) => blocks[block]!.header.time) }]) {
          const { value } = await series(moments)
          expect(value.points.length).toBe(sample.length)
          const balances = (place: number) =>
            value.tokens
              .map(({ versions }) => versions.find(([block]) => block <= value.points[place]!.blockNumber)?.[1] ?? "0")
              .filter((balance) => BigInt(balance) > 0n)
              .sort()
          sample.forEach((block, place) => {
            const { blockNumber } = value.points[place]!
            // Blocks that share a time are one moment, and of those without a row nobody knows the time: nothing changed in them.
            const { time } = blocks[block]!.header
            const latest = "blocks" in moments ? block : blocks.findLastIndex(({ header }) => header.time <= time)
            if ("blocks" in moments) expect(blockNumber).toBe(block)
            else expect(blockNumber).toBeLessThanOrEqual(latest)
            const held = facts[latest]!.flatMap(({ standard, balances: all }) => {
              const balance = standard === "erc20" ? (all.get(holder) ?? 0n) : 0n
              return balance > 0n ? [String(balance)] : []
            })
            expect(balances(place)).toEqual(held.sort())
          })
          const priced = value.tokens.find(({ decimals }) => decimals === 2)!
          const hours = value.points.map(({ blockNumber }, place) =>
            "times" in moments ? Math.floor(moments.times[place]! / 3600) : hourOf(blockNumber),
          )
          const known = value.points.map(({ time }) => "times" in moments || time !== undefined)
          sample.forEach((block, place) => {
            const { movements, nfts } = blocks[block]!
            if ("blocks" in moments && movements.length + nfts.length > 0)
              expect([block, value.points[place]!.time]).toEqual([block, blocks[block]!.header.time])
          })
          priced.prices.forEach((price, place) => {
            if (known[place]) expect(price).toBe(priceIn(hours[place]!))
          })
        }
        const times = sample.map((block) => blocks[block]!.header.time)
        const half = last >> 1
        const [whole, bounded] = await Promise.all([series({ times }), series({ times, upTo: half })])
        const numbers = ({ value }: typeof whole) => value.points.map(({ blockNumber }) => blockNumber)
        expect(numbers(bounded)).toEqual(numbers(whole).map((number) => Math.min(number, half)))
        const newest = bounded.value.tokens.flatMap(({ versions: [version] }) =>
          version === undefined ? [] : [version],
        )
        const heldThen = newest.filter(([block, balance]) => block <= half && BigInt(balance) > 0n).map(([, it]) => it)
        const wantedThen = facts[half]!.flatMap(({ standard, balances }) => {
          const balance = standard === "erc20" ? (balances.get(holder) ?? 0n) : 0n
          return balance > 0n ? [String(balance)] : []
        })
        expect(heldThen.sort()).toEqual(wantedThen.sort())
        expect(newest.every(([block]) => block <= half)).toBe(true)
        const touched = (direction: "asc" | "desc") => (page: PageRequest<BlockKey>) =>
          store.run(TokenHistories.use((port) => port.touched({ chainId, holder, range: {}, direction, page })))
        const wanted = blocks.flatMap(({ header: { number }, movements }) =>
          movements.some((it) => [it.debit, it.credit].includes(holder)) ? [number] : [],
        )
        expect(await walkForward(touched("asc"), 4)).toEqual(wanted)
        expect(await walkBackward(touched("asc"), 4)).toEqual(wanted)
        expect(await walkForward(touched("desc"), 4)).toEqual(wanted.toReversed())
      }
    })

    test("series: prices of each hour and of each day, of a token that has some", async () => {
      const [first, last] = [hourOf(0), hourOf(blocks.length - 1)]
      const hours = Array.from({ length: last - first + 30 }, (_, index) => first - 2 + index)
      const days = [-2, -1, 0, 1, 2, 3].map((day) => 24 * (Math.floor(first / 24) + day))
      const isExact = (hour: number) => points.some((it) => it.hour === hour)
      expect(hours.filter(isExact).length).toBeGreaterThan(5)
      expect(days.some(isExact)).toBe(true)
      let priced = 0
      for (const asked of [
        hours,
        days,
        hours.filter(isExact),
        days.filter(isExact),
        hours.filter((it) => !isExact(it)),
      ]) {
        const moments = { times: asked.map((hour) => hour * 3600) }
        for (const holder of traders) {
          const { value } = await store.run(
            TokenHistories.use((port) => port.series({ chainId, holder, moments, onlyTrusted: false, page: {} })),
          )
          const own = value.tokens.filter(({ decimals }) => decimals !== undefined)
          for (const { prices } of own) expect(prices).toEqual(asked.map(priceIn))
          priced += own.length
        }
      }
      expect(priced).toBeGreaterThan(10)
    })
  })
