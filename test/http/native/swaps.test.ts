/** `/erc20-swaps`: rows, filters alone and together, orders, chains, walks and counts, against a plain list of what was swapped. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { isManaged, managedPool, type PoolKey } from "../../../src/model/poolKey.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import { TokenNotes } from "../../../src/ports/TokenNotes.ts"
import {
  address,
  initialize,
  managedSwap,
  swap as poolSwap,
  TestChain,
  type TestEvent,
  transfer,
} from "../../support/chain/testChain.ts"
import { chains, exampleFactory, type Json, prefix, startService, type TestService } from "../support.ts"

const [gold, dollar, salt, rare] = [address(0xa1), address(0xa2), address(0xa3), address(0xa4)]
const native = address(0)
const [pairs, pool, mute, manager] = [address(0x51), address(0x52), address(0x53), address(0x4a)]
const [stranger, unlabelled] = [address(0xfac), manager]
const poolId = `0x${"7".repeat(64)}`

interface Pool {
  readonly key: PoolKey
  readonly tokens: readonly [Address, Address]
  readonly decimals: readonly [number, number]
  readonly factory?: Address
  /** What the answer says of its maker. */
  readonly maker: { readonly dex?: string; readonly sourceDeployer?: string }
}
const pools: ReadonlyArray<Pool> = [
  {
    key: pairs,
    tokens: [gold, dollar],
    decimals: [18, 6],
    factory: exampleFactory,
    maker: { dex: "Example DEX V2", sourceDeployer: "Example DEX" },
  },
  { key: pool, tokens: [salt, gold], decimals: [0, 18], factory: stranger, maker: { sourceDeployer: stranger } },
  { key: mute, tokens: [rare, dollar], decimals: [255, 6], maker: {} },
  {
    key: managedPool(manager, poolId),
    tokens: [native, dollar],
    decimals: [18, 6],
    factory: manager,
    maker: { dex: "Managed", sourceDeployer: manager },
  },
]

/** A swap as it is made, and the row that it must be. */
interface Made {
  readonly event: TestEvent
  readonly row: Json
}

/** `blocks` of up to 4 swaps; the rare pair is met three times in the middle. */
const swapsOf = (blocks: number): ReadonlyArray<ReadonlyArray<Made>> => {
  let made = 0
  return Array.from({ length: blocks }, (_, block) =>
    Array.from({ length: block % 5 }, (): Made => {
      const number = made++
      const seldom = number % 37 === 11
      const { key, tokens, decimals, maker } = pools[seldom ? 2 : [0, 1, 3, 0][number % 4]!]!
      const paid0 = number % 3 !== 1
      // A power of ten, so that the price can be written in decimal.
      const [paid, got] = [10n ** BigInt(number % 9), BigInt(2 * number + 1)]
      const [tokenIn, tokenOut] = paid0 ? tokens : ([tokens[1], tokens[0]] as const)
      const [tokenInDecimals, tokenOutDecimals] = paid0 ? decimals : [decimals[1], decimals[0]]
      const sides = { paid0, paid, got }
      return {
        event: isManaged(key) ? managedSwap(manager, poolId, sides) : poolSwap(key, sides),
        row: {
          price: Number(`${got}e${tokenInDecimals - tokenOutDecimals - (number % 9)}`),
          ...maker,
          tokenIn,
          tokenOut,
          tokenInQty: String(paid),
          tokenOutQty: String(got),
          tokenInDecimals,
          tokenOutDecimals,
        },
      }
    }),
  )
}

const chainOf = (first: number, time: number, blocks: ReadonlyArray<ReadonlyArray<Made>>) => {
  const chain = new TestChain(new Set(), first, time, new Set([manager]))
  for (const { key, tokens, decimals, factory } of pools) {
    const [token0, token1] = tokens
    const [decimals0, decimals1] = decimals
    chain.pools.set(key, { pool: key, token0, token1, decimals0, decimals1, ...(factory ? { factory } : {}) })
  }
  chain.block([transfer(gold, native, dollar, 5n), initialize(manager, poolId, native, dollar)])
  for (const made of blocks) chain.block(made.map(({ event }) => event))
  return chain
}

/** The rows of a chain as the feed must have them, oldest first. */
const rowsOf = (chainId: string, chain: TestChain, blocks: ReadonlyArray<ReadonlyArray<Made>>): ReadonlyArray<Json> =>
  blocks.flatMap((made, block) =>
    made.map(({ row }, index) => {
      const { header, logs } = chain.blocks[block + 1]!
      const time = new Date(header.time * 1000).toISOString()
      const dex = chainId === "43114" || row.dex === undefined ? {} : { dex: undefined }
      return { chainId, txHash: logs[index]!.txHash, timestamp: time, ...row, ...dex }
    }),
  )

