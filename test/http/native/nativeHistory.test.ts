/** The native currency in a portfolio through time: told at each point's very block, at the price of its hour, and marked where no node tells it. On either store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { NativeHistories, type NativeMoment } from "../../../src/ports/NativeHistories.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { testDatabase } from "../../support/postgres.ts"
import { chains, type Json, prefix, startService, store, type TestService } from "../support.ts"

const [zero, ann, gold] = [address(0), address(0xc1), address(0x10)]
const hour = 3600
const day = 19_700 * 24 * hour
const dollar = 10n ** 18n
/** A block each 40 minutes. */
const chainOf = (): TestChain => {
  const chain = new TestChain(new Set(), 0, day)
  for (let place = 1; place <= 30; place++)
    chain.block(place % 4 === 0 ? [] : [transfer(gold, zero, ann, dollar / 7n)], { time: day + 2400 * place })
  return chain
}
const priceAt = (time: number): bigint | undefined => {
  const at = Math.floor((time - day) / hour)
  return at < 3 ? undefined : (dollar * BigInt(at + 1)) / 3n
}

/** After block 5 nothing was held, before block 4 no node knows, and of the ninth neither. */
const balanceAt = (chainId: string, block: number): bigint | undefined => {
  if (block < 4 || (block === 9 && chainId === "43114")) return undefined
  return block === 5 ? 0n : 10n ** 18n + BigInt(block) * 1_234_567n
}
/** The last block by a time, whatever the ledger knows of it. */
const lastBy = (time: number): number => {
  const blocks = chainOf().blocks.filter(({ header }) => header.time <= time)
  return blocks.at(-1)!.header.number
}
const asked: Array<NativeMoment & { readonly chainId: string; readonly address: string }> = []
const node = Layer.succeed(NativeHistories, {
  through: (chainId, owner, moments) =>
    Effect.sync(() => {
      asked.push(...moments.map((moment) => ({ ...moment, chainId, address: owner })))
      return moments.map(({ blockNumber: known, until }) => {
        const blockNumber = until === undefined ? known : lastBy(until.time)
        const balance = balanceAt(chainId, blockNumber)
        return balance === undefined ? undefined : { blockNumber, balance }
      })
    }),
})

const stores = {
  memory: async () => MemoryStore.layer,
  "PostgreSQL 18": async () => PostgresStore.layer({ url: await testDatabase() }),
}
const path = (query: string, chain = "43114") => `${prefix(chain)}/address/${ann}/portfolio/history?${query}`
const unitsOf = (usd = "0"): bigint => {
  const [whole, fraction = ""] = usd.split(".") as [string, string?]
  return BigInt(whole + fraction.padEnd(18, "0"))
}

