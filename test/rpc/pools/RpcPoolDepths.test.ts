/** Depths of pools on a scripted node: of every kind, of liars, with too many ticks, and where nodes fail or have forgotten. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import * as RpcPoolDepths from "../../../src/adapters/rpc/pools/RpcPoolDepths.ts"
import type { RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { nearDepth } from "../../../src/domain/prices/nearDepth.ts"
import { rootAt } from "../../../src/domain/prices/ticks.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { PoolDepths } from "../../../src/ports/PoolDepths.ts"
import { curveOf, type Position } from "../../support/chain/positions.ts"
import { address } from "../../support/chain/testChain.ts"
import { clientOf, failureOf, json, play, type Request, refuse, run, server, url } from "../node.ts"
import { type Asked, bytes, type Contract, type Scene, stage } from "../scene.ts"

const goerli = ChainId.make("5")

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const [token, coin] = [address(0x70), address(0x71)]
const [pool, pair, other, third] = [address(0x9001), address(0x9002), address(0x9003), address(0x9004)]
const unsigned = (number: number | bigint) => BigInt.asUintN(256, BigInt(number))
const head = 1000

const say = ({ method }: Request) => {
  if (method === "eth_chainId") return { result: "0x5" }
  if (method === "eth_getCode") return { result: "0x" }
  return { result: `0x${head.toString(16)}` }
}
const perform = (scene: Scene, fault?: (call: Asked) => string | undefined) => stage(scene, fault, say)
const gone = "missing trie node 0123 (path 02) state 0x0123 is not available"

/** A pool's kind: its functions, what follows behind the words that matter. */
interface Kind {
  readonly state: string
  readonly stateEnd: ReadonlyArray<number>
  readonly bitmap: string
  /** Ticks for each bit. */
  readonly step: number
  readonly tickEnd: ReadonlyArray<number>
}
const uniswap = (spacing: number): Kind => ({
  ...{ state: "slot0()", stateEnd: [7, 100, 100, 0, 1], bitmap: "tickBitmap(int16)", step: spacing },
  tickEnd: [9, 9, 9, 9, 9, 1],
})
const algebra = (step: number): Kind => ({
  ...{ state: "globalState()", stateEnd: [100, 3, 4, 1], bitmap: "tickTable(int16)", step },
  tickEnd: [-600, 600, 5, 5],
})
const kinds: ReadonlyArray<readonly [string, Kind, number]> = [
  ["Uniswap V3", uniswap(60), 60],
  ["PancakeSwap V3 with a tick at each price", uniswap(1), 1],
  ["Velodrome's concentrated kind, whose slot0 is shorter", { ...uniswap(200), stateEnd: [7, 100, 100, 1] }, 200],
  ["Algebra, a bit for each spaced tick", algebra(60), 60],
  ["Algebra, a bit for each tick", algebra(1), 60],
]

const priceAt = (tick: number) => ({ tick, root: (rootAt(tick) + rootAt(tick + 1)) / 2n })

/** A contract with these positions. */
const poolWith = (kind: Kind, spacing: number, tick: number, positions: ReadonlyArray<Position>): Contract => {
  const { root } = priceAt(tick)
  const ticks = new Map<number, { gross: bigint; net: bigint }>()
  for (const [lower, upper, liquidity] of positions) {
    for (const [at, net] of [
      [lower, liquidity],
      [upper, -liquidity],
    ] as const) {
      const before = ticks.get(at) ?? { gross: 0n, net: 0n }
      ticks.set(at, { gross: before.gross + liquidity, net: before.net + net })
    }
  }
  const rows = new Map<number, bigint>()
  for (const at of ticks.keys()) {
    const bit = at / kind.step
    rows.set(bit >> 8, (rows.get(bit >> 8) ?? 0n) | (1n << BigInt(bit & 255)))
  }
  const numberOf = (word: string) => Number(BigInt.asIntN(256, BigInt(`0x${word}`)))
  return {
    "token0()": bytes(token),
    "token1()": bytes(coin),
    "tickSpacing()": bytes(spacing),
    [kind.state]: bytes(root, unsigned(tick), ...kind.stateEnd),
    "liquidity()": bytes(curveOf({ root, tick }, positions).liquidity),
    [kind.bitmap]: ([row]) => bytes(rows.get(numberOf(row!)) ?? 0n),
    "ticks(int24)": ([at]) => {
      const { gross, net } = ticks.get(numberOf(at!)) ?? { gross: 0n, net: 0n }
      return bytes(gross, unsigned(net), ...kind.tickEnd.map(unsigned))
    },
  }
}
const depthOf = (tick: number, positions: ReadonlyArray<Position>) => {
  const { of0, of1 } = nearDepth(curveOf(priceAt(tick), positions))!
  return new Map([
    [token, of0],
    [coin, of1],
  ])
}
const pairContract: Contract = { "getReserves()": bytes(1, 2, 3), "token0()": bytes(token), "token1()": bytes(coin) }

