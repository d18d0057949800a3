/** What pools say of themselves and what their factories say of them, on a scripted node: honest ones, liars, and nodes that fail. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { makeMulticall, multicall3 } from "../../../src/adapters/rpc/contracts/multicall.ts"
import * as RpcPools from "../../../src/adapters/rpc/pools/RpcPools.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import { type AskedState, Pools } from "../../../src/ports/Pools.ts"
import { address } from "../../support/chain/testChain.ts"
import { clientOf, failureOf, json, play, refuse, run, server, url } from "../node.ts"
import {
  type Answer,
  backendOf,
  bytes,
  type Contract,
  hashOf,
  type Scene,
  sayAt,
  sayCode,
  stage,
  withMulticall,
  word,
} from "../scene.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

/** States far below the head, and near it. */
const [far, near] = [{ block: 255 }, { block: 255, hash: hashOf(255) }]

const reader = () => RpcPools.poolReader(clientOf({ attempts: 2 }))
const describePools = (pools: ReadonlyArray<Address>, at: AskedState = far) => run(reader().describe(pools, at))
const describeOne = async (pool: Address, scene: Scene) => {
  stage(scene)
  return (await describePools([pool]))[0]
}

const [token, coin, stranger] = [address(0x70), address(0x71), address(0x72)]
const [pool, impostor, factory] = [address(0x9001), address(0x9002), address(0xfac)]
const tokens: Scene = { [token]: { "decimals()": bytes(18) }, [coin]: { "decimals()": bytes(6) } }
const poolOf = (more: Contract = {}, made = factory): Contract => ({
  "token0()": bytes(token),
  "token1()": bytes(coin),
  "factory()": bytes(made),
  ...more,
})
const facts = { pool, token0: token, token1: coin, decimals0: 18, decimals1: 6, factory }

/** Answers for one pair of tokens, in either order, and these words behind them. */
const registerOf =
  (listed: string, ...ends: ReadonlyArray<string | number | bigint>): Answer =>
  ([one, other, ...rest]) => {
    const isPair = [one, other].sort().join() === [word(token), word(coin)].sort().join()
    return bytes(isPair && rest.join() === ends.map(word).join() ? listed : address(0))
  }

const kinds: ReadonlyArray<[string, Contract, string, ReadonlyArray<number | bigint>]> = [
  ["Uniswap V2", {}, "getPair(address,address)", []],
  ["Uniswap V3", { "fee()": bytes(3000) }, "getPool(address,address,uint24)", [3000]],
  ["KyberSwap Elastic", { "swapFeeUnits()": bytes(40) }, "getPool(address,address,uint24)", [40]],
  ["Solidly, volatile", {}, "getPair(address,address,bool)", [0]],
  ["Solidly, stable", {}, "getPair(address,address,bool)", [1]],
  ["Velodrome, stable", {}, "getPool(address,address,bool)", [1]],
  ["Velodrome, concentrated", { "tickSpacing()": bytes(200) }, "getPool(address,address,int24)", [200]],
  ["one below zero", { "tickSpacing()": bytes(2n ** 256n - 5n) }, "getPool(address,address,int24)", [2n ** 256n - 5n]],
  ["Algebra", {}, "poolByPair(address,address)", []],
]

describe("a pool that its factory names", () => {
  test.each(kinds)("of %s is told whole", async (_, own, lookup, ends) => {
    const scene = { ...tokens, [pool]: poolOf(own), [factory]: { [lookup]: registerOf(pool, ...ends) } }
    expect(await describeOne(pool, scene)).toEqual(facts)
  })
})

