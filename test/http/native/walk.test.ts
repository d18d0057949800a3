/** docs/interface.md, "Lists": walks by every way a client can follow, forward and back, and what a cursor is bound to. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  address,
  deposit,
  multiTransfer,
  nftTransfer,
  TestChain,
  type TestEvent,
  transfer,
} from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../support.ts"

const zero = address(0)
const big = address(0x1)
const apes = address(0x721)
const potions = address(0x1155)
const mostId = 2n ** 256n - 1n
const token = (index: number) => address(0x1000 + index)
const holder = (index: number) => address(0x2000 + index)

/**
 * ERC-20: 1,130 transfers in 60 blocks, 45 tokens, 1,085 holders of the first, names for a third of them.
 * ERC-721: 240 ids minted, 60 of them moved and 30 burnt. ERC-1155: 120 rows in batches of two, 31 contracts of each.
 */
const busyChain = () => {
  const chain = new TestChain().block()
  let made = 0
  for (let block = 0; block < 60; block++) {
    const events: Array<TestEvent> = []
    for (let index = 0; index < 18; index++) {
      events.push(transfer(big, zero, holder(made), BigInt(1 + (made++ % 7))))
    }
    if (block < 45) events.push(transfer(token(block), zero, holder(block % 5), BigInt(block + 1)))
    if (block < 5) events.push(transfer(big, zero, holder(made++), 3n))
    events.push(...nftEvents(block))
    chain.block(events)
  }
  return chain
}
/** Ids of 1 to 78 digits, so that their order as numbers is not that as text. */
const idOf = (index: number): bigint => (index % 3 === 0 ? mostId - BigInt(index) : BigInt(index) * 37n)
const nftEvents = (block: number): ReadonlyArray<TestEvent> => {
  const ids = [0, 1, 2, 3].map((place) => idOf(block * 4 + place))
  return [
    ...ids.map((id, place) => nftTransfer(apes, zero, holder((block + place) % 17), id)),
    nftTransfer(apes, holder(block % 17), holder(40), ids[0]!),
    ...(block % 2 === 0 ? [nftTransfer(apes, holder((block + 1) % 17), zero, ids[1]!)] : []),
    multiTransfer(potions, zero, holder(block % 13), [
      [BigInt(block % 7), BigInt(1 + (block % 3))],
      [mostId - BigInt(block), 5n],
    ]),
    ...(block < 30 ? [nftTransfer(token(100 + block), zero, holder(1), 1n)] : []),
    ...(block < 30 ? [multiTransfer(token(200 + block), zero, holder(1), [[1n, 1n]])] : []),
  ]
}
const names = Object.fromEntries(
  Array.from({ length: 15 }, (_, index) => [token(index * 3), { name: `Name ${(index * 7) % 10}` }]),
)
const twoUnits = multiTransfer(potions, zero, holder(1), [
  [1n, 1n],
  [2n, 1n],
])
const quietChain = () => {
  const chain = new TestChain(new Set(), 5, 1_700_000_005)
  for (let block = 0; block < 30; block++) {
    const nfts = block === 3 ? [nftTransfer(apes, zero, holder(1), 1n), twoUnits] : []
    chain.block([transfer(token(block), zero, holder(1), 5n), ...nfts])
  }
  return chain
}

let service: TestService
beforeAll(async () => {
  service = await startService()
  await store(service, "43114", busyChain(), names)
  await store(service, "1", quietChain())
})
afterAll(() => service.close())

const page = async (path: string): Promise<Json> => {
  const { status, body } = await service.get(path)
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
  return body
}
const withParameters = (path: string, ...more: ReadonlyArray<string>) =>
  [path, ...more].join("&").replace("&", path.includes("?") ? "&" : "?")

const ways: Readonly<Record<string, (path: string, limit: number, link: Json, direction: "next" | "prev") => string>> =
  {
    "next=": (path, limit, link, direction) =>
      withParameters(path, `limit=${limit}`, `${direction}=${link[`${direction}Token`]}`),
    "nextToken=": (path, limit, link, direction) =>
      withParameters(path, `limit=${limit}`, `${direction}Token=${link[`${direction}Token`]}`),
    "base + link.next": (_path, _limit, link, direction) => link[direction],
  }