const reader = () => RpcPoolDepths.depthReader({ client: clientOf({ attempts: 2 }) })
const read = (pools: ReadonlyArray<Address>, at?: number) => run(reader()(pools, at))

const positions: ReadonlyArray<Position> = [
  [-887_200 + 100, 887_100, 10n ** 20n],
  [-600, 600, 10n ** 21n],
  [-1200, -600, 10n ** 24n],
  [0, 1800, 10n ** 19n],
  [60_000, 120_000, 10n ** 30n],
]
/** The same at multiples of a spacing. */
const spaced = (spacing: number) =>
  positions.map(([lower, upper, liquidity]): Position => {
    const near = (tick: number) => Math.round(tick / spacing) * spacing
    return [near(lower), near(upper), liquidity]
  })

describe("what pools of each kind have near their price is their depth", () => {
  test.each(kinds)("%s", async (_, kind, spacing) => {
    for (const tick of [-700, -61, -1, 0, 59, 599]) {
      perform({ [pool]: poolWith(kind, spacing, tick, spaced(spacing)) })
      expect(await read([pool])).toEqual([depthOf(tick, spaced(spacing))])
    }
  })

  test("Solidly's: what it holds, but for a stable pair, whose price is not the ratio of that", async () => {
    perform({
      [pair]: { ...pairContract, "stable()": bytes(0) },
      [other]: { ...pairContract, "stable()": bytes(1) },
    })
    expect(await read([pair, other])).toEqual(["held", undefined])
  })

  test("Uniswap V2: what it holds; others: not known", async () => {
    const scene: Scene = {
      [pair]: pairContract,
      [pool]: poolWith(uniswap(60), 60, 5, spaced(60)),
      // KyberSwap Elastic's words: it has neither slot0 nor reserves.
      [other]: { "token0()": bytes(token), "token1()": bytes(coin), "getPoolState()": bytes(1, 2, 3, 4) },
    }
    perform(scene)
    expect(await read([pair, other, pool, address(0x9009)])).toEqual([
      "held",
      undefined,
      depthOf(5, spaced(60)),
      "silent",
    ])
    // Algebra's pools have reserves too.
    perform({ [pool]: { ...poolWith(algebra(1), 60, 5, spaced(60)), "getReserves()": bytes(1, 2) } })
    expect(await read([pool])).toEqual([depthOf(5, spaced(60))])
  })

  test("a pool between two ticks at whose very price liquidity changes is read like its contract does", async () => {
    const contract = poolWith(uniswap(60), 60, 59, spaced(60))
    // Coming from above the tick is the one below the price's own.
    perform({ [pool]: { ...contract, "slot0()": bytes(rootAt(60), 59, 7, 100, 100, 0, 1) } })
    const { of0, of1 } = nearDepth({ ...curveOf(priceAt(59), spaced(60)), root: rootAt(60) })!
    expect((await read([pool]))[0]).toEqual(
      new Map([
        [token, of0],
        [coin, of1],
      ]),
    )
  })
})

describe("work is bounded", () => {
  test("of a crowd of ticks all that are near are asked, however many; none that has no bit", async () => {
    // Dust on every second tick is between the price and the pool's liquidity.
    const crowd = Array.from({ length: 2200 }, (_, place): Position => [place - 1100, place - 1099, 10n ** 3n])
    const even = crowd.filter(([lower]) => lower % 2 === 0)
    const deep: Position = [-887_272, 887_272, 10n ** 24n]
    const near: Position = [-300, 300, 10n ** 24n]
    const asked = perform({
      [pool]: poolWith(uniswap(1), 1, 0, crowd),
      [other]: poolWith(uniswap(1), 1, 0, [...even, deep]),
      [third]: poolWith(uniswap(1), 1, 0, [deep, near]),
    })
    expect(await read([pool])).toEqual([depthOf(0, crowd)])
    // 7 of its kind, 2 of its price, 8 or 9 words, the ticks of a tenth down and up.
    expect(asked.filter(({ data }) => data.startsWith("0xf30dba93")).length).toBe(953 + 1 + 1 + 953)
    expect(asked.length).toBeLessThanOrEqual(7 + 2 + 9 + 1908)
    expect(new Set(asked.map(({ gas }) => gas))).toEqual(new Set(["0x4c4b40"]))
    asked.length = 0
    // More than are asked about in one go.
    expect(await read([other, pool, third])).toEqual([
      depthOf(0, [...even, deep]),
      depthOf(0, crowd),
      depthOf(0, [deep, near]),
    ])
  })

  test("a kind is asked once; of a V2 pool nothing more", async () => {
    const asked = perform({ [pair]: pairContract })
    const ask = reader()
    expect(await run(ask([pair]))).toEqual(["held"])
    asked.length = 0
    expect(await run(ask([pair]))).toEqual(["held"])
    expect(asked).toEqual([])
  })

  test("many pools are asked about in parts", async () => {
    const pools = Array.from({ length: 120 }, (_, index) => address(0xa000 + index))
    const contract = poolWith(uniswap(60), 60, 5, spaced(60))
    perform(Object.fromEntries(pools.map((each) => [each, contract])))
    expect(await read(pools)).toEqual(pools.map(() => depthOf(5, spaced(60))))
  })
})