describe("a contract that its factory denies is no pool", () => {
  test.each(kinds)("of %s: the factory names another", async (_, own, lookup, ends) => {
    const scene = { ...tokens, [impostor]: poolOf(own), [factory]: { [lookup]: registerOf(pool, ...ends) } }
    expect(await describeOne(impostor, scene)).toBeUndefined()
  })

  test.each(kinds)("of %s: the factory knows none of these tokens", async (_, own, lookup) => {
    const scene = { ...tokens, [impostor]: poolOf(own), [factory]: { [lookup]: bytes(0) } }
    expect(await describeOne(impostor, scene)).toBeUndefined()
  })

  test.each(kinds)("of %s, where it keeps to itself under which word it is listed", async (_, _own, lookup) => {
    const scene = { ...tokens, [impostor]: poolOf(), [factory]: { [lookup]: bytes(0) } }
    expect(await describeOne(impostor, scene)).toBeUndefined()
  })

  test("also where the factory has named others and is silent of this one", async () => {
    const picky: Answer = ([one]) => (one === word(token) ? bytes(pool) : undefined)
    stage({
      ...tokens,
      [pool]: poolOf(),
      [impostor]: poolOf({ "token0()": bytes(stranger) }),
      [factory]: { "getPair(address,address)": picky },
    })
    expect(await describePools([pool, impostor])).toEqual([facts, undefined])
  })

  test.each([
    ["uint24", "swapFeeUnits()", "getPool(address,address,uint24)", 2n ** 24n],
    ["uint24", "fee()", "getPool(address,address,uint24)", 2n ** 255n],
    ["int24", "tickSpacing()", "getPool(address,address,int24)", 2n ** 23n],
    ["int24", "tickSpacing()", "getPool(address,address,int24)", 2n ** 256n - 2n ** 23n - 1n],
  ])("also by a word beyond its %s (%s), at which the factory fails", async (type, asked, lookup, beyond) => {
    const strict: Answer = ([, , end]) => {
      const value = type === "int24" ? BigInt.asIntN(256, BigInt(`0x${end}`)) : BigInt(`0x${end}`)
      const [least, most] = type === "int24" ? [-(2n ** 23n), 2n ** 23n - 1n] : [0n, 2n ** 24n - 1n]
      return value < least || value > most ? undefined : bytes(0)
    }
    const scene = { ...tokens, [impostor]: poolOf({ [asked]: bytes(beyond) }), [factory]: { [lookup]: strict } }
    expect(await describeOne(impostor, scene)).toBeUndefined()
  })

  test("whoever is asked about first", async () => {
    const scene = { ...tokens, [pool]: poolOf(), [impostor]: poolOf() }
    stage({ ...scene, [factory]: { "getPair(address,address)": registerOf(pool) } })
    expect(await describePools([impostor, pool, address(0x9003)])).toEqual([undefined, facts, undefined])
  })
})

describe("a pool is taken at its word", () => {
  test("where its factory has nothing that we know to ask", async () => {
    expect(await describeOne(pool, { ...tokens, [pool]: poolOf(), [factory]: {} })).toEqual(facts)
  })

  test("where its factory is no contract", async () => {
    expect(await describeOne(pool, { ...tokens, [pool]: poolOf() })).toEqual(facts)
  })

  test("where it names no factory, and then has none", async () => {
    const { factory: _, ...rest } = facts
    const { "factory()": __, ...mute } = poolOf()
    expect(await describeOne(pool, { ...tokens, [pool]: mute })).toEqual(rest)
    expect(await describeOne(pool, { ...tokens, [pool]: poolOf({}, address(0)) })).toEqual(rest)
  })
})

describe("what is no pool", () => {
  const cases: ReadonlyArray<[string, Contract | undefined]> = [
    ["an address without code", undefined],
    ["a contract that reverts", {}],
    ["one that has no token1", { "token0()": bytes(token) }],
    ["one that answers nothing", poolOf({ "token0()": "0x" })],
    ["one that answers half a word", poolOf({ "token0()": bytes(token).slice(0, -2) })],
    ["one that answers two words", poolOf({ "token1()": bytes(coin, coin) })],
    ["one whose token is no address", poolOf({ "token1()": `0x${"f".repeat(64)}` })],
    ["one that names the same token twice", poolOf({ "token1()": bytes(token) })],
    ["one whose token0 is the zero address", poolOf({ "token0()": bytes(0) })],
    ["one whose token1 is the zero address", poolOf({ "token1()": bytes(0) })],
  ]
  test.each(cases)("%s", async (_, contract) => {
    expect(
      await describeOne(pool, { ...tokens, ...(contract === undefined ? {} : { [pool]: contract }) }),
    ).toBeUndefined()
  })
})

