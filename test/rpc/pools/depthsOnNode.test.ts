/** Uniswap's own pools on a real node: their depth is what swaps up to each price near theirs pay and take. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem"
import { encode } from "../../../demo/chain/abi.ts"
import { type Address, addressOf } from "../../../demo/chain/address.ts"
import { mineBlock } from "../../../demo/chain/blocks.ts"
import { compile } from "../../../demo/chain/compile.ts"
import { createContracts, type DemoChain, deployDemoChain } from "../../../demo/chain/deploy.ts"
import { makeMulticall } from "../../../src/adapters/rpc/contracts/multicall.ts"
import { depthReader } from "../../../src/adapters/rpc/pools/RpcPoolDepths.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import { makeClient, type RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { nearTicks } from "../../../src/domain/prices/nearDepth.ts"
import { maxTick, minTick, rootAt } from "../../../src/domain/prices/ticks.ts"
import type { FoundDepth } from "../../../src/ports/PoolDepths.ts"
import { startAnvil, type TestNode } from "../../support/nodes/anvil.ts"
import { run } from "../node.ts"

const proberAbi = parseAbi([
  "function probe(address pool, bool zeroForOne, uint160 limit) returns (int256 amount0, int256 amount1)",
  "function tickAt(address pool, uint160 root) returns (int24 tick)",
  "function enableFeeAmount(uint24 fee, int24 spacing)",
  "function createPool(address one, address other, uint24 fee)",
])

/** Fee in millionths, and the spacing of ticks that goes with it. */
const kinds = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10_000, 200],
] as const
const startTick = 12_345

let node: TestNode
let chain: DemoChain
let multicall: Address
let prober: Address
/** By fee; the one of 3 % has no price. */
const pools = new Map<number, Address>()

beforeAll(async () => {
  await Promise.all(["demo/contracts", "test/support/contracts"].map(compile))
  node = await startAnvil()
  chain = await deployDemoChain(node.url)
  const { accounts, tokens, trader, poolFactory } = chain
  const from = accounts[0]!
  const made = await createContracts(
    node.url,
    await compile("test/support/contracts"),
    ["Multicall3", "Prober"].map((name) => ({ name })),
  )
  multicall = made[0]!
  prober = made[1]!
  const own = [tokens.shell, tokens.dollar].flatMap((to) => [
    { from, to, data: encode("mint", [from, 10n ** 40n]) },
    { from, to, data: encode("approve", [trader, 2n ** 255n]) },
  ])
  const enable = (fee: number, spacing: number) => ({
    ...{ from, to: poolFactory },
    data: encodeFunctionData({ abi: proberAbi, functionName: "enableFeeAmount", args: [fee, spacing] }),
  })
  await node.mine([...own, enable(100, 1), enable(30_000, 100)])
  const args = (fee: number) => [tokens.shell, tokens.dollar, fee] as const
  const fees = [...kinds.map(([fee]) => fee), 30_000]
  const hashes = await mineBlock(
    node.url,
    fees.map((fee) => ({
      ...{ from, to: poolFactory },
      data: encodeFunctionData({ abi: proberAbi, functionName: "createPool", args: args(fee) }),
    })),
  )
  for (const [place, fee] of fees.entries()) {
    const { logs } = await node.rpc<{ logs: ReadonlyArray<{ data: string }> }>("eth_getTransactionReceipt", [
      hashes[place]!,
    ])
    pools.set(fee, addressOf(`0x${logs[0]!.data.slice(90, 130)}`))
  }
  const root = (rootAt(startTick) + rootAt(startTick + 1)) / 2n
  await node.mine(kinds.map(([fee]) => ({ from, to: pools.get(fee)!, data: encode("initialize", [root]) })))
  await node.mine(kinds.flatMap(([fee, spacing]) => provided(fee, spacing)))
  await node.mineEmpty(3)
})
afterAll(() => node?.stop())

/** A wide position and some near the price, of all widths. */
const positionsOf = (spacing: number) => {
  const down = (tick: number) => Math.floor(tick / spacing) * spacing
  const widest = Math.floor(maxTick / spacing) * spacing
  const near = Array.from({ length: 40 }, (_, place) => {
    const width = spacing * (1 + ((place * 7) % 60))
    const lower = down(startTick - width + ((place * 137) % 900) - 300)
    return [lower, lower + width + spacing * (place % 3), BigInt(1 + ((place * place) % 11)) * 10n ** 26n] as const
  })
  return [[-widest, widest, 10n ** 26n] as const, ...near]
}
const provided = (fee: number, spacing: number) =>
  positionsOf(spacing).map((position) => ({
    ...{ from: chain.accounts[0]!, to: chain.trader },
    data: encode("provideAt", [pools.get(fee)!, ...position]),
  }))

const call = async (data: `0x${string}`, block?: number) => {
  const at = block === undefined ? "latest" : `0x${block.toString(16)}`
  return node.rpc<`0x${string}`>("eth_call", [{ to: prober, data, gas: "0x1c9c380" }, at])
}
const probe = async (pool: Address, isDown: boolean, limit: bigint, block: number) => {
  const [abi, functionName] = [proberAbi, "probe"] as const
  const data = await call(encodeFunctionData({ abi, functionName, args: [pool, isDown, limit] }), block)
  return decodeFunctionResult({ abi, functionName, data })
}
const tickAt = async (pool: Address, root: bigint) => {
  const [abi, functionName] = [proberAbi, "tickAt"] as const
  return decodeFunctionResult({
    abi,
    functionName,
    data: await call(encodeFunctionData({ abi, functionName, args: [pool, root] })),
  })
}