/** Walks to the last page and back to the first; gives both lists of rows. */
const walk = async (path: string, limit: number, follow: (typeof ways)[string]) => {
  const forward: Array<Json> = []
  let body = await page(withParameters(path, `limit=${limit}`))
  expect(body.link.prevToken).toBeUndefined()
  for (;;) {
    forward.push(...body.items)
    if (body.link.nextToken === undefined) break
    expect(body.items.length).toBe(limit)
    body = await page(follow(path, limit, body.link, "next"))
  }
  expect(Object.keys(body.link).filter((name) => name.startsWith("next"))).toEqual([])
  let backward: Array<Json> = [...body.items]
  while (body.link.prevToken !== undefined) {
    body = await page(follow(path, limit, body.link, "prev"))
    backward = [...body.items, ...backward]
  }
  return { forward, backward }
}

const lists: Readonly<Record<string, readonly [path: string, rows: number]>> = {
  "the feed of a chain": [`${prefix("43114")}/erc20-transfers`, 1130],
  "the feed of a chain, oldest first": [`${prefix("43114")}/erc20-transfers?sort=asc`, 1130],
  "the feed of all": [`${prefix("all")}/erc20-transfers?tokenAddress=${token(3)},${token(4)},${token(5)}`, 6],
  "a filtered feed": [`${prefix("43114")}/erc20-transfers?to=${holder(1)}&from=${zero}`, 10],
  "token contracts": [`${prefix("43114")}/erc20`, 46],
  "token contracts of all, oldest first": [`${prefix("all")}/erc20?sort=createdAt,asc`, 76],
  "token contracts by holders": [`${prefix("all")}/erc20?sort=holdersCount`, 76],
  "token contracts by name": [`${prefix("43114")}/erc20?sort=name,asc`, 46],
  holders: [`${prefix("43114")}/erc20/${big}/holders`, 1085],
  "ERC-721 transfers": [`${prefix("43114")}/erc721-transfers`, 360],
  "ERC-721 transfers of all, oldest first": [`${prefix("all")}/erc721-transfers?sort=asc`, 361],
  "ERC-721 transfers of an id": [
    `${prefix("43114")}/erc721-transfers?tokenAddress=${apes}&tokenId=0${idOf(5)},${idOf(9)},${idOf(4)},${idOf(8)}`,
    7,
  ],
  "ERC-1155 transfers, rows of batches": [`${prefix("43114")}/erc1155-transfers`, 150],
  "ERC-1155 transfers of all": [`${prefix("all")}/erc1155-transfers`, 152],
  "ERC-721 contracts by transfers": [`${prefix("all")}/erc721?sort=transfers`, 32],
  "ERC-721 contracts by name, none has one": [`${prefix("43114")}/erc721?sort=name`, 31],
  "ERC-1155 contracts by holders": [`${prefix("43114")}/erc1155?sort=holdersCount,asc`, 31],
  "ERC-721 holders": [`${prefix("43114")}/erc721/${apes}/holders`, 18],
  "ERC-1155 holders": [`${prefix("43114")}/erc1155/${potions}/holders`, 120],
  "ERC-721 ids": [`${prefix("43114")}/erc721/${apes}/tokens`, 210],
}

/** One for each kind of cursor: how it is sent changes nothing of what it says. */
const walkedEachWay = new Set([
  "token contracts of all, oldest first",
  "ERC-1155 transfers, rows of batches",
  "ERC-721 holders",
  "ERC-1155 holders",
  "ERC-721 ids",
])

describe.each(Object.entries(lists))("%s", (name, [path, rows]) => {
  test.each(Object.entries(ways).filter(([way]) => way === "next=" || walkedEachWay.has(name)))(
    "by %s in pages of 7, 100 and 1000 is the list, forward and back",
    async (_, follow) => {
      const whole = await walk(path, 1000, follow)
      expect(whole.forward.length).toBe(rows)
      expect(new Set(whole.forward.map((item) => JSON.stringify(item))).size).toBe(rows)
      expect(whole.backward).toEqual(whole.forward)
      for (const limit of [7, 100]) expect(await walk(path, limit, follow)).toEqual(whole)
    },
  )

  test("one row at a time is the list too", async () => {
    const { forward } = await walk(path, 1000, ways["next="]!)
    // A longer walk tells no more: by sevens it is whole.
    const narrow = rows > 40 ? forward.slice(0, 12) : forward
    let link = (await page(withParameters(path, "limit=1"))).link
    const seen = (await page(withParameters(path, "limit=1"))).items
    while (seen.length < narrow.length) {
      const body = await page(link.next)
      seen.push(...body.items)
      link = body.link
    }
    expect(seen).toEqual(narrow)
    expect(link.nextToken === undefined).toBe(narrow.length === forward.length)
    const back: Array<Json> = []
    while (link.prev !== undefined) {
      const body = await page(link.prev)
      back.unshift(...body.items)
      link = body.link
    }
    expect(back).toEqual(narrow.slice(0, -1))
  })

  test("the limit may change from page to page, forward and back", async () => {
    const { forward } = await walk(path, 1000, ways["next="]!)
    const first = await page(withParameters(path, "limit=3"))
    const second = await page(withParameters(path, "limit=2", `next=${first.link.nextToken}`))
    expect(second.items).toEqual(forward.slice(3, 5))
    const short = await page(withParameters(path, "limit=1000", `prev=${second.link.prevToken}`))
    expect(short.items).toEqual(forward.slice(0, 3))
    expect(short.link.prevToken).toBeUndefined()
    const before = await page(withParameters(path, "limit=2", `prev=${second.link.prevToken}`))
    expect(before.items).toEqual(forward.slice(1, 3))
    expect((await page(before.link.prev)).items).toEqual(forward.slice(0, 1))
  })
})