describe.each(Object.entries(stores))("native history on %s", (_, makeStore) => {
  let service: TestService
  const chain = chainOf()
  beforeAll(async () => {
    const nativeCurrency = { name: "Avalanche", symbol: "AVAX", decimals: 18 }
    const wrapped = chains.map((each) => ({
      ...each,
      wrappedNative: [],
      nativePricedBy: [address(0x99), gold],
      nativeCurrency,
    }))
    service = await startService({ storeLayer: await makeStore(), replace: node, chains: wrapped })
    for (const chainId of ["43114", "1"]) {
      await store(service, chainId, chain, { [gold]: { decimals: 18 } })
      for (let at = 3; at < 24; at++) {
        const prices = [{ address: gold, price: priceAt(day + at * hour)! }]
        await service.run(
          TokenPrices.use((port) => port.recordHour(ChainId.make(chainId), day / hour + at, prices, day / hour + at)),
        )
      }
    }
  })
  afterAll(() => service.close())
  const rowsOf = async (query: string, of?: string): Promise<ReadonlyArray<Json>> => {
    const rows: Array<Json> = []
    for (let next: string | undefined = path(query, of); next !== undefined; ) {
      const { status, body } = await service.get(next)
      expect([next, status]).toEqual([next, 200])
      rows.push(...body.items)
      next = body.link.next
    }
    return rows
  }

  test.each(["interval=1h", "interval=block", "interval=1h&sort=asc&limit=3", "interval=block&limit=7"])(
    "%s: each point is that of the tokens and of the native currency",
    async (query) => {
      const [tokens, native, both] = [
        await rowsOf(query),
        query.includes("block") ? undefined : await rowsOf(`${query}&standard=native`),
        await rowsOf(`${query}&standard=erc20,native`),
      ]
      expect(both.length).toBeGreaterThan(18)
      const blocks = both.map(({ blockNumber }) => blockNumber)
      expect(tokens.map(({ blockNumber }) => blockNumber)).toEqual(blocks)
      for (const [index, row] of both.entries()) {
        const { blockNumber, timestamp, source, valueUsd, priced, unpriced } = row
        const [balance, price] = [balanceAt("43114", blockNumber), priceAt(Date.parse(timestamp) / 1000)]
        const isHeld = balance !== 0n
        const value =
          balance !== undefined && price !== undefined ? (2n * balance * price + dollar) / (2n * dollar) : 0n
        const isPriced = isHeld && balance !== undefined && price !== undefined
        const own = tokens[index]!
        expect([blockNumber, source]).toEqual([blockNumber, balance === undefined ? "ledger" : "node"])
        expect([blockNumber, priced, unpriced]).toEqual([
          blockNumber,
          own.priced + (isPriced ? 1 : 0),
          own.unpriced + (isHeld && !isPriced ? 1 : 0),
        ])
        expect([blockNumber, unitsOf(valueUsd)]).toEqual([blockNumber, unitsOf(own.valueUsd) + value])
        expect([own.source, own.tokens + (isHeld ? 1 : 0)]).toEqual([undefined, row.tokens])
        if (native === undefined) continue
        const alone = native[index]!
        expect(unitsOf(alone.valueUsd)).toBe(value)
        expect([alone.tokens, alone.source]).toEqual([isHeld ? 1 : 0, source])
        if (balance === undefined) expect(alone.valueUsd).toBeUndefined()
      }
    },
  )

  test("each block is asked about with its hash, as long as a reorg may replace it", async () => {
    asked.length = 0
    await service.get(path("interval=block&standard=native,erc20&limit=50"))
    expect(asked.length).toBeGreaterThan(15)
    for (const { blockNumber, hash, address: owner } of asked) {
      expect([blockNumber, owner]).toEqual([blockNumber, ann])
      const { header } = chain.blocks.find((block) => block.header.number === blockNumber)!
      expect([blockNumber, hash]).toEqual([blockNumber, header.hash])
    }
  })

  test("of all chains: the sum of theirs, and a point that one does not tell says so", async () => {
    const query = "interval=1h&standard=native,erc20"
    const [one, other, all] = [await rowsOf(query), await rowsOf(query, "1"), await rowsOf(query, "all")]
    const told = all.filter(({ timestamp }) => all.length > 0 && timestamp !== undefined)
    expect(told.length).toBeGreaterThan(15)
    expect(new Set(told.map(({ source }) => source))).toEqual(new Set(["node", "ledger"]))
    for (const row of told) {
      const parts = [one, other].map((rows) => rows.find(({ timestamp }) => timestamp === row.timestamp)!)
      expect(unitsOf(row.valueUsd)).toBe(parts.reduce((sum, { valueUsd }) => sum + unitsOf(valueUsd), 0n))
      expect(row.tokens).toBe(parts[0]!.tokens + parts[1]!.tokens)
      expect(row.source).toBe(parts.every(({ source }) => source === "node") ? "node" : "ledger")
    }
  })

  test("as CSV and NDJSON; the header says whether all was told", async () => {
    const csv = await service.fetch(path("interval=1h&standard=native,erc20"), { headers: { accept: "text/csv" } })
    const [head, row] = (await csv.text()).split("\r\n")
    expect(head).toBe("chainId,timestamp,blockNumber,chains,valueUsd,tokens,priced,unpriced,source,suspect")
    expect(row).toMatch(/^43114,2023-\d\d-\d\dT20:00:00.000Z,29,,[\d.]+,2,2,0,node,$/)
    const ndjson = await service.fetch(path("interval=1h&standard=native"), {
      headers: { accept: "application/x-ndjson" },
    })
    const rows = (await ndjson.text()).trim().split("\n")
    expect(rows.map((line) => JSON.parse(line))).toEqual([...(await rowsOf("interval=1h&standard=native"))])
    const header = async (query: string) => (await service.fetch(path(query))).headers.get("x-balance-source")
    expect(await header("interval=1h&standard=native&limit=3")).toBe("node")
    expect(await header("interval=1h&standard=native")).toBe("ledger")
    expect(await header("interval=1h")).toBeNull()
  })

  test.each([
    ["interval=block&standard=native", "standard: expected erc20 among them where interval=block, got native"],
    ["standard=erc721", "standard: expected one or more of native, erc20, got erc721"],
    ["standard=native,,", "standard: expected one or more of native, erc20, got nothing"],
  ])("%s", async (query, message) => {
    const { status, body } = await service.get(path(query))
    expect([status, body.message]).toEqual([400, message])
  })
})