describe("decimals", () => {
  const cases: ReadonlyArray<[string, Answer | undefined, number]> = [
    ["of a token that tells", bytes(6), 6],
    ["of none", bytes(0), 0],
    ["of the most", bytes(255), 255],
    ["above that", bytes(256), 0],
    ["of a huge number", `0x${"f".repeat(64)}`, 0],
    ["in half a word", "0x06", 0],
    ["of a token that reverts", undefined, 0],
  ]
  test.each(cases)("%s", async (_, answer, expected) => {
    stage({ [token]: answer === undefined ? {} : { "decimals()": answer } })
    expect(await run(reader().decimals([token, address(0), stranger], far))).toEqual([expected, 18, 0])
  })

  test("of the native currency are the chain's", async () => {
    stage({})
    const eight = RpcPools.poolReader(clientOf(), undefined, 8)
    expect(await run(eight.decimals([address(0)], far))).toEqual([8])
  })
})

describe("a node that fails is never a word about a pool", () => {
  const scene = { ...tokens, [pool]: poolOf(), [factory]: { "getPair(address,address)": registerOf(pool) } }

  test("whatever it says instead", async () => {
    for (const answer of [
      refuse(-32005, "rate limit exceeded"),
      refuse(-32000, "header not found"),
      refuse(-32603, "internal error"),
      refuse(-32601, "the method eth_call does not exist"),
      () => json({}, { status: 503 }),
      () => new Response("<html>bad gateway</html>", { status: 502 }),
    ]) {
      play([answer])
      expect((await failureOf(reader().describe([pool], far)))._tag).toBe("SourceUnavailable")
      play([answer])
      expect((await failureOf(reader().decimals([token], far)))._tag).toBe("SourceUnavailable")
    }
  })

  test("also if it fails only after the pool has spoken", async () => {
    const known = stage(scene)
    await describePools([pool])
    const rounds = new Set(known.map(({ to }) => to))
    expect(rounds).toEqual(new Set([pool, factory, token, coin]))
    for (const silent of [factory, token]) {
      stage(scene, ({ to }) => (to === silent ? "header not found" : undefined))
      expect((await failureOf(reader().describe([pool], far)))._tag).toBe("SourceUnavailable")
    }
  })
})

describe("the state that is asked", () => {
  const scene = { ...tokens, [pool]: poolOf(), [factory]: { "getPair(address,address)": registerOf(pool) } }

  test("is the newest, or the one after a block; no call may use more than so much gas", async () => {
    const asked = stage(scene)
    expect(await describePools([pool])).toEqual([facts])
    expect(new Set(asked.map(({ block }) => block))).toEqual(new Set(["latest"]))
    expect(new Set(asked.map(({ gas }) => gas))).toEqual(new Set(["0x4c4b40"]))
    asked.length = 0
    expect(await describePools([pool], near)).toEqual([facts])
    expect(new Set(asked.map(({ block }) => block))).toEqual(new Set(["0xff"]))
  })

  test("is the newest where the node does not keep the other", async () => {
    const gone = "missing trie node 0123 (path 02) state 0x0123 is not available"
    stage(scene, ({ block }) => (block === "latest" ? undefined : gone))
    expect(await describePools([pool], near)).toEqual([facts])
  })

  test("is asked with more gas where the first was too little, and no more than that", async () => {
    for (const message of ["out of gas", "intrinsic gas too low: have 5000000, want 6000000", "evm: OutOfGas"]) {
      const asked = stage(scene, ({ gas }) => (Number(gas) < 6_000_000 ? message : undefined))
      expect(await describePools([pool], near)).toEqual([facts])
      expect(new Set(asked.map(({ gas, block }) => `${gas} ${block}`))).toEqual(
        new Set(["0x4c4b40 0xff", "0x5f5e100 0xff"]),
      )
    }
    const asked = stage(scene, ({ to }) => (to === pool ? "out of gas" : undefined))
    expect(await describePools([pool])).toEqual([undefined])
    expect(asked.length).toBe(6)
  })

  test("is asked again later where the node has no such block yet", async () => {
    play([refuse(-32000, "header not found")])
    expect((await failureOf(reader().describe([pool], near)))._tag).toBe("SourceUnavailable")
  })
})

