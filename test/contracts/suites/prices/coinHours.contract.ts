/** The contract of a stablecoin's hours: whatever order they are priced in, each says what its own pools said; where none speaks it is as now. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { randomOf } from "../../../../demo/chain/random.ts"
import { oneDollar } from "../../../../src/model/price.ts"
import type { ChainId } from "../../../../src/model/primitives.ts"
import { TokenHistories } from "../../../../src/ports/TokenHistories.ts"
import { type HourPrice, type PriceGap, pointHours, TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { TokenStore } from "../../../../src/ports/TokenStore.ts"
import { address, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, type TestStore } from "../../store.ts"

const coin = address(0xc014)
const holder = address(0xd001)
const begin = 480_000
const count = 40
const dollar = String(oneDollar)
/** A dollar, off it at a price of its own hour, off it and nobody can tell what it costs, or nobody spoke. */
type Kind = "dollar" | "off" | "untold" | "silent"
const kinds: ReadonlyArray<Kind> = ["dollar", "dollar", "off", "untold", "silent"]

const all = (count: number): ReadonlyArray<string> => Array(count).fill(dollar)

const saidOf = (kind: Kind, hour: number): ReadonlyArray<HourPrice> => {
  if (kind === "silent") return []
  if (kind === "untold") return [{ address: coin }]
  return [{ address: coin, ...(kind === "off" ? { price: BigInt(hour) } : { price: oneDollar, stands: true }) }]
}

