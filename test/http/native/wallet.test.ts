/** What addresses hold, over HTTP: refusals of bad values, sums over chains to the last digit, and walks while blocks and reorgs arrive. On either store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { testDatabase } from "../../support/postgres.ts"
import { type Json, prefix, startService, store, type TestService } from "../support.ts"

const zero = address(0)
const [ann, bob] = [address(0xc1), address(0xc2)]
const tokens = Array.from({ length: 12 }, (_, index) => address(0x10 + index))
const [gold, salt] = [tokens[0]!, tokens[1]!]

/** A contract that is an ERC-20 and an ERC-721 at once, and one of ERC-1155. */
const collections = { mixed: address(0x60), ids: address(0x61) }
const ofCollections = new TestChain()
  .block([transfer(collections.mixed, zero, ann, 70n)])
  .block([nftTransfer(collections.mixed, zero, ann, 7n), nftTransfer(collections.mixed, zero, ann, 8n)])
  .block([nftTransfer(collections.mixed, ann, bob, 8n), multiTransfer(collections.ids, zero, ann, [[4n, 9n]])])

/** Of each token amounts that leave many digits behind the point. */
const chainOf = (salted: bigint, genesis = 1_700_000_000): TestChain =>
  new TestChain(new Set(), 0, genesis)
    .block(tokens.map((token, index) => transfer(token, zero, ann, 10n ** 18n / (3n + BigInt(index)) + salted)))
    .block([transfer(tokens[11]!, ann, bob, 5n)])
    .block()
const descriptions = Object.fromEntries(tokens.map((token, index) => [token, { decimals: index === 0 ? 6 : 18 }]))
/** The last three have none. */
const prices = tokens.slice(0, 9).map((token, index) => ({ address: token, price: 10n ** 18n / 7n + BigInt(index) }))

/** US dollars with 18 digits behind the point. */
const unitsOf = (usd: string): bigint => {
  const [whole, fraction = ""] = usd.split(".") as [string, string?]
  return BigInt(whole + fraction.padEnd(18, "0"))
}
const sumOf = (rows: ReadonlyArray<Json>): bigint =>
  rows.reduce((sum: bigint, { valueUsd }) => sum + (valueUsd === undefined ? 0n : unitsOf(valueUsd)), 0n)

const stores = {
  memory: async () => MemoryStore.layer,
  "PostgreSQL 18": async () => PostgresStore.layer({ url: await testDatabase() }),
}
const avax = `${prefix("43114")}/address/${ann}`
const all = `${prefix("all")}/address/${ann}`