test("a process without a node marks every point, and makes no figure up", async () => {
  const service = await startService()
  await store(service, "43114", chainOf(), { [gold]: { decimals: 18 } })
  const { body } = await service.get(path("interval=1h&standard=native"))
  expect(body.items.length).toBeGreaterThan(15)
  for (const { valueUsd, tokens, unpriced, source } of body.items)
    expect([valueUsd, tokens, unpriced, source]).toEqual([undefined, 1, 1, "ledger"])
  // What has no value is left out under a least value: that it is missing is said all the same.
  for (const chain of ["43114", "all"])
    for (const what of ["tokens", "portfolio"]) {
      const query = `${prefix(chain)}/address/${ann}/${what}?standard=native,erc20&minValueUsd=1`
      expect((await service.fetch(query)).headers.get("x-balance-source")).toBe("ledger")
      if (what === "portfolio") expect((await service.get(query)).body.chains[0].source).toBe("ledger")
    }
  await service.close()
})

/** Blocks 3 to 19 and 21 to 27 have no log; all but the last two are final. */
const quietChain = (): TestChain => {
  const chain = new TestChain(new Set(), 0, day)
  for (let place = 1; place <= 30; place++) {
    const isQuiet = (place > 3 && place < 20) || (place > 20 && place < 28)
    chain.block(isQuiet ? [] : [transfer(gold, zero, ann, dollar)], { time: day + 2400 * place })
  }
  return chain
}

test.each(Object.entries(stores))(
  "a point's block is the last by then, though nothing but the native currency moved: %s",
  async (_, makeStore) => {
    const nativeCurrency = { name: "Avalanche", symbol: "AVAX", decimals: 18 }
    const service = await startService({
      storeLayer: await makeStore(),
      replace: node,
      chains: chains.map((each) => ({ ...each, nativeCurrency })),
    })
    const writer = await service.open("43114")
    await service.run(writer.append(quietChain().segment(0, 29, { finalizedBlock: 28 })))
    const [tokens, both, all] = await Promise.all(
      [path("interval=1h"), path("interval=1h&standard=native,erc20"), path("interval=1h&standard=native", "all")].map(
        async (each) => (await service.get(each)).body.items,
      ),
    )
    expect(both.length).toBeGreaterThan(17)
    const known = new Set(tokens.map(({ blockNumber }: Json) => blockNumber))
    expect(both.length - known.size).toBeGreaterThan(8)
    for (const [index, { blockNumber, timestamp, source, tokens: held }] of both.entries()) {
      const block = lastBy(Date.parse(timestamp) / 1000)
      const balance = balanceAt("43114", block)
      expect([timestamp, source]).toEqual([timestamp, balance === undefined ? "ledger" : "node"])
      if (balance !== undefined) expect([timestamp, blockNumber]).toEqual([timestamp, block])
      expect(held - tokens[index].tokens).toBe(balance === 0n ? 0 : 1)
    }
    expect(all.map(({ source }: Json) => source)).toEqual(both.map(({ source }: Json) => source))
    await service.close()
  },
  60_000,
)