const [many, few] = [swapsOf(60), swapsOf(12)]
const avalanche = chainOf(0, 1_700_000_000, many)
/** Its blocks lie between those of the other. */
const ethereum = chainOf(20, 1_700_000_005, few)
const fuji = chainOf(0, 1_700_000_000, few)

let service: TestService
let rows: ReadonlyArray<Json>
let others: ReadonlyArray<Json>
const avax = `${prefix("43114")}/erc20-swaps`
const all = `${prefix("all")}/erc20-swaps`

const seed = async (chainId: string, chain: TestChain) => {
  const writer = await service.open(chainId, chain.firstBlock, [manager])
  await service.run(writer.append(chain.segment(chain.firstBlock)))
  return writer
}

beforeAll(async () => {
  const named = chains.map((chain) => {
    if (chain.chainId !== "43114") return chain
    return { ...chain, factories: new Map([...chain.factories!, [unlabelled, { dex: "Managed" }]]) }
  })
  service = await startService({ chains: named })
  await seed("43114", avalanche)
  await seed("1", ethereum)
  await seed("43113", fuji)
  rows = rowsOf("43114", avalanche, many)
  // The other chain has no names for anybody.
  others = rowsOf("1", ethereum, few).map(({ dex: _, sourceDeployer, ...row }) => ({
    ...row,
    ...(sourceDeployer === undefined
      ? {}
      : { sourceDeployer: sourceDeployer === "Example DEX" ? exampleFactory : sourceDeployer }),
  }))
})
afterAll(() => service.close())

const get = async (path: string): Promise<Json> => {
  const { status, body } = await service.get(path)
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
  return body
}
const itemsOf = async (path: string) =>
  (await get(`${path}${path.includes("?") ? "&" : "?"}limit=1000`)).items as ReadonlyArray<Json>
const newestFirst = (list: ReadonlyArray<Json>) => list.toReversed()

test("every swap is a row, newest first, with what its pool and the chain's table of factories say", async () => {
  expect(rows.length).toBe(120)
  expect(await itemsOf(avax)).toEqual(newestFirst(rows))
  expect(newestFirst(rows).find(({ tokenIn }) => tokenIn === native)).toMatchObject({
    dex: "Managed",
    sourceDeployer: manager,
    tokenOut: dollar,
    tokenInDecimals: 18,
    tokenOutDecimals: 6,
  })
})

test("trusted=true has those between tokens of lists, and the native currency", async () => {
  const listed = [gold, dollar]
  for (const chainId of ["43114", "1"]) {
    const notes = listed.map((token) => ({ address: token, trusted: true, texts: {} }))
    await service.run(TokenNotes.use((port) => port.record(ChainId.make(chainId), notes)))
  }
  const isListed = (row: Json) =>
    [row.tokenIn, row.tokenOut].every((token) => token === native || listed.includes(token))
  const wanted = newestFirst(rows).filter(isListed)
  expect(wanted.length).toBeGreaterThan(10)
  expect(wanted.length).toBeLessThan(rows.length)
  expect(await itemsOf(`${avax}?trusted=true`)).toEqual(wanted)
  expect(await itemsOf(`${avax}?trusted=false`)).toEqual(newestFirst(rows))
  expect((await get(`${avax}?trusted=true&count=true&limit=1`)).count).toBe(wanted.length)
  expect(await itemsOf(`${avax}?trusted=true&tokenIn=${gold}`)).toEqual(wanted.filter((row) => row.tokenIn === gold))
  const both = await itemsOf(`${all}?trusted=true&includedChainIds=43114,1`)
  expect(both).toHaveLength(wanted.length + others.filter(isListed).length)
  for (const value of ["1", "TRUE", "", "true,true", "%00"]) {
    const { status } = await service.get(`${avax}?trusted=${value}`)
    expect([value, status]).toEqual([value, 400])
  }
})

const orders: ReadonlyArray<readonly [string, (list: ReadonlyArray<Json>) => ReadonlyArray<Json>]> = [
  ["", newestFirst],
  ["sort=desc&", newestFirst],
  ["sort=timestamp,desc&", newestFirst],
  ["sort=asc&", (list) => list],
  ["sort=timestamp,asc&", (list) => list],
]