describe("one of several nodes behind an address that lags is no word about a pool", () => {
  const scene = { ...tokens, [pool]: poolOf(), [factory]: { "getPair(address,address)": registerOf(pool) } }
  const before = { [factory]: { "getPair(address,address)": registerOf(address(0)) } }
  const ages = [
    ["far below the head", far],
    ["near the head", near],
  ] as const

  test.each(ages)("%s: whichever of the questions comes to it", async (_, at) => {
    const level = () => backendOf(scene).respond
    const lagging = () => backendOf(before, undefined, sayAt(254)).respond
    for (let turn = 0; turn < 4; turn++) {
      server.resetHandlers()
      play([...Array.from({ length: turn }, level), lagging(), level()])
      const { describe: ask } = reader()
      expect(await failureOf(ask([pool], at))).toMatchObject({ _tag: "SourceUnavailable", kind: "behind" })
      expect(await run(ask([pool], at))).toEqual([facts])
    }
  })

  test("nor is it asked one by one what it could not answer together", async () => {
    const say: Parameters<typeof stage>[2] = (request) =>
      request.method === "eth_getCode" ? { result: "0xfe" } : sayAt(254)(request)
    const asked = stage(before, undefined, say)
    const client = clientOf()
    const ask = RpcPools.poolReader(client, makeMulticall(client)).describe([pool], far)
    expect(await failureOf(ask)).toMatchObject({ kind: "behind" })
    expect(asked.map(({ to }) => to)).toEqual([multicall3])
  })
})

describe("a contract that fails in words that nobody knows", () => {
  const [odd, words] = [address(0x9004), "no method with id: [18 52]"]
  const scene = {
    ...tokens,
    [odd]: {},
    [pool]: poolOf(),
    [factory]: { "getPair(address,address)": registerOf(pool) },
  }
  const ask = (pools: ReadonlyArray<Address>) => {
    const client = clientOf({ attempts: 2 })
    return RpcPools.poolReader(client, makeMulticall(client)).describe(pools, far)
  }

  test("is no pool where Multicall3 says that it failed, and holds up no other", async () => {
    stage(withMulticall(scene), ({ to }) => (to === odd ? words : undefined), sayCode)
    expect(await run(ask([odd, pool]))).toEqual([undefined, facts])
  })

  test("is what Multicall3 has of it where another one had used up the gas", async () => {
    stage(withMulticall(scene, 1), ({ to }) => (to === multicall3 ? undefined : words), sayCode)
    expect(await run(ask([pool]))).toEqual([facts])
  })

  test("costs few requests more, however many others are asked with it", async () => {
    const many = Array.from({ length: 40 }, (_, place) => address(0xa000 + place))
    const burnt = { ...scene, ...Object.fromEntries(many.map((each) => [each, poolOf()])), [factory]: {} }
    const { asked, respond } = backendOf(withMulticall(burnt, 1), ({ to }) => (to === odd ? words : undefined), sayCode)
    server.resetHandlers()
    const bodies = play([respond])
    expect(await run(ask([...many, odd]))).toEqual([...many.map((each) => ({ ...facts, pool: each })), undefined])
    expect(asked.filter(({ to }) => to === multicall3).length).toBeGreaterThan(3 * 40)
    expect(bodies.length).toBeLessThan(60)
  })

  test("is waited for where there is no Multicall3 to tell", async () => {
    stage(scene, ({ to }) => (to === odd ? words : undefined))
    expect((await failureOf(ask([odd, pool])))._tag).toBe("SourceUnavailable")
    stage(scene, ({ to }) => (to === odd || to === multicall3 ? words : undefined), sayCode)
    expect((await failureOf(ask([odd, pool])))._tag).toBe("SourceUnavailable")
  })
})