describe("the cursor", () => {
  const feed = `${prefix("43114")}/erc20-transfers`
  const refused = async (path: string) => {
    const { status, body } = await service.get(path)
    return { status, code: body.code }
  }
  const invalidCursor = { status: 400, code: "INVALID_CURSOR" }

  test("altered in any one character is a 400 `INVALID_CURSOR`", async () => {
    const others = [
      "erc20?sort=name,asc",
      `erc20/${big}/holders`,
      `erc1155/${potions}/holders`,
      `erc721/${apes}/tokens`,
    ]
    for (const path of [feed, ...others.map((other) => `${prefix("43114")}/${other}`)]) {
      const first = await page(withParameters(path, "limit=2"))
      const token: string = first.link.nextToken
      const wrong = [...token].flatMap((character, index) =>
        ["A", "B", "0", "_", "-", "."]
          .filter((other) => other !== character)
          .map((other) => token.slice(0, index) + other + token.slice(index + 1)),
      )
      for (const altered of [...wrong, `${token}A`, token.slice(1), token.slice(0, -1), `${token}=`, `%20${token}`]) {
        expect(await refused(withParameters(path, `next=${altered}`))).toEqual(invalidCursor)
      }
    }
  })

  test("of another query, path or direction is a 400 `INVALID_CURSOR`", async () => {
    const { link } = await page(`${feed}?limit=2&from=${zero}`)
    const others = [
      `${feed}?next=`,
      `${feed}?sort=asc&from=${zero}&next=`,
      `${feed}?from=${zero},${big}&next=`,
      `${feed}?from=${zero}&blockNumberTo=900&next=`,
      `${feed}?from=${zero}&ecosystem=avalanche&next=`,
      `${feed}?from=${zero}&includedChainIds=43114&next=`,
      `${feed}?to=${zero}&next=`,
      `${prefix("all")}/erc20-transfers?from=${zero}&next=`,
      `${prefix("1")}/erc20-transfers?from=${zero}&next=`,
      `${prefix("43114")}/erc20?next=`,
      `${feed}?from=${zero}&prev=`,
    ]
    for (const other of others) expect(await refused(other + link.nextToken)).toEqual(invalidCursor)
    const ids = `${prefix("43114")}/erc721-transfers?tokenAddress=${apes}&tokenId=`
    const ofId = await page(`${ids}${idOf(4)}&limit=1`)
    for (const other of [
      `${ids}${idOf(8)}&next=`,
      `${ids}${idOf(4)},${idOf(8)}&next=`,
      `${prefix("43114")}/erc721-transfers?tokenAddress=${apes}&next=`,
      `${prefix("43114")}/erc1155-transfers?tokenAddress=${apes}&tokenId=${idOf(4)}&next=`,
    ]) {
      expect(await refused(other + ofId.link.nextToken)).toEqual(invalidCursor)
    }
    const owners = await page(`${prefix("43114")}/erc721/${apes}/holders?limit=1`)
    for (const other of [`erc20/${apes}/holders`, `erc1155/${apes}/holders`, `erc721/${apes}/tokens`]) {
      expect(await refused(`${prefix("43114")}/${other}?next=${owners.link.nextToken}`)).toEqual(invalidCursor)
    }
    const holders = await page(`${prefix("43114")}/erc20/${big}/holders?limit=1`)
    expect(await refused(`${prefix("43114")}/erc20/${token(1)}/holders?next=${holders.link.nextToken}`)).toEqual(
      invalidCursor,
    )
  })

  test("is bound to resolved values: letter case, order, spelled-out defaults, limit, count, keys and unknown parameters change nothing", async () => {
    const one = await page(`${feed}?limit=2&address=${holder(10)},${holder(11)}`)
    const spelled = `${feed}?foo=1&apikey=k&count=true&sort=timestamp,desc&limit=2&address=${holder(11).toUpperCase().replace("X", "x")}&address=${holder(10)},${holder(10)}`
    const two = await page(`${spelled}&limit=9`)
    expect(two.link.nextToken).toBe(one.link.nextToken)
    const tokens = await page(`${prefix("all")}/erc20?limit=2&includedChainIds=43114,1`)
    const same = await page(`${prefix("all")}/erc20?limit=2&includedChainIds=1&includedChainIds=43114&sort=createdAt`)
    expect(same.link.nextToken).toBe(tokens.link.nextToken)
    const ids = `${prefix("43114")}/erc721-transfers?limit=1&tokenAddress=${apes}`
    const plainIds = await page(`${ids}&tokenId=${idOf(4)},${idOf(8)}`)
    const paddedIds = await page(`${ids},${apes}&tokenId=000${idOf(8)}&tokenId=${idOf(4)},0${idOf(8)}`)
    expect(paddedIds.link.nextToken).toBe(plainIds.link.nextToken)
    const shouted = await page(`${prefix("43114")}/erc20/${big.toUpperCase().replace("X", "x")}/holders?limit=2`)
    const plain = await page(`${prefix("43114")}/erc20/${big}/holders?limit=2`)
    expect(shouted.link.nextToken).toBe(plain.link.nextToken)
  })

  test("`next` together with `prev`, or two different tokens: 400", async () => {
    const { link } = await page((await page(`${feed}?limit=2`)).link.next)
    const token = link.nextToken
    expect(await refused(`${feed}?next=${token}&prev=${link.prevToken}`)).toEqual(invalidCursor)
    expect(await refused(`${feed}?nextToken=${token}&prevToken=${link.prevToken}`)).toEqual(invalidCursor)
    expect(await refused(`${feed}?next=${token}&nextToken=${token.slice(1)}`)).toEqual(invalidCursor)
    expect(await refused(`${feed}?next=${token}&next=x`)).toEqual(invalidCursor)
    expect((await page(`${feed}?limit=2&next=${token}&nextToken=${token}`)).items.length).toBe(2)
    expect((await page(`${feed}?limit=2&next=&prev=`)).link.prevToken).toBeUndefined()
  })

  test("is made of URL-safe characters only", async () => {
    for (const [path] of Object.values(lists)) {
      expect((await page(withParameters(path, "limit=1"))).link.nextToken).toMatch(/^[A-Za-z0-9_-]+$/)
    }
  })

  test("`link.next` is the host-relative path with the whole query (without any `apikey`) and `next=<token>`", async () => {
    const query = "sort=desc&limit=2&x=a%20b%26&apikey=K&y&apiKey=L&%61pikey=M&APIKEY=N&from="
    const { link } = await page(`${feed}?${query}${zero}`)
    const kept = `${feed}?sort=desc&limit=2&x=a%20b%26&y&from=${zero}`
    expect(link.next).toBe(`${kept}&next=${link.nextToken}`)
    const second = await page(link.next)
    expect(second.link.next).toBe(`${kept}&next=${second.link.nextToken}`)
    expect(second.link.prev).toBe(`${kept}&prev=${second.link.prevToken}`)
  })

  test("a hand-made one of the wrong types is a 400", async () => {
    const { encodeCursor } = await import("../../../src/model/cursor.ts")
    const binding = (id: string, parameters: Json, bound: Json) =>
      JSON.stringify([id, "mainnet", "43114", parameters, bound])
    const selectors = [
      ["ecosystem", undefined],
      ["includedChainIds", undefined],
      ["excludedChainIds", undefined],
    ]
    const erc20 = (field: string) => binding("erc20", [["sort", { field, direction: "desc" }]], selectors)
    const tokenFrom = (field: string, parts: ReadonlyArray<string | number | null>) =>
      `${prefix("43114")}/erc20?sort=${field}&next=${encodeCursor(erc20(field), "next", parts)}`
    expect((await service.get(tokenFrom("createdAt", [1_700_000_000, "43114", big]))).status).toBe(200)
    for (const parts of [
      ["1700000000", "43114", big],
      [1.5, "43114", big],
      [-1, "43114", big],
      [1e300, "43114", big],
      [1, 43114, big],
      [1, "43114", "0x1"],
      [1, "43114"],
      [1, "43114", big, 1],
      [],
    ]) {
      expect(await refused(tokenFrom("createdAt", parts))).toEqual(invalidCursor)
    }
    expect((await service.get(tokenFrom("name", ["N", "43114", big]))).status).toBe(200)
    expect((await service.get(tokenFrom("name", [null, "43114", big]))).status).toBe(200)
    for (const name of [1, "a\0b", "\ud800", "x".repeat(600)]) {
      expect(await refused(tokenFrom("name", [name, "43114", big]))).toEqual(invalidCursor)
    }
    const holders = (parts: ReadonlyArray<string | number | null>) =>
      `${prefix("43114")}/erc20/${big}/holders?next=${encodeCursor(binding("erc20/holders", [], [["address", big]]), "next", parts)}`
    expect((await service.get(holders(["3", holder(1)]))).status).toBe(200)
    for (const balance of ["-3", "0", "1e9", "", 3, "9".repeat(101)]) {
      expect(await refused(holders([balance, holder(1)]))).toEqual(invalidCursor)
    }

    const ofContract = (id: string, contract: string, parts: ReadonlyArray<string | number | null>) => {
      const path = `${prefix("43114")}/${id.replace("/", `/${contract}/`)}`
      return `${path}?next=${encodeCursor(binding(id, [], [["address", contract]]), "next", parts)}`
    }
    const ids = (...parts: ReadonlyArray<string | number | null>) => ofContract("erc721/tokens", apes, parts)
    for (const id of ["0", "7", String(mostId)]) expect((await service.get(ids(id))).status).toBe(200)
    const wrongIds = ["", "01", "-1", "1e3", 7, null, String(mostId + 1n), "9".repeat(79), "0x1", " 1"]
    for (const id of wrongIds) expect(await refused(ids(id))).toEqual(invalidCursor)
    for (const parts of [[], ["1", "1"], [["1"]]]) expect(await refused(ids(...(parts as Json)))).toEqual(invalidCursor)

    const units = (...parts: ReadonlyArray<string | number | null>) => ofContract("erc1155/holders", potions, parts)
    expect((await service.get(units("5", holder(1), String(mostId)))).status).toBe(200)
    for (const id of wrongIds) expect(await refused(units("5", holder(1), id))).toEqual(invalidCursor)
    for (const balance of ["0", "-5", 5, null]) {
      expect(await refused(units(balance, holder(1), "1"))).toEqual(invalidCursor)
    }
    expect(await refused(units("5", holder(1)))).toEqual(invalidCursor)
    expect(await refused(units("5", "0xABC", "1"))).toEqual(invalidCursor)
    expect(await refused(ofContract("erc721/holders", apes, ["5", holder(1), "1"]))).toEqual(invalidCursor)

    const swaps = (parts: ReadonlyArray<string | number | null>) => {
      const filters = ["token", "tokenIn", "tokenOut"].map((name) => [name, undefined])
      const bound = binding("erc20-swaps", [...filters, ["sort", "desc"]], selectors)
      return `${prefix("43114")}/erc20-swaps?next=${encodeCursor(bound, "next", parts)}`
    }
    expect((await service.get(swaps([1_700_000_000, "43114", 3, 1, 0]))).status).toBe(200)
    for (const parts of [
      [1_700_000_000, "43114", 3, 1],
      ["1", "43114", 3, 1, 0],
      [1, "43114", 3, -1, 0],
    ]) {
      expect(await refused(swaps(parts))).toEqual(invalidCursor)
    }
    const top = (parts: ReadonlyArray<string | number | null>) => {
      const bound = binding("top-erc20", [["sort", { field: "marketCap", direction: "desc" }]], selectors)
      return `${prefix("43114")}/top-erc20?next=${encodeCursor(bound, "next", parts)}`
    }
    // A number = no market capitalisation, and so many holders.
    for (const cap of ["0", "9".repeat(100), 0, 5]) {
      expect((await service.get(top([cap, "43114", big]))).status).toBe(200)
    }
    for (const cap of [null, 1.5, -1, "05", "1.5", "-1", "9".repeat(200)]) {
      expect(await refused(top([cap, "43114", big]))).toEqual(invalidCursor)
    }
  })
})

