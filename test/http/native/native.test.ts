/** The native endpoints: whole answers, and every parameter at its edges. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { dateTimeOf } from "../../../src/model/primitives.ts"
import { address, hash } from "../../support/chain/testChain.ts"
import { type Json, prefix } from "../support.ts"
import { ann, avalanche, bob, cid, gold, other, salt, startWorld, zero } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const avax = prefix("43114")
const all = prefix("all")
const items = async (path: string): Promise<ReadonlyArray<Json>> => {
  const { status, body } = await service.get(path)
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
  return body.items
}
const addressesOf = async (path: string) => (await items(path)).map((item) => item.address)
const placesOf = async (path: string) =>
  (await items(path)).map((item) => `${item.chainId}:${item.blockNumber}:${item.logIndex}`)
const invalid = (message: string) => ({
  status: 400,
  body: { statusCode: 400, code: "INVALID_PARAMETER", error: "Bad Request", message },
})

describe("erc20", () => {
  test("lists the ERC-20 contracts of a chain, newest first, with what is known of each", async () => {
    expect(await service.get(`${avax}/erc20`)).toEqual({
      status: 200,
      body: {
        items: [
          {
            chainId: "43114",
            address: salt,
            totalSupply: "7",
            transfers: { last24h: 1, last48h: 1, last72h: 1 },
            holdersCount: 1,
          },
          {
            chainId: "43114",
            address: gold,
            name: "Gold",
            symbol: "AU",
            decimals: 18,
            totalSupply: "900",
            transfers: { last24h: 4, last48h: 4, last72h: 4 },
            holdersCount: 3,
          },
        ],
        link: {},
      },
    })
  })

  test.each([
    ["", [salt, gold]],
    ["?sort=", [salt, gold]],
    ["?sort=createdAt", [salt, gold]],
    ["?sort=createdAt,asc", [gold, salt]],
    ["?sort=createdAt%2Casc", [gold, salt]],
    ["?sort=holdersCount", [gold, salt]],
    ["?sort=holdersCount,asc", [salt, gold]],
    ["?sort=transfers", [gold, salt]],
    ["?sort=transfers,asc", [salt, gold]],
    ["?sort=name,desc", [gold, salt]],
    ["?sort=name,asc", [gold, salt]],
    ["?sort=name,asc&sort=createdAt", [gold, salt]],
  ])("%s sorts", async (query, expected) => {
    expect(await addressesOf(`${avax}/erc20${query}`)).toEqual(expected)
  })

  test.each(["price", "createdAt,down", "createdAt,", "createdAt,asc,asc", "createdat", "constructor", ",asc"])(
    "sort=%s is a 400 that names the fields",
    async (sort) => {
      expect(await service.get(`${avax}/erc20?sort=${sort}`)).toEqual(
        invalid(
          `sort: expected createdAt, holdersCount, transfers, name or marketCap, with ,asc or ,desc behind it or nothing, got ${sort}`,
        ),
      )
    },
  )
})

describe("erc20-transfers", () => {
  test("lists the transfers of a chain, newest first", async () => {
    const { header } = avalanche().blocks[3]!
    const gilded = { tokenName: "Gold", tokenSymbol: "AU", tokenDecimals: 18 }
    expect(await service.get(`${avax}/erc20-transfers?limit=2`)).toEqual({
      status: 200,
      body: {
        items: [
          {
            chainId: "43114",
            blockNumber: 3,
            txHash: hash(`tx ${header.hash} 1`),
            logIndex: 1,
            from: ann,
            to: zero,
            createdAt: dateTimeOf(header.time),
            timestamp: dateTimeOf(header.time),
            amount: "100",
            tokenAddress: gold,
            ...gilded,
          },
          {
            chainId: "43114",
            blockNumber: 3,
            txHash: hash(`tx ${header.hash} 0`),
            logIndex: 0,
            from: bob,
            to: cid,
            createdAt: dateTimeOf(header.time),
            timestamp: dateTimeOf(header.time),
            amount: "50",
            tokenAddress: gold,
            ...gilded,
          },
        ],
        link: { next: expect.any(String), nextToken: expect.any(String) },
      },
    })
  })

  test.each([
    [`tokenAddress=${salt}`, ["43114:2:1"]],
    [`tokenAddress=${salt.toUpperCase().replace("X", "x")}`, ["43114:2:1"]],
    [`tokenAddress=${salt},${gold}&to=${bob}`, ["43114:2:1", "43114:2:0"]],
    [`tokenAddress=${salt}&tokenAddress=${gold}&to=${bob}`, ["43114:2:1", "43114:2:0"]],
    [`from=${zero}`, ["43114:2:1", "43114:1:0"]],
    [`to=${zero}`, ["43114:3:1"]],
    [`address=${cid}`, ["43114:3:0"]],
    [`address=${bob}&from=${ann}`, ["43114:2:0"]],
    ["blockNumberFrom=3", ["43114:3:1", "43114:3:0"]],
    ["blockNumberTo=1", ["43114:1:0"]],
    ["blockNumberFrom=2&blockNumberTo=2", ["43114:2:1", "43114:2:0"]],
    [`blockNumberFrom=5&blockNumberTo=${Number.MAX_SAFE_INTEGER}`, []],
    ["sort=asc", ["43114:1:0", "43114:2:0", "43114:2:1", "43114:3:0", "43114:3:1"]],
    ["sort=timestamp,asc&limit=1", ["43114:1:0"]],
    ["sort=timestamp&limit=1", ["43114:3:1"]],
    ["sort=timestamp,desc&limit=1", ["43114:3:1"]],
    ["LIMIT=1&Sort=asc&limit=1", ["43114:3:1"]],
    ["limit=1&limit=5", ["43114:3:1"]],
  ])("%s", async (query, expected) => {
    expect(await placesOf(`${avax}/erc20-transfers?${query}`)).toEqual(expected)
  })

  test("all comes in order of time over the chains of the network", async () => {
    expect(await placesOf(`${all}/erc20-transfers`)).toEqual([
      "1:22:0",
      "1:21:0",
      "43114:3:1",
      "43114:3:0",
      "43114:2:1",
      "43114:2:0",
      "43114:1:0",
    ])
  })

  test.each([
    ["tokenAddress=0x12", "tokenAddress: expected an address: 0x and 40 hex digits, got 0x12"],
    ["from=", "from: expected an address: 0x and 40 hex digits, got nothing"],
    [`to=${ann},`, "to: expected an address: 0x and 40 hex digits, got nothing"],
    ["sort=up", "sort: expected asc or desc, with timestamp, before it or nothing, got up"],
    ["blockNumberFrom=-1", "blockNumberFrom: expected a block number from 0 to 9007199254740991, got -1"],
    [
      "blockNumberTo=9007199254740992",
      "blockNumberTo: expected a block number from 0 to 9007199254740991, got 9007199254740992",
    ],
    ["blockNumberFrom=0x1", "blockNumberFrom: expected a block number from 0 to 9007199254740991, got 0x1"],
    ["blockNumberFrom=3&blockNumberTo=2", "blockNumberFrom: expected a block number up to blockNumberTo (2), got 3"],
  ])("%s is a 400", async (query, message) => {
    expect(await service.get(`${avax}/erc20-transfers?${query}`)).toEqual(invalid(message))
  })

  test("a filter has up to 50 values", async () => {
    const values = Array.from({ length: 51 }, (_, i) => address(0xc1 + i))
    const path = `${avax}/erc20-transfers?limit=2&to=`
    expect(await placesOf(path + values.slice(1).join(","))).toEqual(["43114:3:0", "43114:2:1"])
    expect(await service.get(path + values.join(","))).toEqual(invalid("to: expected up to 50 addresses, got 51"))
  })
})

describe("erc20/{address}/holders", () => {
  const holders = [
    { chainId: "43114", address: ann, balance: "650", percentage: 0.722222 },
    { chainId: "43114", address: bob, balance: "200", percentage: 0.222222 },
    { chainId: "43114", address: cid, balance: "50", percentage: 0.055556 },
  ]

  test("lists holders by balance, each with its fraction of the supply", async () => {
    expect(await service.get(`${avax}/erc20/${gold}/holders?count=true`)).toEqual({
      status: 200,
      body: { items: holders, count: 3, countType: "exact", link: {} },
    })
  })

  test("the address may be in any letter case", async () => {
    const shouted = gold.toUpperCase().replace("X", "x")
    expect(await items(`${avax}/erc20/${shouted}/holders`)).toEqual(holders)
  })

  test("Unknown contract on `/holders`: 200, empty `items`", async () => {
    expect(await service.get(`${avax}/erc20/${address(0xdead)}/holders`)).toEqual({
      status: 200,
      body: { items: [], link: {} },
    })
  })

  test("a malformed address is a 400 that names it", async () => {
    expect(await service.get(`${avax}/erc20/0xabc/holders`)).toEqual(
      invalid("address: expected an address: 0x and 40 hex digits, got 0xabc"),
    )
  })

  test("On `/{address}/holders` `all` is a 400 `INVALID_PARAMETER`", async () => {
    expect(await service.get(`${all}/erc20/${gold}/holders`)).toEqual(
      invalid("chainId: expected the id of one chain, got all"),
    )
  })
})

describe("limit", () => {
  test.each(["0", "1001", "abc", "-1", "1.5", "1e2", "0x10", "+5", "%205", "٣", "99999999999999999999"])(
    "limit=%s is a 400",
    async (limit) => {
      const got = decodeURIComponent(limit.replaceAll("+", " "))
      expect(await service.get(`${avax}/erc20?limit=${limit}`)).toEqual(
        invalid(`limit: expected a whole number from 1 to 1000, got ${got}`),
      )
    },
  )

  test("`limit=` is a 400", async () => {
    expect(await service.get(`${avax}/erc20?limit=`)).toEqual(
      invalid("limit: expected a whole number from 1 to 1000, got nothing"),
    )
    expect((await service.get(`${avax}/erc20?limit`)).status).toBe(400)
  })

  test("1 and 1000 are fine", async () => {
    expect(await addressesOf(`${avax}/erc20?limit=1`)).toEqual([salt])
    expect(await addressesOf(`${avax}/erc20?limit=1000`)).toEqual([salt, gold])
  })

  test("a long value is quoted at a safe length", async () => {
    const { body } = await service.get(`${avax}/erc20?limit=${"9".repeat(5000)}`)
    expect(body.message).toBe(`limit: expected a whole number from 1 to 1000, got ${"9".repeat(64)}…`)
  })
})

describe("count", () => {
  test("`count` and `countType` appear if and only if `count=true`", async () => {
    expect(await service.get(`${avax}/erc20?limit=1&count=true`)).toMatchObject({
      body: { count: 2, countType: "exact" },
    })
    for (const query of ["", "?count=", "?count=false", "?count=1", "?count=TRUE", "?count"]) {
      const { body } = await service.get(`${avax}/erc20${query}`)
      expect(Object.keys(body)).toEqual(["items", "link"])
    }
  })

  test("counts under filters, on every page alike", async () => {
    const path = `${avax}/erc20-transfers?count=true&from=${ann}&limit=1`
    const first = await service.get(path)
    expect(first.body).toMatchObject({ count: 2, countType: "exact" })
    expect((await service.get(first.body.link.next)).body).toMatchObject({ count: 2, countType: "exact" })
  })
})

describe("chain selectors", () => {
  test.each([
    ["43114", "", [salt, gold]],
    ["43114", "ecosystem=avalanche", [salt, gold]],
    ["43114", "ecosystem=43114", [salt, gold]],
    ["43114", "ecosystem=ethereum", []],
    ["43114", "ecosystem=unknown", []],
    ["43114", "ecosystem=", [salt, gold]],
    ["43114", "includedChainIds=43114", [salt, gold]],
    ["43114", "includedChainIds=1", []],
    ["43114", "includedChainIds=", [salt, gold]],
    ["43114", "excludedChainIds=43114", []],
    ["43114", "excludedChainIds=nonsense,1", [salt, gold]],
    ["all", "", [other, salt, gold]],
    ["all", "ecosystem=ethereum", [other]],
    ["all", "ecosystem=1", [other]],
    ["all", "ecosystem=unknown", []],
    ["all", "includedChainIds=1,43114", [other, salt, gold]],
    ["all", "includedChainIds=1&includedChainIds=43114", [other, salt, gold]],
    ["all", "includedChainIds=43114,999", [salt, gold]],
    ["all", "excludedChainIds=1", [salt, gold]],
    ["all", "includedChainIds=1,43114&excludedChainIds=43114", [other]],
    ["all", "includedChainIds[]=1", [other, salt, gold]],
  ])("%s with %s", async (chain, query, expected) => {
    expect(await addressesOf(`${prefix(chain)}/erc20?${query}`)).toEqual(expected)
  })

  test("a configured chain without a block answers an empty list", async () => {
    expect(await service.get(`${prefix("10")}/erc20-transfers`)).toEqual({
      status: 200,
      body: { items: [], link: {} },
    })
  })

  test("an empty chain under `all` is no hole", async () => {
    expect(await addressesOf(`${all}/erc20?excludedChainIds=1,43114`)).toEqual([])
  })

  test("nothing selected still checks its parameters, and counts nothing", async () => {
    const path = `${avax}/erc20-transfers?ecosystem=unknown`
    expect(await service.get(`${path}&blockNumberFrom=3&blockNumberTo=2`)).toMatchObject({ status: 400 })
    expect(await service.get(`${path}&limit=0`)).toMatchObject({ status: 400 })
    expect((await service.get(`${path}&count=true`)).body).toEqual({
      items: [],
      count: 0,
      countType: "exact",
      link: {},
    })
  })
})
