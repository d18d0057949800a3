/** ERC-721 and ERC-1155 over HTTP: whole answers, their own filters and bounds. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { dateTimeOf } from "../../../src/model/primitives.ts"
import { address, hash, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store } from "../support.ts"
import { ann, apes, avalanche, bob, cats, ethereum, gems, gold, potions, startWorld, zero } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const avax = prefix("43114")
const all = prefix("all")
const mostId = String(2n ** 256n - 1n)
const items = async (path: string): Promise<ReadonlyArray<Json>> => {
  const { status, body } = await service.get(path)
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
  return body.items
}
const invalid = (message: string) => ({
  status: 400,
  body: { statusCode: 400, code: "INVALID_PARAMETER", error: "Bad Request", message },
})
const shout = (text: string) => text.toUpperCase().replace("X", "x")

describe("contracts", () => {
  const once = (count: number) => ({ last24h: count, last48h: count, last72h: count })

  test("erc721 lists a chain's contracts: the record of ERC-20 without decimals, supply, price and market cap", async () => {
    expect(await service.get(`${avax}/erc721?count=true`)).toEqual({
      status: 200,
      body: {
        items: [
          {
            chainId: "43114",
            address: apes,
            name: "Apes",
            symbol: "APE",
            transfers: once(6),
            holdersCount: 2,
          },
        ],
        count: 1,
        countType: "exact",
        link: {},
      },
    })
  })

  test("erc1155 counts a row per id, and distinct addresses", async () => {
    expect(await items(`${avax}/erc1155`)).toEqual([
      { chainId: "43114", address: potions, transfers: once(3), holdersCount: 2 },
    ])
  })

  test.each([
    ["/erc721", "", [cats, apes]],
    ["/erc721", "?sort=createdAt,asc", [apes, cats]],
    ["/erc721", "?sort=holdersCount", [apes, cats]],
    ["/erc721", "?sort=holdersCount,asc", [cats, apes]],
    ["/erc721", "?sort=transfers,desc", [apes, cats]],
    ["/erc721", "?sort=transfers,asc", [cats, apes]],
    ["/erc721", "?sort=name,asc", [apes, cats]],
    ["/erc1155", "", [gems, potions]],
    ["/erc1155", "?sort=createdAt,asc", [potions, gems]],
    ["/erc1155", "?sort=transfers", [potions, gems]],
  ])("%s%s of all chains is sorted", async (path, query, expected) => {
    expect((await items(all + path + query)).map((item) => item.address)).toEqual(expected)
  })

  test.each(["erc721", "erc1155"])("%s names its sort fields to whom sorts by another", async (standard) => {
    expect(await service.get(`${avax}/${standard}?sort=marketCap`)).toEqual(
      invalid(
        "sort: expected createdAt, holdersCount, transfers or name, with ,asc or ,desc behind it or nothing, got marketCap",
      ),
    )
  })

  test("A contract is listed in several when it emits several", async () => {
    const mixed = address(0x3)
    const several = await startService()
    await store(
      several,
      "43114",
      new TestChain().block([
        transfer(mixed, zero, ann, 9n),
        nftTransfer(mixed, zero, bob, 1n),
        multiTransfer(mixed, zero, ann, [[1n, 2n]]),
      ]),
    )
    for (const standard of ["erc20", "erc721", "erc1155"]) {
      const { body } = await several.get(`${avax}/${standard}`)
      expect(body.items.map((item: Json) => item.address)).toEqual([mixed])
      expect((await several.get(`${avax}/${standard}-transfers`)).body.items.length).toBe(1)
      expect((await several.get(`${avax}/${standard}/${mixed}/holders`)).body.items.length).toBe(1)
    }
    await several.close()
  })
})

describe("transfers", () => {
  const placesOf = async (path: string) =>
    (await items(path)).map((item) => `${item.chainId}:${item.blockNumber}:${item.logIndex}:${item.tokenId}`)

  test("erc721-transfers: the record, a mint and a burn as the log shows them", async () => {
    const { header } = avalanche().blocks[3]!
    expect(await items(`${avax}/erc721-transfers?limit=1`)).toEqual([
      {
        chainId: "43114",
        blockNumber: 3,
        txHash: hash(`tx ${header.hash} 2`),
        logIndex: 2,
        from: ann,
        to: zero,
        createdAt: dateTimeOf(header.time),
        timestamp: dateTimeOf(header.time),
        tokenAddress: apes,
        tokenId: "10",
        tokenName: "Apes",
        tokenSymbol: "APE",
      },
    ])
  })

  test("erc1155-transfers: a batch is a row per id under one log index, in the order of the batch", async () => {
    const { header } = avalanche().blocks[2]!
    const row = {
      chainId: "43114",
      blockNumber: 2,
      txHash: hash(`tx ${header.hash} 3`),
      logIndex: 3,
      from: zero,
      to: ann,
      createdAt: dateTimeOf(header.time),
      timestamp: dateTimeOf(header.time),
      tokenAddress: potions,
    }
    expect(await items(`${avax}/erc1155-transfers?sort=asc&limit=2`)).toEqual([
      { ...row, tokenId: "1", amount: "10" },
      { ...row, tokenId: "2", amount: "5" },
    ])
    const [ofEthereum] = await items(`${prefix("1")}/erc1155-transfers`)
    expect([ofEthereum.tokenId, ofEthereum.amount]).toEqual(["5", mostId])
  })

  test("a page may end inside a batch; the next begins behind it", async () => {
    const first = await service.get(`${avax}/erc1155-transfers?limit=2`)
    expect(first.body.items.map((item: Json) => item.tokenId)).toEqual(["1", "2"])
    const second = await service.get(first.body.link.next)
    expect(second.body.items.map((item: Json) => item.tokenId)).toEqual(["1"])
    expect(second.body.link.next).toBeUndefined()
  })

  test.each([
    ["erc721", "", ["43114:3:2:10", "43114:2:2:2", ...[mostId, 10, 2, 1].map((id, i) => `43114:1:${4 - i}:${id}`)]],
    ["erc721", `tokenAddress=${cats}`, []],
    ["erc721", `tokenAddress=${cats},${apes}&limit=1`, ["43114:3:2:10"]],
    ["erc721", `tokenAddress=${shout(apes)}&tokenAddress=${cats}&to=${bob}`, ["43114:2:2:2"]],
    ["erc721", `from=${zero}&blockNumberFrom=1&limit=1`, [`43114:1:4:${mostId}`]],
    ["erc721", `to=${zero}`, ["43114:3:2:10"]],
    ["erc721", `address=${bob}`, ["43114:2:2:2"]],
    ["erc721", `address=${ann}&to=${zero}`, ["43114:3:2:10"]],
    ["erc721", "blockNumberFrom=2&blockNumberTo=2", ["43114:2:2:2"]],
    ["erc721", "blockNumberFrom=9007199254740991", []],
    ["erc721", `tokenAddress=${apes}&tokenId=10`, ["43114:3:2:10", "43114:1:3:10"]],
    ["erc721", `tokenAddress=${apes}&tokenId=10&to=${zero}`, ["43114:3:2:10"]],
    ["erc721", `tokenAddress=${apes}&tokenId=010,0000000002&sort=asc&limit=2`, ["43114:1:2:2", "43114:1:3:10"]],
    ["erc721", `tokenAddress=${apes}&tokenId=2&tokenId=1`, ["43114:2:2:2", "43114:1:2:2", "43114:1:1:1"]],
    ["erc721", `tokenAddress=${apes},${shout(apes)}&tokenId=${mostId}`, [`43114:1:4:${mostId}`]],
    ["erc721", `tokenAddress=${apes}&tokenId=0`, []],
    ["erc1155", `tokenAddress=${potions}&tokenId=1`, ["43114:3:3:1", "43114:2:3:1"]],
    ["erc1155", `tokenAddress=${potions}&tokenId=1,2&from=${zero}`, ["43114:2:3:2", "43114:2:3:1"]],
    ["erc1155", `address=${bob}`, ["43114:3:3:1"]],
  ])("%s-transfers?%s", async (standard, query, expected) => {
    expect(await placesOf(`${avax}/${standard}-transfers?${query}`)).toEqual(expected)
  })

  test("tokenId works under `all` too", async () => {
    expect(await placesOf(`${all}/erc721-transfers?tokenAddress=${cats}&tokenId=7`)).toEqual(["1:21:1:7"])
    expect(await placesOf(`${all}/erc1155-transfers?tokenAddress=${gems}&tokenId=05`)).toEqual(["1:21:2:5"])
  })

  const wanted = "tokenId: expected exactly one tokenAddress beside it (an id says nothing without its contract)"
  const notAnId = "tokenId: expected a token id: 0 to 2^256-1 in decimal"
  test.each([
    ["tokenId=1", `${wanted}, got 0`],
    [`tokenId=1&tokenAddress=${apes},${cats}`, `${wanted}, got 2`],
    ["tokenId=", `${notAnId}, got nothing`],
    [`tokenAddress=${apes}&tokenId=1,`, `${notAnId}, got nothing`],
    [`tokenAddress=${apes}&tokenId=-1`, `${notAnId}, got -1`],
    [`tokenAddress=${apes}&tokenId=0x1`, `${notAnId}, got 0x1`],
    [`tokenAddress=${apes}&tokenId=1e3`, `${notAnId}, got 1e3`],
    [`tokenAddress=${apes}&tokenId=1.0`, `${notAnId}, got 1.0`],
    [`tokenAddress=${apes}&tokenId=%201`, `${notAnId}, got  1`],
    [`tokenAddress=${apes}&tokenId=${2n ** 256n}`, `${notAnId}, got ${String(2n ** 256n).slice(0, 64)}…`],
    [`tokenAddress=${apes}&tokenId=${"9".repeat(3000)}`, `${notAnId}, got ${"9".repeat(64)}…`],
    [
      `tokenAddress=${apes}&tokenId=${Array.from({ length: 51 }, (_, id) => id).join(",")}`,
      "tokenId: expected up to 50 token ids, got 51",
    ],
    ["blockNumberFrom=3&blockNumberTo=2", "blockNumberFrom: expected a block number up to blockNumberTo (2), got 3"],
  ])("?%s is a 400", async (query, message) => {
    for (const standard of ["erc721", "erc1155"]) {
      expect(await service.get(`${avax}/${standard}-transfers?${query}`)).toEqual(invalid(message))
    }
  })

  test("50 ids are fine", async () => {
    const ids = Array.from({ length: 50 }, (_, id) => id + 1).join(",")
    expect(await placesOf(`${avax}/erc721-transfers?tokenAddress=${apes}&tokenId=${ids}&limit=1`)).toEqual([
      "43114:3:2:10",
    ])
  })
})

describe("holders", () => {
  test("erc721 holders: ids owned, and their fraction of the live ids", async () => {
    expect(await service.get(`${avax}/erc721/${shout(apes)}/holders?count=true`)).toEqual({
      status: 200,
      body: {
        items: [
          { chainId: "43114", address: ann, balance: "2", percentage: 0.666667 },
          { chainId: "43114", address: bob, balance: "1", percentage: 0.333333 },
        ],
        count: 2,
        countType: "exact",
        link: {},
      },
    })
  })

  test("erc1155 holders: a row per address and id, without percentage; `count` = rows", async () => {
    expect(await service.get(`${avax}/erc1155/${potions}/holders?count=true`)).toEqual({
      status: 200,
      body: {
        items: [
          { chainId: "43114", address: ann, tokenId: "1", balance: "6" },
          { chainId: "43114", address: ann, tokenId: "2", balance: "5" },
          { chainId: "43114", address: bob, tokenId: "1", balance: "4" },
        ],
        count: 3,
        countType: "exact",
        link: {},
      },
    })
  })
})

describe("erc721/{address}/tokens", () => {
  test("live ids only, tokenId ascending as a number; `createdAt` = latest mint", async () => {
    const createdAt = dateTimeOf(avalanche().blocks[1]!.header.time)
    expect(await service.get(`${avax}/erc721/${apes}/tokens?count=true`)).toEqual({
      status: 200,
      body: {
        items: ["1", "2", mostId].map((tokenId) => ({ chainId: "43114", tokenAddress: apes, tokenId, createdAt })),
        count: 3,
        countType: "exact",
        link: {},
      },
    })
  })

  test("the ids of another chain's contract", async () => {
    const createdAt = dateTimeOf(ethereum().blocks[1]!.header.time)
    expect(await items(`${prefix("1")}/erc721/${cats}/tokens`)).toEqual([
      { chainId: "1", tokenAddress: cats, tokenId: "7", createdAt },
    ])
  })
})

const ofContract = ["erc20/{}/holders", "erc721/{}/holders", "erc1155/{}/holders", "erc721/{}/tokens"]

describe.each(ofContract)("%s", (template) => {
  const path = (at: string, contract: string) => `${at}/${template.replace("{}", contract)}`

  test("Unknown contract on `/holders` or `/tokens`: 200, empty `items`", async () => {
    for (const contract of [address(0xdead), zero]) {
      expect(await service.get(path(avax, contract))).toEqual({ status: 200, body: { items: [], link: {} } })
      expect((await service.get(`${path(avax, contract)}?count=true`)).body).toEqual({
        items: [],
        count: 0,
        countType: "exact",
        link: {},
      })
    }
  })

  test("a contract of another standard only is an unknown one", async () => {
    const foreign = template.startsWith("erc20") ? apes : gold
    expect((await service.get(path(avax, foreign))).body).toEqual({ items: [], link: {} })
  })

  test("`all` is a 400 `INVALID_PARAMETER`, and so is an address that is none", async () => {
    expect(await service.get(path(all, apes))).toEqual(invalid("chainId: expected the id of one chain, got all"))
    expect(await service.get(path(avax, "0xabc"))).toEqual(
      invalid("address: expected an address: 0x and 40 hex digits, got 0xabc"),
    )
  })
})

test("`tokenId` on ERC-20 transfers is refused: ignored, it would be answered with transfers that were not asked for", async () => {
  expect(await service.get(`${avax}/erc20-transfers?tokenId=1`)).toEqual(
    invalid("tokenId: expected no value (ERC-20 transfers have no ids), got 1"),
  )
})
