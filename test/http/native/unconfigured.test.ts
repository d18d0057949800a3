/** Not configured or not there: swaps, trusted tokens and native supply check what they are asked, and have nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { ChainId } from "../../../src/model/primitives.ts"
import type { NativeSupply } from "../../../src/model/supply.ts"
import type { StoredSwap } from "../../../src/model/swap.ts"
import { NativeSupplySource } from "../../../src/ports/NativeSupplySource.ts"
import { SwapStore } from "../../../src/ports/SwapStore.ts"
import { TrustedTokens } from "../../../src/ports/TrustedTokens.ts"
import { always } from "../../support/always.ts"
import { hash } from "../../support/chain/testChain.ts"
import { prefix, startService } from "../support.ts"
import { gold, salt, startWorld } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const [ethereum, avalanche] = [ChainId.make("1"), ChainId.make("43114")]
const avax = prefix("43114")
const invalid = (message: string) => ({
  status: 400,
  body: { statusCode: 400, code: "INVALID_PARAMETER", error: "Bad Request", message },
})
const nothing = { status: 200, body: { items: [], link: {} } }

describe("`/top-erc20` without a token list and `/erc20-swaps` without a swap check their parameters, then answer 200 with empty `items`", () => {
  test.each([
    "/erc20-swaps",
    `/erc20-swaps?token=${gold},${salt}&tokenIn=${gold}&tokenOut=${salt}&sort=asc&limit=1000`,
    `/erc20-swaps?token=${gold}&token=${salt.toUpperCase().replace("X", "x")}&sort=timestamp,desc`,
    "/top-erc20",
    "/top-erc20?sort=",
    ...["marketCap", "createdAt", "holdersCount", "transfers", "name"].flatMap((field) =>
      ["", ",asc", ",desc"].map((direction) => `/top-erc20?sort=${field}${direction}&limit=1`),
    ),
  ])("%s", async (path) => {
    for (const chain of ["43114", "all", "10"]) {
      expect(await service.get(prefix(chain) + path)).toEqual(nothing)
      const counted = `${prefix(chain)}${path}${path.includes("?") ? "&" : "?"}count=true`
      expect((await service.get(counted)).body).toEqual({ items: [], count: 0, countType: "exact", link: {} })
    }
  })

  const swapAddress = "expected an address: 0x and 40 hex digits"
  const topSort =
    "sort: expected marketCap, createdAt, holdersCount, transfers or name, with ,asc or ,desc behind it or nothing"
  test.each([
    ["/erc20-swaps?token=x", `token: ${swapAddress}, got x`],
    ["/erc20-swaps?tokenIn=", `tokenIn: ${swapAddress}, got nothing`],
    [`/erc20-swaps?tokenOut=${gold},`, `tokenOut: ${swapAddress}, got nothing`],
    [`/erc20-swaps?token=${Array(51).fill(gold).join()}`, "token: expected up to 50 addresses, got 51"],
    ["/erc20-swaps?sort=price", "sort: expected asc or desc, with timestamp, before it or nothing, got price"],
    ["/erc20-swaps?limit=0", "limit: expected a whole number from 1 to 1000, got 0"],
    ["/top-erc20?sort=price", `${topSort}, got price`],
    ["/top-erc20?sort=marketCap,up", `${topSort}, got marketCap,up`],
    ["/top-erc20?limit=1001", "limit: expected a whole number from 1 to 1000, got 1001"],
  ])("%s is a 400", async (path, message) => {
    expect(await service.get(avax + path)).toEqual(invalid(message))
  })

  test("a cursor that no page of theirs gave is a 400 `INVALID_CURSOR`", async () => {
    const { link } = (await service.get(`${avax}/erc20-transfers?limit=1`)).body
    for (const path of ["/erc20-swaps", "/top-erc20"]) {
      const { status, body } = await service.get(`${avax}${path}?next=${link.nextToken}`)
      expect([status, body.code]).toEqual([400, "INVALID_CURSOR"])
    }
  })

  test("as-of headers stand, of the chains that are selected", async () => {
    for (const path of ["/erc20-swaps", "/top-erc20"]) {
      const asOf = async (query: string) =>
        (await service.fetch(`${prefix("all")}${path}${query}`)).headers.get("x-as-of-block")
      expect(await asOf("")).toBe("1:22,43114:4")
      expect(await asOf("?excludedChainIds=1")).toBe("43114:4")
    }
  })
})

describe("A chain without a configured source: 404 `SUPPLY_NOT_CONFIGURED`", () => {
  const notConfigured = (message: string) => ({
    status: 404,
    body: { statusCode: 404, code: "SUPPLY_NOT_CONFIGURED", error: "Not Found", message },
  })

  test("for a chain, and for `all` when no chain has one", async () => {
    expect(await service.get(`${avax}/supply`)).toEqual(notConfigured("chain 43114 has no source of its native supply"))
    expect(await service.get(`${prefix("all")}/supply`)).toEqual(
      notConfigured("no chain of this network has a source of its native supply"),
    )
    expect((await service.fetch(`${avax}/supply`)).headers.get("x-as-of-block")).toBe("43114:4")
  })

  test("an unknown chain is unknown first", async () => {
    expect((await service.get(`${prefix("999")}/supply`)).body.code).toBe("CHAIN_NOT_SUPPORTED")
  })
})

describe("a source that is configured is asked for exactly what the caller asked", () => {
  test("supply: of a chain its own object, of `all` those that have a source", async () => {
    const supplyOf = (chainId: ChainId): NativeSupply => ({
      chainId,
      symbol: "AVAX",
      totalSupply: "462451837.19",
      circulatingSupply: "422276596",
      blockNumber: 4,
      timestamp: "2026-01-02T03:04:05.000Z",
    })
    const withSupply = await startService({
      replace: Layer.succeed(NativeSupplySource, {
        find: (chainId) =>
          Effect.succeed(chainId === "10" ? undefined : { supply: supplyOf(chainId), ageSeconds: Number(chainId) }),
      }),
    })
    const get = (chain: string) => withSupply.get(`${prefix(chain)}/supply`)
    expect(await get("43114")).toEqual({ status: 200, body: supplyOf(avalanche) })
    expect(await get("all")).toEqual({ status: 200, body: { chains: [supplyOf(ethereum), supplyOf(avalanche)] } })
    expect((await get("10")).status).toBe(404)
    const age = async (chain: string) => (await withSupply.fetch(`${prefix(chain)}/supply`)).headers.get("age")
    expect([await age("1"), await age("43114"), await age("all")]).toEqual(["1", "43114", "43114"])
    await withSupply.close()
  })

  test("swaps and trusted tokens: resolved filters, sort and place; their cursors are followed", async () => {
    const asked: Array<unknown> = []
    const unused = Effect.die("not asked")
    const swap: StoredSwap = {
      chainId: avalanche,
      txHash: hash("swap"),
      time: 1_767_323_045,
      tokenIn: gold,
      tokenOut: salt,
      tokenInQty: "2",
      tokenOutQty: "3",
      tokenInDecimals: 0,
      tokenOutDecimals: 0,
    }
    const place = { time: 1_700_000_000, chainId: avalanche, blockNumber: 3, logIndex: 1, sub: 0 }
    const top = { value: "123000000000000000000", chainId: avalanche, address: gold }
    const recording = await startService({
      replace: Layer.merge(
        Layer.succeed(
          SwapStore,
          always(unused, {
            list: (query) => {
              asked.push(query)
              return Effect.succeed({ asOf: [], value: { items: [swap], keys: [place], hasMore: true } })
            },
          }),
        ),
        Layer.succeed(
          TrustedTokens,
          always(unused, {
            list: (query) => {
              asked.push(query)
              const item = { chainId: avalanche, address: gold, marketCap: top.value }
              return Effect.succeed({ asOf: [], value: { items: [item], keys: [top], hasMore: true } })
            },
          }),
        ),
      ),
    })
    const swaps = `${avax}/erc20-swaps?tokenIn=${salt},${gold}&sort=asc&limit=1`
    const first = await recording.get(swaps)
    const { time: _, ...said } = swap
    expect(first.body.items).toEqual([{ ...said, timestamp: "2026-01-02T03:04:05.000Z", price: 1.5 }])
    await recording.get(first.body.link.next)
    const trusted = await recording.get(`${avax}/top-erc20?limit=1`)
    await recording.get(trusted.body.link.next)
    const swapsAsked = {
      chains: ["43114"],
      filter: { tokenIn: [gold, salt] },
      direction: "asc",
      page: { limit: 1 },
      count: false,
    }
    const tokensAsked = {
      chains: ["43114"],
      sort: { field: "marketCap", direction: "desc" },
      page: { limit: 1 },
      count: false,
    }
    expect(asked).toEqual([
      swapsAsked,
      { ...swapsAsked, page: { limit: 1, after: place } },
      tokensAsked,
      { ...tokensAsked, page: { limit: 1, after: top } },
    ])
    await recording.close()
  })
})