describe("a contract that uses up all gas", () => {
  const [burner, sly] = [address(0x9005), address(0x9006)]
  const aborted = "execution aborted (timeout = 5s)"
  const much = 6_000_000
  const scene = {
    ...tokens,
    [burner]: {},
    [sly]: {},
    [pool]: poolOf(),
    [factory]: { "getPair(address,address)": registerOf(pool) },
  }
  const pools = [burner, pool, sly]
  const ask = () => {
    const client = clientOf({ attempts: 2 })
    return RpcPools.poolReader(client, makeMulticall(client)).describe(pools, near)
  }

  test("is no pool, and has no more of it where that is enough for others", async () => {
    const fault: Parameters<typeof stage>[1] = ({ to, data, gas }) => {
      const isOfSly = to === sly || (to === multicall3 && data.includes(sly.slice(2)))
      if (to === burner) return Number(gas) > much ? aborted : "out of gas"
      if (to === sly) return Number(gas) > much ? aborted : "no method with id: [18 52]"
      return isOfSly && Number(gas) > 5 * much ? aborted : undefined
    }
    const asked = stage(withMulticall(scene), fault, sayCode)
    expect(await run(ask())).toEqual([undefined, facts, undefined])
    expect(asked.filter(({ to, gas }) => to !== multicall3 && Number(gas) > much)).toEqual([])
    expect(Math.max(...asked.map(({ gas }) => Number(gas)))).toBe(20_000_000)
  })

  test("is no pool where there is no Multicall3 to tell whether it had enough, and the node gives it up", async () => {
    stage(scene, ({ to, gas }) =>
      to === burner || to === sly ? (Number(gas) > much ? aborted : "out of gas") : undefined,
    )
    expect(await run(ask())).toEqual([undefined, facts, undefined])
  })

  test("is not taken for one where Multicall3 itself has too little of it", async () => {
    const asked = stage(withMulticall(scene, 0), ({ gas }) => (Number(gas) < much ? "out of gas" : undefined), sayCode)
    expect(await run(ask())).toEqual([undefined, facts, undefined])
    expect(new Set(asked.filter(({ to }) => to === pool).map(({ gas }) => gas))).toEqual(
      new Set(["0x4c4b40", "0x5f5e100"]),
    )
    // Of each round of questions once, with as many bytes as the longest of them.
    const trivial = asked.filter(({ to, data }) => to === multicall3 && data.startsWith("0x42cbb15c"))
    expect(trivial.map(({ gas }) => gas)).toEqual(trivial.map(() => "0x4c4b40"))
    expect(trivial.map(({ data }) => data.length)).toEqual([18, 18, 210, 18])
  })

  test("is not taken for one where even the most is too little for Multicall3: the node has a bound of its own", async () => {
    const asked = stage(withMulticall(scene, 0), ({ gas }) => (gas === undefined ? undefined : "out of gas"), sayCode)
    expect(await run(ask())).toEqual([undefined, facts, undefined])
    expect(new Set(asked.filter(({ to }) => to === pool).map(({ gas }) => gas ?? "no bound"))).toEqual(
      new Set(["0x4c4b40", "0x5f5e100", "no bound"]),
    )
  })

  test("is told of by the node's word that time is short only where it had used up less", async () => {
    stage(scene, ({ to }) => (to === burner ? aborted : undefined))
    expect((await failureOf(ask()))._tag).toBe("SourceUnavailable")
  })
})

test("a factory that is known is asked one thing about each further pool", async () => {
  const many = Array.from({ length: 100 }, (_, index) => address(0xa000 + index))
  const others = Array.from({ length: 100 }, (_, index) => address(0xb000 + index))
  const numbers = new Map(others.map((other, index) => [word(other), index]))
  const scene: Scene = {
    ...tokens,
    ...Object.fromEntries(others.map((other) => [other, { "decimals()": bytes(9) }])),
    ...Object.fromEntries(many.map((each, index) => [each, poolOf({ "token1()": bytes(others[index]!) })])),
    [factory]: { "getPair(address,address)": ([, other]) => bytes(many[numbers.get(other!) ?? -1] ?? address(0)) },
  }
  const asked = stage(scene)
  const { describe: ask } = reader()
  const found = await run(ask(many, far))
  expect(found).toEqual(many.map((each, index) => ({ ...facts, pool: each, token1: others[index]!, decimals1: 9 })))
  // The tokens and the factory of each; of the first pool all registers, 3 words and 9 lookups; decimals of 101 tokens.
  expect(asked.filter(({ to }) => to === factory).length).toBe(99 + 9)
  expect(asked.length).toBe(3 * 100 + 3 + 9 + 99 + 101)
  asked.length = 0
  await run(ask(many, far))
  expect(asked.filter(({ to }) => to === factory).length).toBe(100)
})

test("the port serves the configured chains, with their own native decimals, and no other", async () => {
  stage({ ...tokens, [pool]: poolOf() })
  const chains = [{ chainId: ChainId.make("5"), rpcUrls: [url], rpcConcurrency: 2, nativeCurrency: { decimals: 8 } }]
  const layer = RpcPools.layer(chains)
  const ask = (chainId: ChainId) =>
    Pools.use((pools) => pools.decimals(chainId, [address(0)], far)).pipe(Effect.provide(layer))
  expect(await run(ask(ChainId.make("5")))).toEqual([8])
  expect(JSON.stringify(await run(Effect.exit(ask(ChainId.make("6")))))).toContain("Die")
})
