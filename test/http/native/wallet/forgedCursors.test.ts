/** Places that no list gave, in cursors whose checksum is right: they are refused, or say nothing of what was not asked. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { heldCursor } from "../../../../src/adapters/http/native/wallet/heldCursor.ts"
import { type CursorParts, encodeCursor } from "../../../../src/model/cursor.ts"
import { ChainId } from "../../../../src/model/primitives.ts"
import { searchPlaces, searchTextOf } from "../../../../src/model/search/searchText.ts"
import type { ChainPin, HeldKey } from "../../../../src/model/wallet/holdings.ts"
import { address, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../../support.ts"
import { ann, zero } from "../../world.ts"

const hour = 3600
const begin = 19_700 * 24 * hour
const [one, other] = [ChainId.make("43114"), ChainId.make("1")]

let service: TestService
beforeAll(async () => {
  service = await startService()
  for (const [place, chainId] of [one, other].entries()) {
    const chain = new TestChain(new Set(), 0, begin)
    for (let block = 0; block < 4; block++)
      chain.block([transfer(address(10 * (place + 1) + block), zero, ann, 1n)], { time: begin + block * hour })
    await store(service, chainId, chain)
  }
})
afterAll(() => service.close())

/** As the service writes what its cursors are bound to. */
const selectors = ["ecosystem", "includedChainIds", "excludedChainIds"].map((name) => [name, null])
const answerOf = async (path: string, binding: string, parts: CursorParts) => {
  const { status, body } = await service.get(`${path}&next=${encodeCursor(binding, "next", parts)}`)
  return [status, status === 200 ? body.items : body.code]
}

test("a time of a history that is between two of its hours or days", async () => {
  for (const [chain, interval, seconds] of [
    [one, "1h", hour],
    [one, "1d", 24 * hour],
    ["all", "1h", hour],
  ] as const) {
    const path = `${prefix(chain)}/address/${ann}/portfolio/history?interval=${interval}&sort=asc&limit=1`
    const binding = JSON.stringify([
      ...["address/portfolio/history", "mainnet", chain],
      [
        ["interval", interval],
        ["standard", ["erc20"]],
        ["trusted", false],
        ["sort", "asc"],
        ["blockNumberFrom", null],
        ["blockNumberTo", null],
      ],
      [...selectors, ["address", ann]],
    ])
    const place = (time: number) => [time, 0]
    const [status, items] = await answerOf(path, binding, place(begin))
    expect([status, items.map(({ timestamp }: Json) => Date.parse(timestamp) / 1000 - begin)]).toEqual([
      200,
      seconds === hour ? [hour] : [],
    ])
    for (const time of [begin + 1, begin - 1, begin + seconds / 2])
      expect([chain, interval, time - begin, ...(await answerOf(path, binding, place(time)))]).toEqual([
        ...[chain, interval, time - begin],
        ...[400, "INVALID_CURSOR"],
      ])
  }
})

test("chains that were not asked, or twice, among the blocks of a walk", async () => {
  const path = `${prefix(one)}/address/${ann}/tokens?blockNumber=3`
  const sort = { field: "valueUsd", direction: "desc" }
  const binding = JSON.stringify([
    ...["address/tokens", "mainnet", one],
    [
      ["standard", ["erc20", "erc721", "erc1155"]],
      ["trusted", false],
      ["minValueUsd", null],
      ["sort", sort],
      ["detail", false],
      ["blockNumber", 3],
    ],
    [...selectors, ["address", [ann]]],
  ])
  const pinOf = (chainId: ChainId): ChainPin => ({ chainId, blockNumber: 3, rollbacks: 0, hour: begin / hour + 3 })
  const place: HeldKey = {
    ...{ value: "1", chainId: one, address: ann, standard: "erc20", tokenAddress: address(1), tokenId: null },
  }
  const rows = (await service.get(path)).body.items
  expect(rows.length).toBe(4)
  for (const [chains, wanted] of [
    [[one], rows],
    [[other, one], rows],
    [[one, one], rows],
    [[other], []],
  ] as const) {
    const parts = heldCursor.toParts({ ...place, pins: chains.map(pinOf) })
    expect([chains, ...(await answerOf(path, binding, parts))]).toEqual([chains, 200, wanted])
  }
})

test("an address that is none, among the tokens that a text finds", async () => {
  const search = "0x000000"
  const path = `${prefix(one)}/erc20?search=${search}&limit=1`
  const binding = JSON.stringify([
    ...["erc20", "mainnet", one],
    [
      ["sort", { field: "createdAt", direction: "desc" }],
      ["search", searchTextOf(search)],
    ],
    selectors,
  ])
  const addresses = searchPlaces.indexOf("address")
  const found = await answerOf(path, binding, [addresses, address(10).slice(2), one, "0"])
  expect([found[0], found[1].length]).toEqual([200, 1])
  for (const run of [addresses, addresses + searchPlaces.length])
    for (const text of ["zz", "", "ab", address(10), "A".repeat(40), `${"0".repeat(40)}\n`])
      expect([run, text, ...(await answerOf(path, binding, [run, text, one, "0"]))]).toEqual([
        ...[run, text],
        ...[400, "INVALID_CURSOR"],
      ])
})