describe("a pool that says what cannot be has no depth that is known", () => {
  const honest = poolWith(uniswap(60), 60, 5, spaced(60))
  const { root } = priceAt(5)
  const cases: ReadonlyArray<readonly [string, Contract]> = [
    ["a price of nothing", { "slot0()": bytes(0, 0, 0) }],
    ["a price of another tick", { "slot0()": bytes(root, 6, 0) }],
    ["a tick that there is not", { "slot0()": bytes(root, 887_272, 0) }],
    ["an absurd tick", { "slot0()": bytes(root, 2n ** 255n, 0) }],
    ["half a word", { "slot0()": bytes(root, 5).slice(0, -2) }],
    ["liquidity above all measure", { "liquidity()": bytes(2n ** 128n) }],
    ["no liquidity() at all", { "liquidity()": "0x" }],
    ["no spacing", { "tickSpacing()": "0x" }],
    ["a spacing of nothing", { "tickSpacing()": bytes(0) }],
    ["a spacing below nothing", { "tickSpacing()": bytes(unsigned(-60)) }],
    ["a token that is no address", { "token1()": bytes(2n ** 200n) }],
    ["a bitmap of two words", { "tickBitmap(int16)": bytes(0, 0) }],
    ["no bitmap", { "tickBitmap(int16)": "0x" }],
    ["bits for ticks that are none", { "ticks(int24)": bytes(0, 0, 0) }],
    ["ticks of one word", { "ticks(int24)": bytes(1) }],
    ["ticks that take out more than there is", { "ticks(int24)": bytes(1, unsigned(-(10n ** 27n))) }],
  ]
  test.each(cases)("%s", async (_, lie) => {
    perform({ [pool]: { ...honest, ...lie }, [pair]: pairContract, [other]: honest })
    expect(await read([pool, pair, other])).toEqual([undefined, "held", depthOf(5, spaced(60))])
  })

  test("one that says nothing at all, as a node does that lost it, is not heard: it had swaps", async () => {
    perform({ [pool]: {}, [third]: { "token0()": bytes(token) } })
    expect(await read([pool, other, third])).toEqual(["silent", "silent", undefined])
  })

  test("one that could be read before is not heard", async () => {
    const ask = reader()
    perform({ [pool]: honest, [pair]: pairContract })
    expect(await run(ask([pool]))).toEqual([depthOf(5, spaced(60))])
    // What makes its kind is not asked again.
    const told = cases.filter(([, lie]) => !("tickSpacing()" in lie || "token1()" in lie))
    expect(told.length).toBe(cases.length - 4)
    for (const [, lie] of told) {
      perform({ [pool]: { ...honest, ...lie }, [pair]: pairContract })
      expect(await run(ask([pool, pair]))).toEqual(["silent", "held"])
    }
    perform({ [pool]: {}, [pair]: pairContract })
    expect(await run(ask([pool, pair]))).toEqual(["silent", "held"])
    // At a block of the past it may have said nothing yet, but not what cannot be.
    for (const [what, lie] of told.filter(([, lie]) => !("liquidity()" in lie))) {
      perform({ [pool]: { ...honest, ...lie }, [pair]: pairContract })
      expect([what, ...(await run(ask([pool, pair], 255)))]).toEqual([what, "unheard", "held"])
    }
    perform({ [pool]: honest })
    expect(await run(ask([pool]))).toEqual([depthOf(5, spaced(60))])
  })
})