test("a feed of one chain gives each row exactly once, also while blocks arrive; a cursor of `all` survives it too", async () => {
  const live = await startService()
  const chain = busyChain()
  const writer = await store(live, "43114", chain)
  const before = (await live.get(`${prefix("43114")}/erc20-transfers?limit=1000`)).body.items
  for (const chainId of ["43114", "all"]) {
    const seen: Array<Json> = []
    let path: string | undefined = `${prefix(chainId)}/erc20-transfers?limit=100`
    const newest = chain.nextBlock - 1
    while (path !== undefined) {
      const { body }: { body: Json } = await live.get(path)
      seen.push(...body.items)
      path = body.link.next
      const from = chain.nextBlock
      chain.block([transfer(big, zero, holder(1), 1n)])
      await live.run(writer.append(chain.segment(from)))
    }
    const old = seen.filter((item) => item.blockNumber <= newest)
    expect(old.length).toBe(seen.length)
    expect(new Set(old.map((item) => `${item.blockNumber}:${item.logIndex}`)).size).toBe(old.length)
    const ofStart = old.filter((item) => item.blockNumber <= 60)
    expect(ofStart.slice(0, 1000)).toEqual(before)
    expect(ofStart.length).toBe(1130)
  }
  await live.close()
})

test("a cursor of transfers with wraps among them is of that list alone; one without the parameter is what it was", async () => {
  const weth = address(0x9e)
  const wrapping = new TestChain(new Set([weth]))
  for (let block = 0; block < 4; block++)
    wrapping.block([deposit(weth, holder(1), 5n), transfer(weth, holder(1), holder(2), 1n)])
  const other = await startService()
  try {
    const writer = await other.open("43114")
    await other.run(writer.append(wrapping.segment(0)))
    const path = `${prefix("43114")}/erc20-transfers?limit=3`
    const walk = async (query: string) => {
      const kinds: Array<string> = []
      for (let next: string | undefined = `${path}${query}`; next !== undefined; ) {
        const { body }: { body: Json } = await other.get(next)
        kinds.push(...body.items.map(({ wrap = "transfer" }: Json) => wrap))
        next = body.link.next
      }
      return kinds.sort()
    }
    expect(await walk("&include=wraps")).toEqual([...Array(4).fill("deposit"), ...Array(4).fill("transfer")])
    expect(await walk("")).toEqual(Array(4).fill("transfer"))
    const tokenOf = async (query: string) => (await other.get(path + query)).body.link.nextToken
    const [plain, wraps] = [await tokenOf(""), await tokenOf("&include=transactionIndex,wraps")]
    const statusOf = async (query: string) => (await other.fetch(path + query)).status
    expect(await statusOf(`&include=wraps&next=${plain}`)).toBe(400)
    expect(await statusOf(`&next=${wraps}`)).toBe(400)
    // Fields change no row.
    expect(await statusOf(`&include=wraps&next=${wraps}`)).toBe(200)
    expect(await statusOf(`&include=transactionIndex&next=${plain}`)).toBe(200)
  } finally {
    await other.close()
  }
})