export const coinHoursContract = (name: string, makeStore: MakeStore): void => {
  describe(`Hours of stablecoins on ${name}`, () => {
    let store: TestStore
    let id: ChainId
    beforeAll(async () => {
      store = await openStore(makeStore)
    }, 120_000)
    afterAll(() => store.close())

    const use = <A, E>(body: Parameters<typeof TokenPrices.use<A, E, never>>[0]) => store.run(TokenPrices.use(body))
    const openChain = async () => {
      id = freshChainId()
      const writer = await store.open({ chainId: id })
      const chain = new TestChain(new Set(), 0, (begin - 1) * 3600)
      chain.block([transfer(coin, address(0), holder, 5n)])
      await store.run(writer.append(chain.segment(0)))
      const born = await store.run(writer.listUndescribedTokens(9))
      await store.run(writer.describeTokens(born.map((token) => ({ token, description: { decimals: 0 } }))))
    }
    const look = (isPegged: boolean, coins = [coin]) =>
      use((port) => port.recordPegs(id, coins, isPegged ? [coin] : []))
    const price = (hour: number, kind: Kind, gap?: PriceGap) =>
      use((port) =>
        gap === undefined
          ? port.recordHour(id, hour, saidOf(kind, hour), hour + 1)
          : port.recordGapHour(id, gap, hour, saidOf(kind, hour)),
      )
    /** By both ways they are read: hour by hour, and as a series of days or of other hours. */
    const pricesAt = async (hours: ReadonlyArray<number>) => {
      const { prices } = await store.run(TokenHistories.use((port) => port.pricesAt(id, coin, hours)))
      const inSeries = async (some: ReadonlyArray<number>) => {
        if (some.length === 0) return
        const query = {
          ...{ chainId: id, holder, onlyTrusted: false, page: {} },
          moments: { times: some.map((hour) => hour * 3600) },
        }
        const { value } = await store.run(TokenHistories.use((port) => port.series(query)))
        const told = value.tokens[0]!.prices
        const expected = some.map((hour) => prices[hours.indexOf(hour)] ?? null)
        expect(some.map((_, place) => told[place] ?? null)).toEqual(expected)
      }
      const held = hours.filter((hour) => hour >= begin).toSorted((a, b) => a - b)
      await inSeries(held)
      await inSeries(held.filter((hour) => hour % 24 === 0))
      return prices
    }
    const points = async () => {
      const query = { chainId: id, token: coin, direction: "asc", page: { limit: 500 }, count: true } as const
      const { items, count } = (await store.run(TokenHistories.use((port) => port.prices(query)))).value
      expect(count?.count).toBe(items.length)
      return items
    }

    test("each hour that was priced says its own, in any order; one in which nobody spoke is as the hour below it", async () => {
      for (let round = 0; round < 2; round++) {
        const random = randomOf(round + 31)
        await openChain()
        await look(true)
        let kind: Kind = "dollar"
        const world = Array.from({ length: count }, () => {
          if (random.below(3) === 0) kind = kinds[random.below(kinds.length)]!
          return kind
        })
        const done = new Set<number>()
        const record = async (place: number, gap?: PriceGap) => {
          await price(begin + place, world[place]!, gap)
          done.add(place)
        }
        const expected = (place: number): string | null => {
          for (let from = place; from >= 0; from--) {
            if (!done.has(from) || world[from] === "silent") continue
            if (world[from] === "off") return place - from < pointHours ? String(begin + from) : null
            return world[from] === "dollar" ? dollar : null
          }
          return dollar
        }
        const places = Array.from({ length: count + 40 }, (_, place) => place)
        const check = async () =>
          expect(await pricesAt(places.map((place) => begin + place))).toEqual(places.map((place) => expected(place)))
        // The newest first, what is below it as a gap; hours come meanwhile; and some are passed over, as by a process that was off.
        const edges = [16 + random.below(4), 28 + random.below(4)]
        const gapFrom = async (from: number, to: number) => {
          for (let upper = to; upper > from; ) {
            const place = Math.max(from, upper - 1 - random.below(2))
            await record(place, { from: begin + from, to: begin + upper })
            if (random.below(4) === 0) await check()
            upper = place
          }
        }
        await record(edges[0]!)
        await check()
        await gapFrom(8, edges[0]!)
        for (let place = edges[0]! + 1; place < 24; place++) await record(place)
        await check()
        await record(edges[1]!)
        await gapFrom(24, edges[1]!)
        for (let place = edges[1]! + 1; place < count; place++) await record(place)
        await gapFrom(0, 8)
        await check()
        // Priced anew, as when tokens are added, in part without a word: nothing is another.
        for (let place = count - 1; place >= 0; place--) {
          if (!done.has(place)) continue
          await price(begin + place, random.below(3) === 0 ? "silent" : world[place]!, {
            from: begin,
            to: begin + count,
          })
        }
        await check()
        expect((await points()).map(({ hour }) => hour - begin)).toEqual([
          -begin,
          ...[...done].filter((place) => ["dollar", "off"].includes(world[place]!)).toSorted((a, b) => a - b),
        ])
      }
    })

    test("before any hour is priced, and below the first that was, it is as it is now", async () => {
      await openChain()
      await look(true)
      expect(await pricesAt([1, begin, begin + 999])).toEqual([dollar, dollar, dollar])
      await look(false)
      expect(await pricesAt([1, begin, begin + 999])).toEqual([null, null, null])
      await price(begin, "dollar")
      await price(begin + 9, "off")
      await look(true)
      expect(await pricesAt([begin - 1, begin, begin + 8, begin + 9])).toEqual([
        dollar,
        dollar,
        dollar,
        String(begin + 9),
      ])
      await look(false)
      expect(await pricesAt([begin - 1, begin, begin + 8, begin + 9])).toEqual([
        null,
        dollar,
        dollar,
        String(begin + 9),
      ])
    })

    test("behind the last hour that was priced it is as it is now, once what that one says has ended", async () => {
      await openChain()
      await look(true)
      await price(begin, "dollar")
      expect(await pricesAt([begin, begin + 500])).toEqual([dollar, dollar])
      await look(false)
      expect(await pricesAt([begin, begin + 1])).toEqual([dollar, null])
      // It was a dollar at the beginning of the next, that is known by now, but it is none any more.
      await price(begin + 1, "dollar")
      await look(false)
      expect(await pricesAt([begin, begin + 1, begin + 2])).toEqual([dollar, dollar, null])
      await price(begin + 2, "off")
      await look(true)
      const off = String(begin + 2)
      expect(await pricesAt([begin + 2, begin + 1 + pointHours, begin + 2 + pointHours])).toEqual([off, off, null])
      // A day without a word of its pools, while others had swaps.
      await price(begin + 40, "silent")
      await look(true)
      const ended = begin + 2 + pointHours
      expect(await pricesAt([begin + 2, ended - 1, ended, begin + 41, begin + 999])).toEqual([off, off, ...all(3)])
      // What was assumed of hours that nobody priced does not outlive the coin's dollar.
      await look(false)
      expect(await pricesAt([begin + 40, begin + 41, begin + 999])).toEqual([dollar, null, null])
      expect((await points()).map(({ hour }) => hour)).toEqual([begin, begin + 1, begin + 2, ended])
      await look(true)
      expect(await pricesAt([begin + 40, begin + 41, begin + 999])).toEqual(all(3))
      await price(begin + 41, "untold")
      expect(await pricesAt([begin + 40, begin + 41, begin + 42])).toEqual([dollar, null, null])
      for (let time = 0; time < 2; time++) {
        await look(true)
        expect(await pricesAt([begin + 41, begin + 42, begin + 999])).toEqual([null, dollar, dollar])
        await look(false)
        expect(await pricesAt([begin + 41, begin + 42, begin + 999])).toEqual([null, null, null])
      }
    })

    test("a point says until when it speaks, also where an hour ended it without another", async () => {
      await openChain()
      await price(begin, "off")
      await price(begin + 1, "silent")
      await price(begin + 3, "untold")
      await price(begin + 4, "off")
      expect(await points()).toEqual([
        { hour: begin, price: String(begin), untilHour: begin + 2 },
        { hour: begin + 4, price: String(begin + 4), untilHour: begin + 3 + pointHours },
      ])
    })

    test("where hours are left for later nothing is assumed that they may say", async () => {
      await openChain()
      await price(begin, "off")
      await use((port) => port.leap(id, begin + 1, begin + 50))
      await look(true)
      const hours = [begin + 23, begin + 24, begin + 49, begin + 50, begin + 999]
      expect(await pricesAt(hours)).toEqual([String(begin), null, null, ...all(2)])
      await price(begin + 23, "off", { from: begin + 1, to: begin + 50 })
      expect(await pricesAt([begin + 24, begin + 46, begin + 47, begin + 50])).toEqual([
        ...[String(begin + 23), String(begin + 23)],
        ...[null, dollar],
      ])
    })

    test("what yields ends what older hours say, and leaves what its own has said", async () => {
      await openChain()
      for (const [place, kind] of (["off", "dollar", "silent", "untold"] as const).entries())
        await price(begin + place, kind)
      for (let place = 0; place < 4; place++)
        await use((port) => port.recordHour(id, begin + place, [{ address: coin, yields: true }], begin + place + 1))
      expect(await pricesAt([0, 1, 2, 3].map((place) => begin + place))).toEqual([String(begin), dollar, null, null])
    })

    test("a setting that takes it from the stablecoins for a while leaves what its hours said", async () => {
      await openChain()
      await look(true)
      for (const [place, kind] of (["dollar", "off", "dollar", "silent"] as const).entries())
        await price(begin + place, kind)
      const places = [0, 1, 2, 3, 4].map((place) => begin + place)
      const said = [dollar, String(begin + 1), dollar, dollar]
      expect(await pricesAt(places)).toEqual([...said, dollar])
      await look(false, [])
      expect(await pricesAt([begin - 1, ...places])).toEqual([null, ...said, null])
      await look(true)
      expect(await pricesAt([begin - 1, ...places])).toEqual([dollar, ...said, dollar])
    })

    test("the revision moves where something became another, and only there", async () => {
      await openChain()
      const revision = async () => (await store.run(TokenStore.use((port) => port.find(id, coin)))).asOf[0]!.revision
      const moves = async (body: () => Promise<unknown>) => {
        const before = await revision()
        await body()
        return (await revision()) > before
      }
      expect(await moves(() => look(true))).toBe(true)
      expect(await moves(() => look(true))).toBe(false)
      await price(begin, "dollar")
      expect(await moves(() => look(true))).toBe(false)
      expect(await moves(() => look(false))).toBe(true)
      expect(await moves(() => look(false))).toBe(false)
      expect(await moves(() => look(true))).toBe(true)
      expect(await moves(() => look(true))).toBe(false)
      expect(await moves(() => look(false, []))).toBe(true)
      expect(await moves(() => look(false, []))).toBe(false)
    })
  })
}