/** A client that notes how many `eth_call`s it makes. */
const watched = () => {
  let calls = 0
  const client = makeClient([node.url], { concurrency: 4, attempts: 2 })
  const batch = <Value>(given: ReadonlyArray<RpcCall<Value>>) => {
    calls += given.filter(({ method }) => method === "eth_call").length
    return client.batch(given)
  }
  return { calls: () => calls, client: { ...client, batch } as RpcClient }
}
const read = (asked: ReadonlyArray<Address>, at?: number) => run(depthReader({ client: watched().client })(asked, at))

/** The reserves of the V2 pool that pays and takes no more than this one on the way to any of many prices near its own. */
const probed = async (fee: number, spacing: number, block: number) => {
  const { lowest, highest } = nearTicks(startTick)
  const root = (rootAt(startTick) + rootAt(startTick + 1)) / 2n
  const least: [bigint, bigint] = [2n ** 256n, 2n ** 256n]
  const limits = new Set<number>()
  for (const [lower, upper] of positionsOf(spacing)) limits.add(lower).add(upper)
  for (let tick = lowest; tick < highest; tick += 50) limits.add(tick)
  limits.add(highest)
  for (const tick of limits) {
    if (tick < lowest || tick > highest) continue
    const limit = rootAt(tick)
    const isDown = limit < root
    const amounts = await probe(pools.get(fee)!, isDown, limit, block)
    // What is paid in is that and the fee.
    const moved = amounts.map((amount) => (amount < 0n ? -amount : (amount * BigInt(1_000_000 - fee)) / 1_000_000n))
    const way = isDown ? root - limit : limit - root
    const reserves = [(moved[0]! * limit) / way, (moved[1]! * root) / way]
    for (const side of [0, 1] as const) if (reserves[side]! < least[side]) least[side] = reserves[side]!
  }
  return least
}
const expectNear = (depth: FoundDepth | undefined, [of0, of1]: readonly [bigint, bigint]) => {
  const [token0, token1] = [chain.tokens.shell, chain.tokens.dollar].toSorted() as [Address, Address]
  const found = depth as ReadonlyMap<string, bigint>
  expect([...found.keys()]).toEqual([token0, token1])
  // Swaps round at every step, in favour of the pool.
  for (const [token, reserve] of [
    [token0, of0],
    [token1, of1],
  ] as const) {
    expect(Math.abs(Number(found.get(token)!) / Number(reserve) - 1)).toBeLessThan(1e-9)
  }
}

describe("the depth of a pool", () => {
  test.each([...kinds])(
    "with a fee of %i and a spacing of %i is what its own swaps pay and take",
    async (fee, spacing) => {
      const head = await node.head()
      const [depth] = await read([pools.get(fee)!], head)
      expectNear(depth, await probed(fee, spacing, head))
    },
    20_000,
  )

  test("is asked of all in a few requests, through Multicall3 too; of V2 pools and others what they are", async () => {
    const asked = [
      ...pools.values(),
      chain.pairs[0].address,
      chain.tokens.dollar,
      chain.accounts[0]!,
      chain.pool.address,
    ]
    const [plain, together] = [watched(), watched()]
    const one = await run(depthReader({ client: plain.client })(asked))
    const reader = depthReader({ client: together.client, multicall: makeMulticall(together.client, multicall) })
    expect(await run(reader(asked))).toEqual(one)
    expect((one as ReadonlyArray<unknown>).map((depth) => (typeof depth === "object" ? "deep" : depth))).toEqual([
      ...["deep", "deep", "deep", "deep"],
      // It has no price.
      undefined,
      "held",
      // Neither a token nor an account has any function of a pool.
      "silent",
      "silent",
      undefined,
    ])
    expect(together.calls() < plain.calls() / 5).toBe(true)
    const before = together.calls()
    await run(reader(asked))
    // Its kinds are known now.
    expect(together.calls() - before < before).toBe(true)
  })

  test("is that after the block that is asked, and of the newest some blocks ago", async () => {
    const pool = pools.get(3000)!
    const before = await node.head()
    await node.mine([
      {
        ...{ from: chain.accounts[0]!, to: chain.trader },
        data: encode("provideAt", [pool, 0, 60_000, 10n ** 27n]),
      },
    ])
    const depthAt = async (block?: number) => (await read([pool], block))[0] as ReadonlyMap<string, bigint>
    const [then, now] = [await depthAt(before), await depthAt(before + 1)]
    expect(now).not.toEqual(then)
    expect(await depthAt()).toEqual(then)
    await node.mineEmpty(2)
    expect(await depthAt()).toEqual(now)
  })
})

test("the root of a tick is the one at which Uniswap's own contract comes to it", async () => {
  const unpriced = pools.get(30_000)!
  const ticks = [minTick + 1, -887_220, -1, 0, 1, 2, 3, 5, 8, 887_220, maxTick - 1]
  for (let power = 4; power < 20; power++) ticks.push(2 ** power, -(2 ** power), 2 ** power - 1, 1 - 2 ** power)
  for (const tick of ticks) {
    const found = [await tickAt(unpriced, rootAt(tick)), await tickAt(unpriced, rootAt(tick) - 1n)]
    expect(found).toEqual([tick, tick - 1])
  }
})
