/** Logs of pools, encoded by another library, through decoding: who paid what, and what is no swap. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { encodeAbiParameters, encodeEventTopics, getAddress, type Hex, parseAbi, toEventSelector } from "viem"
import { decode } from "../../../src/domain/ingest/decode/decode.ts"
import { swapTopics } from "../../../src/domain/ingest/decode/topics.ts"
import type { Log } from "../../../src/model/block.ts"
import type { SwapSides, TokenEvent } from "../../../src/model/event.ts"
import { managedPool, type PoolKey } from "../../../src/model/poolKey.ts"
import type { Address } from "../../../src/model/primitives.ts"
import { address, hash } from "../../support/chain/testChain.ts"

const abis = {
  v2: parseAbi([
    "event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
  ]),
  solidly: parseAbi([
    "event Swap(address indexed sender, address indexed to, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out)",
  ]),
  v3: parseAbi([
    "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)",
  ]),
  pancakeV3: parseAbi([
    "event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)",
  ]),
  v4: parseAbi([
    "event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)",
  ]),
  v4Initialize: parseAbi([
    "event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)",
  ]),
} as const
type Kind = keyof typeof abis

const [pool, manager, trader] = [address(0x9001), address(0x4a), address(0xa)]
const poolId = hash("pool")

const logOf = (topicList: ReadonlyArray<string>, data: string, at = pool): Log => ({
  address: at,
  topics: topicList,
  data,
  blockNumber: 1,
  blockHash: hash("block"),
  logIndex: 0,
  txHash: hash("tx"),
})

/** The event's log: indexed arguments in topics, the others in data. */
const encoded = (kind: Kind, values: ReadonlyArray<unknown>, at = pool): Log => {
  const [event] = abis[kind]
  const named = event.inputs.map((input, index) => ({ input, value: values[index] }))
  const args = Object.fromEntries(named.map(({ input, value }) => [input.name, value]))
  const topicList = encodeEventTopics({ abi: abis[kind] as typeof abis.v2, args: args as never })
  const plain = named.filter(({ input }) => !("indexed" in input))
  const data = encodeAbiParameters(
    plain.map(({ input }) => ({ type: input.type })),
    plain.map(({ value }) => value) as never,
  )
  return logOf(topicList as ReadonlyArray<string>, data, at)
}

const decoded = (log: Log, swaps = true, managers: ReadonlyArray<Address> = [manager]) =>
  decode(log, { wrappedNative: new Set(), poolManagers: new Set(managers), swaps })

const [someone, other] = [getAddress(trader), getAddress(address(0xb))]
const ends = [2n ** 96n, 10n ** 18n, -5] as const
const v2 = (...[in0, in1, out0, out1]: [bigint, bigint, bigint, bigint]) =>
  encoded("v2", [someone, in0, in1, out0, out1, other])
const solidly = (...amounts: [bigint, bigint, bigint, bigint]) => encoded("solidly", [someone, other, ...amounts])
const v3 = (...amounts: [bigint, bigint]) => encoded("v3", [someone, other, ...amounts, ...ends])
const pancakeV3 = (...amounts: [bigint, bigint]) => encoded("pancakeV3", [someone, other, ...amounts, ...ends, 7n, 9n])
const v4 = (...amounts: [bigint, bigint]) => encoded("v4", [poolId, someone, ...amounts, ...ends, 3000], manager)

const swap = (sides: SwapSides, at: PoolKey = pool): TokenEvent => ({ kind: "swap", pool: at, ...sides })
const managed = managedPool(manager, poolId)
const malformed: TokenEvent = { kind: "malformed" }
const other_: TokenEvent = { kind: "other" }

test("the topics are the hashes of the events", () => {
  const selectors = Object.entries(abis).map(([kind, [event]]) => [kind, toEventSelector(event)])
  expect(swapTopics).toEqual(Object.fromEntries(selectors))
})

