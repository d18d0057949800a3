/** Totals and lists of what addresses hold, where figures of the ledger are in doubt: they say of how many, and the header how much. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryStore from "../../../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../../../src/adapters/postgres/PostgresStore.ts"
import type { AuditState } from "../../../../src/model/audit.ts"
import { oneDollar } from "../../../../src/model/price.ts"
import { type Address, ChainId, zeroAddress as zero } from "../../../../src/model/primitives.ts"
import { AuditStore } from "../../../../src/ports/AuditStore.ts"
import { TokenPrices } from "../../../../src/ports/TokenPrices.ts"
import { TokenViews } from "../../../../src/ports/TokenViews.ts"
import { address, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { testDatabase } from "../../../support/postgres.ts"
import { type Json, prefix, startService, store, type TestService } from "../../support.ts"

const [ann, bob, cat] = [address(0xa1), address(0xa2), address(0xa3)]
const [gold, sand, mist] = [address(0xc1), address(0xc2), address(0xc3)]
const hour = 3600
const begin = 472_000 * hour

/** A block an hour. Bob has what nobody doubts where the ledger is whole. */
const chainOf = (firstBlock: number): TestChain => {
  const chain = new TestChain(new Set(), firstBlock)
  for (let block = 0; block < 4; block++)
    chain.block(
      [
        ...[gold, sand, mist].map((token) => transfer(token, zero, ann, 100n)),
        transfer(gold, zero, bob, 100n),
        ...(block === 3 ? [transfer(sand, ann, cat, 1n)] : []),
      ],
      { time: begin + hour * block },
    )
  return chain
}

const stores = {
  memory: async () => MemoryStore.layer,
  "PostgreSQL 18": async () => PostgresStore.layer({ url: await testDatabase() }),
}
/** What contracts say, where they are asked. */
let told: bigint | undefined
const views = Layer.succeed(TokenViews, {
  ask: (_, questions) => Effect.succeed(questions.map(() => told)),
  perCall: () => 100,
}) as unknown as Layer.Layer<never>

