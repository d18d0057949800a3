/** docs/interface.md, "Paths and chains": every combination of chain and selectors, on every list that takes `all`, against the rule written once more. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chains, type Json, prefix, startService, store } from "../support.ts"
import { ethereum, startWorld } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld()
  await store(service, "10", ethereum())
})
afterAll(() => service.close())

const lists = ["erc1155", "erc1155-transfers", "erc20", "erc20-transfers", "erc721", "erc721-transfers"]
const empty = ["erc20-swaps", "top-erc20"]
const paths = ["1", "10", "43114", "all"]
const ecosystems = [undefined, "", "ethereum", "superchain", "43114", "43113", "nowhere"]
const idLists = [undefined, "", "1", "10,43114", "999,43113", "x,,1"]

const queryOf = (ecosystem?: string, included?: string, excluded?: string): string =>
  Object.entries({ ecosystem, includedChainIds: included, excludedChainIds: excluded })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join("&")

/** The chains that an answer may speak of. */
const expected = (path: string, ecosystem?: string, included?: string, excluded?: string): ReadonlyArray<string> =>
  chains
    .filter(({ network, chainId }) => network === "mainnet" && (path === "all" || path === chainId))
    .filter(({ chainId, ecosystems }) => !ecosystem || ecosystem === chainId || ecosystems.includes(ecosystem))
    .filter(({ chainId }) => !included || included.split(",").includes(chainId))
    .filter(({ chainId }) => !excluded?.split(",").includes(chainId))
    .map(({ chainId }) => chainId)

const combinations = ecosystems.flatMap((ecosystem) =>
  idLists.flatMap((included) => idLists.map((excluded) => [ecosystem, included, excluded] as const)),
)

describe.each(lists)("%s", (list) => {
  test.each(paths)("of %s under every combination of the selectors", async (path) => {
    for (const selectors of combinations) {
      const query = `${queryOf(...selectors)}&count=true`
      const response = await service.fetch(`${prefix(path)}/${list}?${query}`)
      const body: Json = await response.json()
      const found = [...new Set<string>(body.items.map((item: Json) => item.chainId))]
      const selected = expected(path, ...selectors)
      const asOf = response.headers.get("x-as-of-block")?.split(",") ?? []
      expect([query, response.status, found.sort(), body.count]).toEqual([
        query,
        200,
        [...selected].sort(),
        body.items.length,
      ])
      // Without any chain the headers speak of those that the path names.
      const spoken = selected.length > 0 ? selected : expected(path)
      expect(asOf.map((text) => text.split(":")[0])).toEqual([...spoken])
    }
  })
})

test.each(empty)("%s takes them too", async (list) => {
  for (const selectors of combinations) {
    const { status, body } = await service.get(`${prefix("all")}/${list}?${queryOf(...selectors)}`)
    expect([status, body]).toEqual([200, { items: [], link: {} }])
  }
})

test("lists of ids may be repeated or joined by commas: both mean the same", async () => {
  for (const name of ["includedChainIds", "excludedChainIds"]) {
    const of = async (query: string) => (await service.get(`${prefix("all")}/erc721?${query}`)).body.items
    const joined = await of(`${name}=1,10`)
    expect(await of(`${name}=1&${name}=10`)).toEqual(joined)
    expect(await of(`${name}=10%2C1`)).toEqual(joined)
    expect(joined.length).toBe(name === "includedChainIds" ? 2 : 1)
  }
})

test("A chain in its first sync answers for what is indexed so far", async () => {
  const young = await startService()
  const writer = await young.open("1", 20)
  const countOf = async () => (await young.get(`${prefix("all")}/erc20-transfers?count=true`)).body.count
  expect(await countOf()).toBe(0)
  await young.run(writer.append(ethereum().segment(20, 21)))
  expect(await countOf()).toBe(1)
  await young.run(writer.append(ethereum().segment(22)))
  expect(await countOf()).toBe(2)
  await young.close()
})
