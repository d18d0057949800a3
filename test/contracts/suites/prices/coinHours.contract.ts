/** The contract of a stablecoin's points: whatever order hours are priced in, each says what its own pools said of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { randomOf } from "../../../../demo/chain/random.ts"
import { pegPointsOf } from "../../../../src/domain/prices/pegPoints.ts"
import { oneDollar, type Usd } from "../../../../src/model/price.ts"
import type { ChainId } from "../../../../src/model/primitives.ts"
import { TokenHistories } from "../../../../src/ports/TokenHistories.ts"
import { forEver, pointHours, TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { address, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { freshChainId, type MakeStore, openStore, seed, type TestStore } from "../../store.ts"

const coin = address(0xc014)
const begin = 480_000
const count = 60
/** A dollar, off it by a price of its own hour, or off it and nobody can tell what it costs. */
type Kind = "dollar" | "off" | "untold"

export const coinHoursContract = (name: string, makeStore: MakeStore): void => {
  describe(`Hours of stablecoins on ${name}`, () => {
    let store: TestStore
    beforeAll(async () => {
      store = await openStore(makeStore)
    }, 120_000)
    afterAll(() => store.close())

    const newChain = async (): Promise<ChainId> => {
      const chain = new TestChain()
      chain.block([transfer(coin, address(0), address(0xd001), 5n)])
      return seed(store, chain, freshChainId())
    }
    const use = <A, E>(body: Parameters<typeof TokenPrices.use<A, E, never>>[0]) => store.run(TokenPrices.use(body))
    const pricesAt = async (id: ChainId, hours: ReadonlyArray<number>) =>
      (await store.run(TokenHistories.use((port) => port.pricesAt(id, coin, hours)))).prices
    const listed = async (id: ChainId) => {
      const query = { chainId: id, token: coin, direction: "asc", page: { limit: 500 }, count: true } as const
      return (await store.run(TokenHistories.use((port) => port.prices(query)))).value
    }

    const priceOf = (kind: Kind, hour: number): Usd | undefined =>
      kind === "dollar" ? oneDollar : kind === "off" ? BigInt(hour) : undefined
    const record = async (id: ChainId, hour: number, kind: Kind, gap?: { from: number; to: number }) => {
      const [known] = await use((port) => port.coinPoints(id, [coin], hour, gap?.to))
      const changes = pegPointsOf(hour, gap?.to, priceOf(kind, hour), known!)
      const points = changes.map((change) => ({ ...change, address: coin }))
      await use((port) =>
        gap === undefined ? port.recordHour(id, hour, points, hour + 1) : port.recordGapHour(id, gap, hour, points),
      )
    }

    test("each hour that was priced says its own, in any order, and those below are as the lowest is", async () => {
      for (let round = 0; round < 6; round++) {
        const random = randomOf(round + 31)
        const id = await newChain()
        await use((port) => port.recordPegs(id, [coin]))
        let kind: Kind = "dollar"
        const kinds = Array.from({ length: count }, () => {
          if (random.below(4) === 0) kind = (["dollar", "dollar", "off", "untold"] as const)[random.below(4)]!
          return kind
        })
        const done = new Set<number>()
        const price = async (place: number, gap?: { from: number; to: number }) => {
          await record(id, begin + place, kinds[place]!, gap)
          done.add(place)
        }
        const check = async () => {
          const places = [...done]
          const told = await pricesAt(
            id,
            places.map((place) => begin + place),
          )
          for (const [index, place] of places.entries()) {
            const expected = priceOf(kinds[place]!, begin + place)
            // What nobody can tell is what an hour of the day before said it costs off its dollar, as of any other token.
            if (expected !== undefined) expect([place, told[index]]).toEqual([place, String(expected)])
            else if (told[index] !== null) {
              const older = Number(told[index]) - begin
              expect(kinds[older]).toBe("off")
              expect(place - older).toBeLessThan(pointHours)
            }
          }
          const lowest = Math.min(...places)
          const [below] = await pricesAt(id, [begin + lowest - 1])
          expect([lowest, below]).toEqual([lowest, kinds[lowest] === "dollar" ? String(oneDollar) : null])
        }
        // The newest first, what is below it as a gap; hours come meanwhile; and some are passed over, as in a process that was off.
        const edges = [30 + random.below(5), 45 + random.below(5)]
        kinds[edges[0]!] = random.below(2) === 0 ? "dollar" : "off"
        await price(edges[0]!)
        await check()
        const gapFrom = async (from: number, to: number) => {
          for (let upper = to; upper > from; ) {
            const place = Math.max(from, upper - 1 - random.below(2))
            await price(place, { from: begin + from, to: begin + upper })
            await check()
            upper = place
          }
        }
        await gapFrom(15, edges[0]!)
        for (let place = edges[0]! + 1; place < 40; place++) await price(place)
        await check()
        await price(edges[1]!)
        await check()
        await gapFrom(40, edges[1]!)
        for (let place = edges[1]! + 1; place < count; place++) await price(place)
        await gapFrom(0, 15)
        await check()
        // Priced anew, as when tokens are added: nothing is another.
        const before = await pricesAt(
          id,
          kinds.map((_, place) => begin + place),
        )
        let upper = count
        for (const place of [...done].sort((a, b) => b - a)) {
          await price(place, { from: begin, to: begin + upper })
          upper = place
        }
        expect(
          await pricesAt(
            id,
            kinds.map((_, place) => begin + place),
          ),
        ).toEqual(before)
      }
    })

    test("a coin that is a dollar all the while has two points, whatever was priced", async () => {
      const id = await newChain()
      await use((port) => port.recordPegs(id, [coin]))
      for (let place = 20; place < 40; place++) await record(id, begin + place, "dollar")
      for (let place = 19; place > 0; place--)
        await record(id, begin + place, "dollar", { from: begin, to: begin + place + 1 })
      const { items, count } = await listed(id)
      expect(items).toEqual([
        { hour: 0, price: String(oneDollar) },
        { hour: begin + 20, price: String(oneDollar) },
      ])
      expect(count).toEqual({ count: 2, countType: "exact" })
    })

    test("its past does not hang on what it costs now, and a coin that is none any more is a dollar no longer", async () => {
      const id = await newChain()
      await use((port) => port.recordPegs(id, [coin]))
      // Before any hour was priced there is nothing but now.
      await use((port) => port.recordPegs(id, [], [coin]))
      expect(await pricesAt(id, [begin])).toEqual([null])
      await use((port) => port.recordPegs(id, [coin]))
      await record(id, begin, "dollar")
      await use((port) => port.recordPegs(id, [], [coin]))
      expect(await pricesAt(id, [begin - 9, begin, begin + 9])).toEqual(Array(3).fill(String(oneDollar)))
      await record(id, begin + 5, "untold")
      await record(id, begin + 6, "dollar")
      expect(await listed(id)).toMatchObject({
        items: [
          { hour: 0, price: String(oneDollar) },
          { hour: begin, untilHour: begin + 4 },
          { hour: begin + 6, price: String(oneDollar) },
        ],
        count: { count: 3, countType: "exact" },
      })
      await use((port) => port.recordPegs(id, []))
      expect(await pricesAt(id, [begin - 1, begin + 4, begin + 5, begin + 6, begin + 7])).toEqual(
        [null, oneDollar, null, oneDollar, null].map((price) => (price === null ? null : String(price))),
      )
    })

    test("what is off its dollar in the lowest hour is found again once it is no stablecoin any more", async () => {
      const id = await newChain()
      await record(id, begin, "off")
      await record(id, begin + 1, "dollar")
      expect(await pricesAt(id, [begin - 1, begin, begin + 1, forEver - 1])).toEqual([
        null,
        String(begin),
        String(oneDollar),
        String(oneDollar),
      ])
      expect((await listed(id)).items.map(({ hour }) => hour)).toEqual([begin, begin + 1])
      await use((port) => port.recordPegs(id, []))
      expect(await pricesAt(id, [begin, begin + 1, begin + 2])).toEqual([String(begin), String(oneDollar), null])
    })
  })
}