describe.each(Object.entries(stores))("figures in doubt on %s", (_, makeStore) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({
      storeLayer: await makeStore(),
      replace: views,
      compatShapes: ["alchemy", "sim", "goldrush"],
    })
    const put = async (chainId: ChainId, token: Address, state: AuditState, to?: number) => {
      const breadth = { top: 0, recent: 0, places: [] }
      const { value } = await service.run(AuditStore.use((it) => it.sample(chainId, { tokens: [token] }, breadth)))
      const differed = to === undefined ? {} : { differed: { from: to, to } }
      const record = { state, blockNumber: 3, time: begin, compared: 1, watched: [], ...differed }
      await service.run(AuditStore.use((it) => it.record(chainId, [{ token: value[0]!.token, record }])))
    }
    for (const [id, firstBlock] of [
      ["43114", 0],
      ["1", 120],
    ] as const) {
      const chainId = ChainId.make(id)
      const words = Object.fromEntries([gold, sand, mist].map((token) => [token, { decimals: 0 }]))
      await store(service, id, chainOf(firstBlock), words)
      const prices = [gold, sand].map((token) => ({ address: token, price: oneDollar }))
      await service.run(TokenPrices.use((port) => port.record(chainId, prices)))
      await service.run(TokenPrices.use((port) => port.recordHour(chainId, begin / hour, prices, begin / hour + 9)))
    }
    await put(ChainId.make("43114"), gold, "exact", 1)
    await put(ChainId.make("43114"), sand, "rebasing")
  })
  afterAll(() => service.close())

  const at = async (path: string, init?: RequestInit) => {
    told = undefined
    const response = await service.fetch(path, init)
    expect([path, response.status]).toEqual([path, 200])
    return { state: response.headers.get("x-audit-state"), body: (await response.json()) as Json }
  }
  const pathOf = (chain: string, holder: Address, rest: string) => `${prefix(chain)}/address/${holder}/${rest}`

  test("a portfolio says how many of its figures are the ledger's and in doubt, now and then", async () => {
    const of = async (chain: string, query = "", holder = ann) => {
      const { state, body } = await at(pathOf(chain, holder, `portfolio${query}`))
      const chains = body.chains.map((it: Json) => [it.tokens, it.suspect, it.firstBlockNumber])
      return [state, body.suspect, ...chains]
    }
    expect(await of("43114")).toEqual(["43114:rebasing", 1, [3, 1, undefined]])
    expect(await of("43114", "?blockNumber=2")).toEqual(["43114:rebasing", 1, [3, 1, undefined]])
    expect(await of("43114", "?blockNumber=1")).toEqual(["43114:drift", 2, [3, 2, undefined]])
    expect(await of("43114", `?timestamp=${begin + hour + 5}`)).toEqual(["43114:drift", 2, [3, 2, undefined]])
    expect(await of("1")).toEqual(["1:unverified", 3, [3, 3, 120]])
    expect(await of("1", "?blockNumber=121")).toEqual(["1:unverified", 3, [3, 3, 120]])
    // By what it has a value, and nothing that is left out counts.
    expect(await of("1", "?blockNumber=121&minValueUsd=1")).toEqual(["1:unverified", 2, [2, 2, 120]])
    expect(await of("all")).toEqual(["1:unverified,43114:rebasing", 4, [3, 3, 120], [3, 1, undefined]])
    expect(await of("all", "", bob)).toEqual(["1:unverified", 1, [1, 1, 120], [1, undefined, undefined]])
    expect(await of("43114", "", bob)).toEqual([null, undefined, [1, undefined, undefined]])
    expect(await of("1", "", address(0xdead))).toEqual([null, undefined, [0, undefined, 120]])
  })

  test("a contract's own figure is not the ledger's: it is not counted, and the header stays", async () => {
    told = 7n
    const response = await service.fetch(pathOf("43114", cat, "portfolio"))
    const body = (await response.json()) as Json
    expect([body.valueUsd, body.suspect, body.chains[0].source]).toEqual(["7", undefined, "node"])
    expect(response.headers.get("x-audit-state")).toBe("43114:rebasing")
    const { body: then } = await at(pathOf("43114", cat, "portfolio?blockNumber=3"))
    expect([then.valueUsd, then.suspect]).toEqual(["1", 1])
  })

  test("each point of a history says it of its own block; the header the worst of the page", async () => {
    const of = async (chain: string, query: string, holder = ann) => {
      const { state, body } = await at(pathOf(chain, holder, `portfolio/history?sort=asc&${query}`))
      return [state, ...body.items.map((it: Json) => it.suspect)]
    }
    expect(await of("43114", "interval=1h")).toEqual(["43114:drift", 2, 2, 1, 1])
    expect(await of("43114", "interval=block")).toEqual(["43114:drift", 2, 2, 1, 1])
    expect(await of("43114", "interval=block&blockNumberFrom=2")).toEqual(["43114:rebasing", 1, 1])
    expect(await of("43114", "interval=block", bob)).toEqual(["43114:drift", 1, 1, undefined, undefined])
    expect(await of("43114", "interval=block&blockNumberFrom=2", bob)).toEqual([null, undefined, undefined])
    expect(await of("1", "interval=1h")).toEqual(["1:unverified", 3, 3, 3, 3])
    expect(await of("all", "interval=1h")).toEqual(["1:unverified,43114:drift", 5, 5, 4, 4])
  })

  test("a list has the worst state of its page's rows that are in doubt", async () => {
    const of = async (path: string) => (await at(path)).state
    expect(await of(pathOf("43114", ann, "tokens"))).toBe("43114:rebasing")
    expect(await of(pathOf("43114", ann, "tokens?blockNumber=1"))).toBe("43114:drift")
    expect(await of(pathOf("43114", bob, "tokens"))).toBeNull()
    expect(await of(pathOf("43114", ann, `tokens?tokenAddress=${mist}`))).toBeNull()
    expect(await of(pathOf("1", bob, "tokens?blockNumber=121"))).toBe("1:unverified")
    expect(await of(`${prefix("all")}/tokens-of?address=${ann},${bob}`)).toBe("1:unverified,43114:rebasing")
    expect(await of(pathOf("43114", ann, "tokens?blockNumber=1&sort=tokenAddress,desc&limit=1"))).toBeNull()
  })

  test("the same as CSV and NDJSON: a portfolio is whole before its first row, a list is not", async () => {
    const of = async (rest: string, accept: string) => {
      const response = await service.fetch(pathOf("1", ann, rest), { headers: { accept } })
      return [response.headers.get("x-audit-state"), (await response.text()).trim().split(/\r?\n/u)] as const
    }
    const [state, [line]] = await of("portfolio", "application/x-ndjson")
    expect([state, JSON.parse(line!)]).toMatchObject(["1:unverified", { suspect: 3, firstBlockNumber: 120 }])
    const [none, [head, row]] = await of("portfolio/history?interval=1h", "text/csv")
    expect(none).toBeNull()
    expect(row!.split(",")[head!.split(",").indexOf("suspect")]).toBe("3")
  })

  test("paths of other services have the header", async () => {
    const goldrush = `/v1/eth-mainnet/address/${ann}`
    expect((await at(`${goldrush}/historical_balances/?block-height=121`)).state).toBe("1:unverified")
    expect((await at(`${goldrush}/historical_balances/`)).state).toBe("1:unverified")
    expect((await at(`${goldrush}/portfolio_v2/?days=1`)).state).toBe("1:unverified")
    expect((await at(`/v1/avalanche-mainnet/address/${ann}/portfolio_v2/?days=1`)).state).toBe("43114:drift")
    expect((await at(`/v1/avalanche-mainnet/address/${bob}/historical_balances/`)).state).toBeNull()
    expect((await at(`/v1/evm/balances/${ann}?chain_ids=1,43114`)).state).toBe("1:unverified,43114:rebasing")
    const body = JSON.stringify({ addresses: [{ address: ann, networks: ["avax-mainnet", "eth-mainnet"] }] })
    const alchemy = await at("/data/v1/key/assets/tokens/by-address", { method: "POST", body })
    expect(alchemy.state).toBe("1:unverified,43114:rebasing")
  })
})