describe("what a trader paid and got", () => {
  const cases: ReadonlyArray<[string, Log, TokenEvent]> = [
    ["Uniswap V2, token0 paid", v2(1000n, 0n, 0n, 7n), swap({ paid0: true, paid: 1000n, got: 7n })],
    ["Uniswap V2, token1 paid", v2(0n, 7n, 990n, 0n), swap({ paid0: false, paid: 7n, got: 990n })],
    ["Solidly, token0 paid", solidly(1000n, 0n, 0n, 7n), swap({ paid0: true, paid: 1000n, got: 7n })],
    ["Solidly, token1 paid", solidly(0n, 7n, 990n, 0n), swap({ paid0: false, paid: 7n, got: 990n })],
    ["Uniswap V3, token0 paid", v3(1000n, -7n), swap({ paid0: true, paid: 1000n, got: 7n })],
    ["Uniswap V3, token1 paid", v3(-990n, 7n), swap({ paid0: false, paid: 7n, got: 990n })],
    ["PancakeSwap V3, token0 paid", pancakeV3(1000n, -7n), swap({ paid0: true, paid: 1000n, got: 7n })],
    ["PancakeSwap V3, token1 paid", pancakeV3(-990n, 7n), swap({ paid0: false, paid: 7n, got: 990n })],
    // Its signs are the trader's, as in its own test: exact input of 100, amounts −100 and 98.
    ["Uniswap V4, currency0 paid", v4(-100n, 98n), swap({ paid0: true, paid: 100n, got: 98n }, managed)],
    ["Uniswap V4, currency1 paid", v4(98n, -100n), swap({ paid0: false, paid: 100n, got: 98n }, managed)],
    [
      "Uniswap V2, where some of what was bought went in too (a flash loan repaid in both, or dust)",
      v2(1000n, 2n, 0n, 9n),
      swap({ paid0: true, paid: 1000n, got: 7n }),
    ],
    [
      "Uniswap V2, the largest amounts",
      v2(2n ** 256n - 1n, 0n, 0n, 2n ** 256n - 1n),
      swap({ paid0: true, paid: 2n ** 256n - 1n, got: 2n ** 256n - 1n }),
    ],
    [
      "Uniswap V3, the largest amounts",
      v3(-(2n ** 255n), 2n ** 255n - 1n),
      swap({ paid0: false, paid: 2n ** 255n - 1n, got: 2n ** 255n }),
    ],
  ]
  test.each(cases)("%s", (_, log, event) => expect(decoded(log)).toEqual(event))
})

describe("a swap that moved nothing one way or the other is counted", () => {
  const cases: ReadonlyArray<[string, Log]> = [
    ["a flash loan repaid in kind", v2(1003n, 0n, 1000n, 0n)],
    ["both tokens in", v2(5n, 5n, 0n, 0n)],
    ["both tokens out", solidly(0n, 0n, 5n, 5n)],
    ["nothing at all", v2(0n, 0n, 0n, 0n)],
    ["dust that buys nothing", v3(1n, 0n)],
    ["nothing of V4 (a hook did it)", v4(0n, 0n)],
    ["both in, of V4", v4(-1n, -1n)],
  ]
  test.each(cases)("%s", (_, log) => expect(decoded(log)).toEqual(malformed))
})

describe("another shape is counted, never guessed", () => {
  const change = (log: Log, more: Partial<Log>): Log => ({ ...log, ...more })
  const long = (log: Log) => change(log, { data: `${log.data}${"0".repeat(64)}` })
  const short = (log: Log) => change(log, { data: log.data.slice(0, -64) })
  const ragged = (log: Log) => change(log, { data: `${log.data}00` })
  const poor = (log: Log) => change(log, { topics: log.topics.slice(0, 2) })
  const rich = (log: Log) => change(log, { topics: [...log.topics, hash("more")] })
  const wide = (log: Log) => change(log, { topics: [...log.topics.slice(0, -1), `0x${"f".repeat(64)}`] })
  const initialize = encoded("v4Initialize", [poolId, someone, other, 1, 1, other, 1n, 1], manager)
  const all = { v2: v2(1n, 0n, 0n, 1n), solidly: solidly(1n, 0n, 0n, 1n), v3: v3(1n, -1n) }
  const more = { pancakeV3: pancakeV3(1n, -1n), v4: v4(-1n, 1n), initialize }
  const cases = Object.entries({ ...all, ...more }).flatMap(([kind, log]) =>
    Object.entries({ long, short, ragged, poor, rich, wide }).map(([name, spoil]) => [`${kind}, ${name}`, spoil(log)]),
  ) as ReadonlyArray<[string, Log]>
  test.each(cases)("%s", (_, log) => expect(decoded(log)).toEqual(malformed))
})