describe("a filter lets through what it names", () => {
  const anyOf = (given: string | undefined, ...tokens: ReadonlyArray<string>) =>
    given === undefined || given.split(",").some((wanted) => tokens.includes(wanted.toLowerCase()))
  const passes =
    ({ token, tokenIn, tokenOut }: Readonly<Record<string, string>>) =>
    (row: Json) =>
      anyOf(token, row.tokenIn, row.tokenOut) && anyOf(tokenIn, row.tokenIn) && anyOf(tokenOut, row.tokenOut)
  const shouted = `0x${gold.slice(2).toUpperCase()}`
  const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, number]> = [
    [{ token: dollar }, 91],
    [{ token: rare }, 3],
    [{ tokenIn: gold }, 0],
    [{ tokenOut: gold }, 0],
    [{ tokenIn: native }, 0],
    [{ tokenIn: gold, tokenOut: dollar }, 0],
    [{ tokenIn: dollar, tokenOut: gold }, 0],
    [{ tokenIn: rare, tokenOut: dollar }, 0],
    [{ tokenIn: dollar, tokenOut: rare }, 0],
    [{ tokenIn: gold, tokenOut: gold }, -1],
    [{ token: salt, tokenOut: gold }, 0],
    [{ token: salt, tokenIn: dollar }, -1],
    [{ token: `${salt},${rare}` }, 0],
    [{ tokenIn: `${salt},${native}` }, 0],
    [{ tokenOut: `${salt},${rare},${native}` }, 0],
    [{ tokenIn: `${gold},${salt}`, tokenOut: `${dollar},${gold}` }, 0],
    [{ token: `${gold},${rare}`, tokenIn: `${dollar},${salt}`, tokenOut: `${gold},${rare}` }, 0],
    [{ token: address(0x77) }, -1],
    [{ tokenOut: `${address(0x77)},${dollar}` }, 0],
    [{ tokenIn: shouted, token: `${dollar},${dollar}` }, 0],
  ]
  test.each(cases)("%o", async (filter, known) => {
    const query = Object.entries(filter)
      .map(([name, value]) => `${name}=${value}`)
      .join("&")
    const wanted = rows.filter(passes(filter))
    // 0 = some, −1 = none.
    if (known > 0) expect(wanted.length).toBe(known)
    else expect(wanted.length > 0).toBe(known === 0)
    for (const [order, sorted] of orders) {
      expect(await itemsOf(`${avax}?${order}${query}`)).toEqual([...sorted(wanted)])
    }
    expect(await get(`${avax}?${query}&count=true&limit=1`)).toMatchObject({
      count: wanted.length,
      countType: "exact",
    })
    const repeated = query.replaceAll(",", `&${query.split("=")[0]}=`)
    if (Object.keys(filter).length === 1) expect(await itemsOf(`${avax}?${repeated}`)).toEqual([...newestFirst(wanted)])
  })
})

describe("the chains", () => {
  const together = () => {
    const key = ({ timestamp, chainId }: Json) => `${timestamp} ${String(chainId).padStart(9, "0")}`
    // Stable: within a chain the order is the chain's own.
    return [...rows, ...others].toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
  }

  test("of the network come together by time, chain and place, and only they", async () => {
    expect(others.length).toBe(21)
    expect(await itemsOf(`${all}?sort=asc`)).toEqual(together())
    expect(await itemsOf(all)).toEqual(newestFirst(together()))
    expect((await itemsOf(`${prefix("all", "testnet")}/erc20-swaps`)).length).toBe(21)
  })

  test("are those that the selectors leave", async () => {
    for (const [query, wanted] of [
      ["?ecosystem=avalanche", rows],
      ["?ecosystem=43114", rows],
      ["?ecosystem=ethereum", others],
      ["?ecosystem=nobody", []],
      ["?includedChainIds=1", others],
      ["?includedChainIds=43114,999", rows],
      ["?excludedChainIds=1", rows],
      ["?excludedChainIds=43114,1", []],
      ["?includedChainIds=1,43114&excludedChainIds=43114", others],
      ["?ecosystem=ethereum&excludedChainIds=10", others],
    ] as const) {
      expect(await itemsOf(all + query)).toEqual([...newestFirst(wanted)])
    }
  })

  test("have one filter between them", async () => {
    const wanted = together().filter(({ tokenIn }) => tokenIn === dollar)
    expect(wanted.some(({ chainId }) => chainId === "1")).toBe(true)
    expect(await itemsOf(`${all}?tokenIn=${dollar}`)).toEqual(newestFirst(wanted))
    expect(await get(`${all}?tokenIn=${dollar}&count=true&limit=2`)).toMatchObject({
      count: wanted.length,
      countType: "exact",
    })
    expect(await get(`${all}?count=true`)).toMatchObject({ count: 141, countType: "exact" })
  })
})