describe("the state that is asked", () => {
  const scene: Scene = { [pool]: poolWith(uniswap(60), 60, 5, spaced(60)), [pair]: pairContract }
  const deep = depthOf(5, spaced(60))

  test("is one for all rounds: that after the block, or that two blocks behind the node's newest", async () => {
    const asked = perform(scene)
    expect(await read([pool])).toEqual([deep])
    expect(new Set(asked.map(({ block }) => block))).toEqual(new Set(["0x3e6"]))
    asked.length = 0
    expect(await read([pool], 255)).toEqual([deep])
    // What a pool is it was before: that is asked of the newest.
    const kindCalls = 7
    expect(new Set(asked.slice(0, kindCalls).map(({ block }) => block))).toEqual(new Set(["0x3e6"]))
    expect(new Set(asked.slice(kindCalls).map(({ block }) => block))).toEqual(new Set(["0xff"]))
  })

  test("is said to be gone where the node does not keep it, but for pools that have no need of it", async () => {
    perform(scene, ({ block }) => (Number(block) > 900 ? undefined : gone))
    expect(await read([pool, pair], 255)).toEqual(["gone", "held"])
    expect(await read([pool, pair], 901)).toEqual([deep, "held"])
    expect(await read([pair, pool])).toEqual(["held", deep])
  })

  test("is never another one: a node that has forgotten it meanwhile has failed", async () => {
    let asked = 0
    perform(scene, ({ block }) => (block === "0xff" && ++asked > 3 ? gone : undefined))
    expect((await failureOf(reader()([pool], 255)))._tag).toBe("SourceUnavailable")
  })

  test("is gone, and nobody fails, where a node says nothing of it; a pool that was made later has none in it", async () => {
    const young = { ...scene, [third]: poolWith(uniswap(60), 60, 5, spaced(60)) }
    const ask = reader()
    perform(young)
    expect(await run(ask([pool, third]))).toEqual([deep, deep])
    perform(scene)
    expect(await run(ask([third, pool], 255))).toEqual([undefined, deep])
    expect(await run(ask([third], 255))).toEqual(["gone"])
    perform({})
    expect(await run(ask([third, pool], 255))).toEqual(["gone", "gone"])
    // Their token is there: they were made later.
    stage({}, undefined, (request) => (request.method === "eth_getCode" ? { result: "0x60" } : say(request)))
    expect(await run(ask([third, pool], 255))).toEqual([undefined, undefined])
  })

  test("is kept where an odd pool is refused and another is not, whichever is first", async () => {
    const both: Scene = { ...scene, [third]: poolWith(uniswap(60), 60, 5, spaced(60)) }
    let refused = 0
    perform(both, ({ to, block }) =>
      block === "0xff" && to === third && refused++ < 2 ? "stack limit reached" : undefined,
    )
    expect(await read([third, pool], 255)).toEqual([deep, deep])
    refused = 0
    perform(both, ({ to, block }) =>
      block === "0xff" && to === third && refused++ < 1 ? "stack limit reached" : undefined,
    )
    expect(await read([pool, third], 255)).toEqual([deep, deep])
  })

  test("is asked again where a pool's answer is nothing: one among many backends may have lost it", async () => {
    perform(scene)
    const seen = new Map<string, number>()
    const client = clientOf({ attempts: 1 })
    /** Each call is answered by nothing so many times. */
    const forgetful = (times: number) =>
      RpcPoolDepths.depthReader({
        client: {
          ...client,
          batch: (calls) =>
            Effect.map(client.batch(calls), (values) =>
              values.map((value, place) => {
                const { method, params, read } = calls[place]!
                const key = JSON.stringify(params)
                const count = seen.get(key) ?? 0
                seen.set(key, count + 1)
                return method === "eth_call" && count < times ? read("0x") : value
              }),
            ),
        },
      })
    expect(await run(forgetful(2)([pool]))).toEqual([deep])
    seen.clear()
    expect(await run(forgetful(3)([pool]))).toEqual(["silent"])
  })

  test("is gone, in whatever words a node says that it has none", async () => {
    for (const words of [
      gone,
      "no historical RPC is available for this historical (pre-bedrock) execution request",
      "State already discarded for BlockId::Number(255)",
      "header not found",
      "block not found: 0xff",
    ]) {
      perform(scene, ({ block }) => (block === "0xff" ? words : undefined))
      expect(await read([pool], 255)).toEqual(["gone"])
    }
  })

  test("is asked of the first node that keeps it; where one fails and none keeps it nothing is known", async () => {
    const calls: Array<string> = []
    /** A client of the same node, which has forgotten all, fails at past states, or neither. */
    const clientWith = (name: string, fault?: string, empty = false) => {
      const client = clientOf({ attempts: 1 })
      const batch: RpcClient["batch"] = (given) => {
        calls.push(name)
        const past = given.some(({ params }) => params[1] === "0xff")
        if (past && empty) return Effect.succeed(given.map(({ read }) => read("0x")))
        if (!past || fault === undefined) return client.batch(given)
        const failed = { kind: "answer", message: fault } as const
        const values = given.map(({ readFault }) => readFault?.(failed))
        return values.every((value) => value !== undefined)
          ? Effect.succeed(values.map(({ value }) => value))
          : Effect.fail(new SourceUnavailable({ message: fault }))
      }
      return { client: { ...client, batch } }
    }
    perform(scene)
    const [main, broken, archive] = [clientWith("main", gone), clientWith("broken", "oops"), clientWith("archive")]
    expect(await run(RpcPoolDepths.depthReader(main, [broken, archive])([pool], 255))).toEqual([deep])
    // The newest block, the kind; who keeps the state; price, words, ticks.
    expect(calls).toEqual(["main", "main", "main", "broken", "archive", "archive", "archive", "archive"])
    const forgetful = clientWith("forgetful", gone)
    const empty = clientWith("empty", undefined, true)
    expect(await run(RpcPoolDepths.depthReader(main, [broken])([pool], 255))).toEqual(["unheard"])
    expect(await run(RpcPoolDepths.depthReader(broken, [main])([pool], 255))).toEqual(["unheard"])
    expect(await run(RpcPoolDepths.depthReader(empty, [broken])([pool], 255))).toEqual(["unheard"])
    expect(await run(RpcPoolDepths.depthReader(main, [forgetful])([pool], 255))).toEqual(["gone"])
    expect(await run(RpcPoolDepths.depthReader(empty, [empty, archive])([pool], 255))).toEqual([deep])
    expect((await failureOf(RpcPoolDepths.depthReader(broken, [broken])([pool], 255)))._tag).toBe("SourceUnavailable")
    calls.length = 0
    expect(await run(RpcPoolDepths.depthReader(archive, [main])([pool], 255))).toEqual([deep])
    expect(new Set(calls)).toEqual(new Set(["archive"]))
  })
})