describe.each(Object.entries(stores))("wallets on %s", (_, makeStore) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ storeLayer: await makeStore() })
    for (const [chainId, chain] of [
      ["43114", chainOf(0n)],
      ["1", chainOf(1n, 1_700_000_100)],
      ["43113", ofCollections],
    ] as const) {
      await store(service, chainId, chain, descriptions)
      await service.run(TokenPrices.use((port) => port.record(ChainId.make(chainId), prices)))
    }
  })
  afterAll(() => service.close())

  const walk = async (path: string): Promise<ReadonlyArray<Json>> => {
    const rows: Array<Json> = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const { status, body } = await service.get(next)
      expect(status).toBe(200)
      rows.push(...body.items)
      next = body.link.next
    }
    return rows
  }

  test("the portfolio of all chains is the sum of the rows, to the last digit, and by chain", async () => {
    for (const query of ["", "minValueUsd=0.01", "standard=erc20&trusted=false", "blockNumber=0"]) {
      // A block number is one chain's.
      const base = query.startsWith("blockNumber") ? avax : all
      const rows = await walk(`${base}/tokens?limit=5&${query}`)
      const { status, body } = await service.get(`${base}/portfolio?${query}`)
      expect(status).toBe(200)
      expect(rows.length).toBeGreaterThan(query === "minValueUsd=0.01" ? 10 : 11)
      expect(new Set(rows.map((row) => `${row.chainId} ${row.tokenAddress}`)).size).toBe(rows.length)
      const valued = rows.filter(({ valueUsd }) => valueUsd !== undefined)
      expect([body.tokens, body.priced, body.unpriced]).toEqual([
        rows.length,
        valued.length,
        rows.length - valued.length,
      ])
      expect(body.chains.map(({ chainId }: Json) => chainId)).toEqual(base === all ? ["1", "43114"] : ["43114"])
      if (valued.length === 0) expect(body.valueUsd).toBeUndefined()
      else expect(unitsOf(body.valueUsd)).toBe(sumOf(rows))
      for (const chain of body.chains) {
        const own = rows.filter(({ chainId }) => chainId === chain.chainId)
        expect(chain.tokens).toBe(own.length)
        if (chain.valueUsd !== undefined) expect(unitsOf(chain.valueUsd)).toBe(sumOf(own))
      }
      // Descending, those without a value behind them.
      const values = valued.map(({ valueUsd }) => unitsOf(valueUsd))
      expect(values).toEqual(values.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
      expect(rows.slice(0, valued.length)).toEqual(valued)
    }
  })

  test("many addresses in one list are the lists of each", async () => {
    const both = await walk(`${prefix("all")}/tokens-of?address=${ann},${bob}&limit=7&sort=tokenAddress`)
    const each = await Promise.all([ann, bob].map((who) => walk(`${prefix("all")}/address/${who}/tokens?limit=100`)))
    const texts = (rows: ReadonlyArray<Json>) => rows.map((row) => JSON.stringify(row)).sort()
    expect(texts(both)).toEqual(texts(each.flat()))
  })

  const badValues: ReadonlyArray<readonly [path: string, status: number, code: string]> = [
    ...["erc20,", "ERC20", "erc20;drop", "", "native,erc404"].flatMap((value) =>
      // An empty value is none.
      value === "" || value === "erc20,"
        ? []
        : [[`${avax}/tokens?standard=${value}`, 400, "INVALID_PARAMETER"] as const],
    ),
    ...["-1", "1e3", "NaN", "0x10", "1.", ".5", "1,5", "9".repeat(41), `1.${"0".repeat(19)}`, "٣"].map(
      (value) => [`${avax}/tokens?minValueUsd=${encodeURIComponent(value)}`, 400, "INVALID_PARAMETER"] as const,
    ),
    [`${avax}/tokens?trusted=yes`, 400, "INVALID_PARAMETER"],
    ...[
      "0x",
      "gold",
      `${gold}0`,
      `${gold}%00`,
      "[]",
      "0".repeat(9000),
      Array.from({ length: 51 }, (_, at) => address(at)).join(","),
    ].map((value) => [`${avax}/tokens?tokenAddress=${value}`, 400, "INVALID_PARAMETER"] as const),
    [`${avax}/tokens?detail=all`, 400, "INVALID_PARAMETER"],
    [`${avax}/tokens?sort=balance`, 400, "INVALID_PARAMETER"],
    [`${avax}/tokens?sort=valueUsd,up`, 400, "INVALID_PARAMETER"],
    [`${avax}/tokens?limit=0`, 400, "INVALID_PARAMETER"],
    [`${avax}/tokens?blockNumber=1&timestamp=2026-01-01T00:00:00Z`, 400, "INVALID_PARAMETER"],
    [`${avax}/tokens?blockNumber=99`, 400, "INVALID_PARAMETER"],
    [`${avax}/tokens?next=x`, 400, "INVALID_CURSOR"],
    [`${prefix("43114")}/address/0xZZ/tokens`, 400, "INVALID_PARAMETER"],
    [`${prefix("43114")}/address/${ann.slice(0, -1)}/portfolio`, 400, "INVALID_PARAMETER"],
    [`${prefix("43114")}/tokens-of`, 400, "INVALID_PARAMETER"],
    [
      `${prefix("43114")}/tokens-of?address=${Array.from({ length: 51 }, (_, at) => address(at + 1)).join(",")}`,
      400,
      "INVALID_PARAMETER",
    ],
    [`${prefix("43114")}/tokens-of?address=${ann},gold`, 400, "INVALID_PARAMETER"],
    [`${avax}/portfolio/history?interval=1w`, 400, "INVALID_PARAMETER"],
    [`${avax}/portfolio/history?interval=1d&blockNumberFrom=1`, 400, "INVALID_PARAMETER"],
    [`${avax}/portfolio/history?interval=block&blockNumberFrom=3&blockNumberTo=2`, 400, "INVALID_PARAMETER"],
    [`${avax}/portfolio/history?timestampFrom=yesterday`, 400, "INVALID_PARAMETER"],
    [
      `${avax}/portfolio/history?timestampFrom=2026-01-02T00:00:00Z&timestampTo=2026-01-01T00:00:00Z`,
      400,
      "INVALID_PARAMETER",
    ],
    [`${avax}/tokens/gold/balances`, 400, "INVALID_PARAMETER"],
    [`${avax}/tokens/${gold}/balances?tokenId=-1`, 400, "INVALID_PARAMETER"],
    [`${avax}/tokens/${gold}/balances?tokenId=${2n ** 256n}`, 400, "INVALID_PARAMETER"],
    [`${prefix("43114")}/erc20/${gold}/holders/diff?blockNumberFrom=2&blockNumberTo=1`, 400, "INVALID_PARAMETER"],
    [`${prefix("43114")}/erc20/${gold}/holders/diff?blockNumberFrom=99`, 400, "INVALID_PARAMETER"],
    [`${prefix("43114")}/erc20/${gold}/price/history?timestampFrom=1e99`, 400, "INVALID_PARAMETER"],
    [`${prefix("43114")}/erc20/${gold}/supply/history?sort=up`, 400, "INVALID_PARAMETER"],
  ]
  test("a balance of a contract of several standards is that of the standard that is named", async () => {
    const { mixed, ids } = collections
    const path = (token: string, query = "") =>
      `${prefix("43113", "testnet")}/address/${ann}/tokens/${token}/balances?${query}`
    const rows = async (token: string, query = "") =>
      (await walk(path(token, query))).map((row) => [row.standard, row.tokenId, row.blockNumber, row.balance])
    const refused = async (token: string, query: string) => {
      const { status, body } = await service.get(path(token, query))
      return [status, body.message]
    }
    expect(await refused(mixed, "")).toEqual([
      400,
      "standard: expected erc20 or erc721, since the contract is of each, got nothing",
    ])
    expect(await rows(mixed, "standard=erc20&limit=1")).toEqual([["erc20", undefined, 0, "70"]])
    expect(await rows(mixed, "standard=erc721&limit=1")).toEqual([
      ["erc721", undefined, 2, "1"],
      ["erc721", undefined, 1, "2"],
    ])
    expect(await rows(mixed, "standard=erc1155")).toEqual([])
    expect(await rows(ids)).toEqual([["erc1155", undefined, 2, "9"]])
    expect(await rows(ids, "tokenId=4")).toEqual([["erc1155", "4", 2, "9"]])
    expect(await rows(ids, "tokenId=4&standard=erc1155")).toEqual([["erc1155", "4", 2, "9"]])
    expect(await refused(mixed, "tokenId=7")).toEqual([
      400,
      "tokenId: expected none of erc20 and erc721: only amounts of an ERC-1155's ids have a history here, got 7",
    ])
    expect(await refused(ids, "tokenId=4&standard=erc721")).toEqual([
      400,
      "tokenId: expected none of erc721: only amounts of an ERC-1155's ids have a history here, got 4",
    ])
    expect(await refused(mixed, "standard=erc404")).toEqual([
      400,
      "standard: expected erc20 or erc721 or erc1155, got erc404",
    ])
    expect(await rows(address(0xffff), "tokenId=4")).toEqual([])
  })

  test.each([...badValues])("%s is %i %s", async (path, status, code) => {
    const answer = await service.get(path)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test("tokenAddress names contracts, in any letter case, on one chain and on all; the native currency has none", async () => {
    const some = [tokens[1]!, tokens[11]!, address(0xffff)]
    const written = `${some[0]!.toUpperCase().replace("0X", "0x")},${some[1]},${some[2]}&tokenAddress=${some[0]}`
    for (const base of [avax, all]) {
      for (const query of ["", "&sort=tokenAddress", "&blockNumber=1", "&standard=native,erc20", "&minValueUsd=0"]) {
        const whole = await walk(`${base}/tokens?limit=100${query.replace("native,", "")}`)
        const wanted = whole.filter(({ tokenAddress }) => some.includes(tokenAddress))
        expect(await walk(`${base}/tokens?limit=1&tokenAddress=${written}${query}`)).toEqual(wanted)
      }
    }
    expect(await walk(`${avax}/tokens?tokenAddress=${gold}&standard=native`)).toEqual([])
    const of = await walk(`${prefix("43114")}/tokens-of?address=${ann},${bob}&tokenAddress=${tokens[11]}`)
    expect(of.map((row) => row.address).sort()).toEqual([ann, bob].sort())
  })

  test("a least value of too many digits is refused with how many may be", async () => {
    const { status, body } = await service.get(`${avax}/tokens?minValueUsd=${"9".repeat(41)}`)
    expect([status, body.message]).toEqual([
      400,
      `minValueUsd: expected US dollars: up to 40 digits, and up to 18 behind a point, got ${"9".repeat(41)}`,
    ])
    expect((await service.get(`${avax}/tokens?minValueUsd=${"9".repeat(40)}`)).status).toBe(200)
  })

  test("a block that a chain cannot speak of: the refusal names who named it, and of all the chain", async () => {
    const { status, body } = await service.get(`${all}/tokens?blockNumber=99`)
    expect([status, body.code]).toEqual([400, "INVALID_PARAMETER"])
    expect(body.message).toMatch(
      /^blockNumber: expected a block up to the indexed head 2 of chain (?:1|43114), got 99$/,
    )
    expect((await service.get(`${avax}/tokens?blockNumber=99`)).body.message).not.toContain("of chain")
    for (const end of ["blockNumberFrom", "blockNumberTo"]) {
      const refused = await service.get(`${prefix("43114")}/erc20/${gold}/holders/diff?${end}=99`)
      expect(refused.body.message).toBe(`${end}: expected a block up to the indexed head 2, got 99`)
    }
  })

  test("a cursor is of its list, its chains and its parameters", async () => {
    const first = (await service.get(`${avax}/tokens?limit=2`)).body.link.nextToken
    const others = [
      `${avax}/tokens?limit=2&sort=tokenAddress&next=${first}`,
      `${avax}/tokens?limit=2&minValueUsd=1&next=${first}`,
      `${avax}/tokens?limit=2&trusted=true&next=${first}`,
      `${avax}/tokens?limit=2&tokenAddress=${gold}&next=${first}`,
      `${all}/tokens?limit=2&next=${first}`,
      `${prefix("43114")}/address/${bob}/tokens?limit=2&next=${first}`,
      `${avax}/tokens?limit=2&blockNumber=1&next=${first}`,
    ]
    for (const path of others) expect([path, (await service.get(path)).status]).toEqual([path, 400])
    expect((await service.get(`${avax}/tokens?limit=3&next=${first}`)).status).toBe(200)
  })
})

interface World {
  readonly service: TestService
  readonly chain: TestChain
  readonly writer: LedgerWriter
}

describe.each(Object.entries(stores))("a walk of holdings on %s", (_, makeStore) => {
  /** Rows by pages of two, with something done after each page; undefined = the walk was refused. */
  const walkWith = async (path: string, between: (world: World, page: number) => Promise<void>) => {
    const service = await startService({ storeLayer: await makeStore() })
    try {
      const chain = chainOf(0n).block([transfer(salt, ann, bob, 1n)])
      const writer = await store(service, "43114", chain, descriptions)
      const rows: Array<Json> = []
      for (let next: string | undefined = path, page = 0; next !== undefined; page++) {
        const { status, body } = await service.get(next)
        if (status !== 200) return { refused: body.code, rows }
        rows.push(...body.items)
        next = body.link.next
        await between({ service, chain, writer }, page)
      }
      return { rows }
    } finally {
      await service.close()
    }
  }
  const later = address(0x99)
  const given = async ({ service, chain, writer }: World, page: number) => {
    chain.block([transfer(later, zero, ann, 7n), transfer(gold, bob, ann, 0n)], { salt: `${page}` })
    await service.run(writer.append(chain.segment(chain.nextBlock - 1)))
  }
  const addresses = (rows: ReadonlyArray<Json>) => rows.map(({ tokenAddress }) => tokenAddress)

  test("of now: whatever is held all the time stands in it once, while blocks and reorgs arrive", async () => {
    const { rows, refused } = await walkWith(`${avax}/tokens?limit=2&sort=tokenAddress,asc`, async (world, page) => {
      await given(world, page)
      if (page % 2 === 0) return
      // The newest block goes, and another comes in its place.
      const { service, chain, writer } = world
      await service.run(writer.rollback(chain.nextBlock - 1))
      chain.truncate(chain.nextBlock - 1)
      await given(world, page + 100)
    })
    expect(refused).toBeUndefined()
    expect(addresses(rows).filter((token) => token !== later)).toEqual([...tokens].sort())
  })

  test("as of a block: its state, whatever comes; a reorg of the block ends it", async () => {
    const path = `${avax}/tokens?limit=2&sort=tokenAddress,asc&blockNumber=3`
    const quiet = await walkWith(path, async () => {})
    expect(addresses(quiet.rows)).toEqual([...tokens].sort())
    expect(await walkWith(path, given)).toEqual(quiet)
    const ended = await walkWith(path, async (world, page) => {
      if (page !== 1) return
      const { service, chain, writer } = world
      await service.run(writer.rollback(3))
      chain.truncate(3)
      await given(world, page)
    })
    expect(ended.refused).toBe("INVALID_CURSOR")
    expect(ended.rows).toEqual(quiet.rows.slice(0, 4))
  })
})