describe("a walk", () => {
  const walk = async (path: string, limit: number) => {
    const forward: Array<Json> = []
    const sized = `${path}${path.includes("?") ? "&" : "?"}limit=${limit}`
    let body = await get(sized)
    expect(body.link.prev).toBeUndefined()
    for (;;) {
      forward.push(...body.items)
      if (body.link.next === undefined) break
      expect(body.items.length).toBe(limit)
      body = await get(body.link.next)
    }
    let backward: Array<Json> = [...body.items]
    while (body.link.prev !== undefined) {
      body = await get(body.link.prev)
      backward = [...body.items, ...backward]
    }
    return { forward, backward }
  }
  test.each([
    ["", [7, 40, 1000]],
    ["?sort=asc", [7, 60]],
    [`?token=${rare}`, [1, 2, 3]],
    [`?tokenIn=${dollar}&tokenOut=${rare}&sort=asc`, [1]],
    [`?token=${gold},${rare}`, [9]],
    [`?tokenOut=${gold},${dollar}&sort=asc`, [11]],
  ] as const)("of a chain, %s", async (query, limits) => {
    const whole = await itemsOf(avax + query)
    for (const limit of limits) {
      const { forward, backward } = await walk(avax + query, limit)
      expect(forward).toEqual([...whole])
      expect(backward).toEqual([...whole])
    }
  })

  test.each(["", "?sort=asc", `?tokenIn=${dollar}`, `?token=${rare}&sort=asc`])("of all chains, %s", async (query) => {
    const whole = await itemsOf(all + query)
    for (const limit of [1, 10]) {
      const { forward, backward } = await walk(all + query, limit)
      expect(forward).toEqual([...whole])
      expect(backward).toEqual([...whole])
    }
  })

  test("goes on with its own filter and order only", async () => {
    const { link } = await get(`${avax}?tokenIn=${dollar}&limit=1`)
    expect(
      (await service.get(`${avax}?tokenIn=0x${dollar.slice(2).toUpperCase()}&next=${link.nextToken}`)).status,
    ).toBe(200)
    for (const query of ["", `?tokenOut=${dollar}`, `?token=${dollar}`, `?tokenIn=${dollar}&sort=asc`]) {
      const joint = query === "" ? "?" : "&"
      const { status, body } = await service.get(`${avax}${query}${joint}next=${link.nextToken}`)
      expect([status, body.code]).toEqual([400, "INVALID_CURSOR"])
    }
  })
})

test("what blocks brought they take with them, and the count says so", async () => {
  const growing = chainOf(0, 1_700_000_000, many)
  const writer = await service.open("10", 0, [manager])
  await service.run(writer.append(growing.segment(0)))
  const path = `${prefix("10")}/erc20-swaps`
  const before = await get(`${path}?count=true&limit=1000`)
  expect(before.count).toBe(120)
  await service.run(writer.rollback(40))
  const left = many.slice(0, 39).flat().length
  const after = await get(`${path}?count=true&limit=1000`)
  expect(after.items).toEqual(before.items.slice(120 - left))
  expect(after.count).toBe(left)
  await service.run(writer.append(growing.segment(40)))
  expect(await get(`${path}?count=true&limit=1000`)).toEqual(before)
})

test("a filtered count stops at 10,000 and says so; the count of all is exact", async () => {
  const busy = await startService()
  const chain = chainOf(0, 1_700_000_000, [])
  const sides = { paid0: true, paid: 5n, got: 1n }
  for (let block = 0; block < 11; block++) chain.block(Array.from({ length: 1000 }, () => poolSwap(pool, sides)))
  const writer = await busy.open("43114", 0, [manager])
  await busy.run(writer.append(chain.segment(0)))
  const countOf = async (query: string) => {
    const { count, countType } = (await busy.get(`${avax}?count=true&limit=1${query}`)).body
    return [count, countType]
  }
  expect(await countOf("")).toEqual([11_000, "exact"])
  expect(await countOf(`&token=${gold}`)).toEqual([10_000, "lowerBound"])
  expect(await countOf(`&tokenOut=${salt}`)).toEqual([0, "exact"])
  await busy.close()
})