describe("a node that fails is never a word about a pool", () => {
  const scene: Scene = { [pool]: poolWith(uniswap(60), 60, 5, spaced(60)) }

  test("whatever it says instead", async () => {
    for (const answer of [
      refuse(-32005, "rate limit exceeded"),
      refuse(-32000, "header not found"),
      refuse(-32601, "the method eth_call does not exist"),
      () => json({}, { status: 503 }),
      () => new Response("<html>bad gateway</html>", { status: 502 }),
    ]) {
      play([answer])
      expect((await failureOf(reader()([pool])))._tag).toBe("SourceUnavailable")
    }
  })

  test("whenever it does: at the kind, the price, the words or the ticks", async () => {
    for (const selector of ["0x3850c7bd", "0x1a686502", "0x5339c296", "0xf30dba93"]) {
      perform(scene, ({ data }) => (data.startsWith(selector) ? "internal error" : undefined))
      expect((await failureOf(reader()([pool])))._tag).toBe("SourceUnavailable")
      // And after it has recovered the pool has its depth.
      perform(scene)
      expect(await read([pool])).toEqual([depthOf(5, spaced(60))])
    }
  })

  test("nor is one that answers with what is no answer", async () => {
    play([(body) => json([body].flat().map(({ id }) => ({ jsonrpc: "2.0", id, result: "0xzz" })))])
    expect((await failureOf(reader()([pool])))._tag).toBe("SourceUnavailable")
  })

  test("nor one that never answers", async () => {
    play([() => new Promise<Response>(() => {})])
    const impatient = RpcPoolDepths.depthReader({ client: clientOf({ attempts: 1, timeoutMs: 50 }) })
    expect((await failureOf(impatient([pool])))._tag).toBe("SourceUnavailable")
  })
})

test("the port serves the configured chains, and no other", async () => {
  perform({ [pair]: pairContract })
  const layer = RpcPoolDepths.layer([{ chainId: goerli, rpcUrls: [url], rpcConcurrency: 2 }])
  const ask = (chainId: ChainId) => PoolDepths.use((depths) => depths.read(chainId, [pair])).pipe(Effect.provide(layer))
  expect(await run(ask(goerli))).toEqual(["held"])
  expect(JSON.stringify(await run(Effect.exit(ask(ChainId.make("6")))))).toContain("Die")
})