test("holders whose logs add up to more than 256 bits are walked page by page, both ways", async () => {
  const holders = [1, 2, 3, 4].map(holder)
  const chain = new TestChain()
  for (let block = 0; block < 12; block++)
    chain.block(
      holders.flatMap((owner, place) => [
        transfer(big, zero, owner, mostId - BigInt(place)),
        multiTransfer(potions, zero, owner, [[7n, mostId - BigInt(place)]]),
      ]),
    )
  chain.block([transfer(big, holders[0]!, holders[1]!, 1n)])
  const moved = [-1n, 1n, 0n, 0n]
  const vast = await startService()
  await store(vast, "43114", chain)
  for (const path of [`erc20/${big}/holders`, `erc1155/${potions}/holders`])
    for (const moment of ["", "&blockNumber=11"]) {
      const pages: Array<string> = []
      for (let next = `${prefix("43114")}/${path}?limit=1${moment}`; next !== undefined; ) {
        const { status, body } = await vast.get(next)
        expect([status, body.items?.length]).toEqual([200, 1])
        if (pages.length > 0) expect((await vast.get(body.link.prev)).body.items[0].balance).toBe(pages.at(-1))
        pages.push(body.items[0].balance)
        next = body.link.next
      }
      const isNow = path.startsWith("erc20") && moment === ""
      expect(pages).toEqual(moved.map((by, place) => String(12n * (mostId - BigInt(place)) + (isNow ? by : 0n))))
      expect(pages[0]).toHaveLength(79)
    }
  await vast.close()
})