describe("a V4 pool", () => {
  const [currency0, currency1] = [address(0), address(0x70)]
  const initialize = encoded(
    "v4Initialize",
    [poolId, getAddress(currency0), getAddress(currency1), 500, 10, other, 2n ** 96n, 0],
    manager,
  )

  test("is told by its Initialize, the native currency as the zero address", () => {
    expect(decoded(initialize)).toEqual({
      kind: "poolInitialized",
      pool: managed,
      token0: currency0,
      token1: currency1,
    })
  })

  test("counts at the configured pool managers only", () => {
    for (const log of [initialize, v4(-1n, 1n)]) expect(decoded(log, true, [])).toEqual(other_)
  })
})

test("where swaps are not followed their logs are nothing of ours", () => {
  for (const log of [v2(1n, 0n, 0n, 1n), v3(0n, 0n), v4(-1n, 1n)]) expect(decoded(log, false)).toEqual(other_)
})

describe("any amounts", () => {
  const unsigned = fc.oneof(fc.constant(0n), fc.bigInt(0n, 2n ** 256n - 1n), fc.bigInt(0n, 9n))
  const signed = (bits: bigint) => fc.oneof(fc.bigInt(-9n, 9n), fc.bigInt(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n))
  /** By what the pool gained of each. */
  const expected = (gain0: bigint, gain1: bigint, at: PoolKey = pool): TokenEvent =>
    gain0 * gain1 >= 0n
      ? malformed
      : swap(gain0 > 0n ? { paid0: true, paid: gain0, got: -gain1 } : { paid0: false, paid: gain1, got: -gain0 }, at)

  test("in V2's shape are what the pool gained of each token and gave of the other", () => {
    fc.assert(
      fc.property(unsigned, unsigned, unsigned, unsigned, (in0, in1, out0, out1) => {
        const truth = expected(in0 - out0, in1 - out1)
        expect(decoded(v2(in0, in1, out0, out1))).toEqual(truth)
        expect(decoded(solidly(in0, in1, out0, out1))).toEqual(truth)
      }),
    )
  })

  test("in V3's shapes likewise", () => {
    fc.assert(
      fc.property(signed(256n), signed(256n), (amount0, amount1) => {
        const truth = expected(amount0, amount1)
        expect(decoded(v3(amount0, amount1))).toEqual(truth)
        expect(decoded(pancakeV3(amount0, amount1))).toEqual(truth)
      }),
    )
  })

  test("in V4's shape with the signs turned", () => {
    fc.assert(
      fc.property(signed(128n), signed(128n), (amount0, amount1) => {
        expect(decoded(v4(amount0, amount1))).toEqual(expected(-amount0, -amount1, managed))
      }),
    )
  })

  test("of any topics and data never stop the decoder", () => {
    const topic = fc.oneof(
      fc.constantFrom(...(Object.values(swapTopics) as ReadonlyArray<Hex>)),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
      fc.constantFrom(`0x${"0".repeat(24)}${"a".repeat(40)}`),
    )
    const data = fc.uint8Array({ maxLength: 320 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`)
    const kinds = new Set(["swap", "poolInitialized", "malformed", "other"])
    fc.assert(
      fc.property(fc.array(topic, { maxLength: 4 }), data, (topicList, bytes) => {
        expect(kinds.has(decoded(logOf(topicList, bytes, manager)).kind)).toBe(true)
      }),
    )
  })
})
