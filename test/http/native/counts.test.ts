/** docs/interface.md, "Lists": what each list says of its total, against the rows of the whole walk. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../support.ts"

const zero = address(0)
const ann = address(0xc1)
const bob = address(0xc2)
const coin = address(0x20)
const apes = address(0x721)
const potions = address(0x1155)
const range = (length: number) => Array.from({ length }, (_, index) => BigInt(index))

/** 10,030 transfers of each standard: to ann, save 30 to bob. Ids 1 to 10,000 are minted for ann. */
const manyTransfers = () =>
  new TestChain()
    .block(range(10_000).map((id) => transfer(coin, zero, ann, id + 1n)))
    .block(range(10_000).map((id) => nftTransfer(apes, zero, ann, id + 1n)))
    .block([
      multiTransfer(
        potions,
        zero,
        ann,
        range(10_000).map((id) => [id + 1n, 1n] as const),
      ),
    ])
    .block(
      range(30).flatMap((id) => [
        transfer(coin, ann, bob, 1n),
        nftTransfer(apes, ann, bob, id + 1n),
        multiTransfer(potions, ann, bob, [[id + 1n, 1n]]),
      ]),
    )

let service: TestService
beforeAll(async () => {
  service = await startService()
  await store(service, "43114", manyTransfers())
})
afterAll(() => service.close())

const avax = prefix("43114")
const counted = async (path: string): Promise<Json> => {
  const { status, body } = await service.get(`${avax}/${path}${path.includes("?") ? "&" : "?"}limit=1&count=true`)
  expect([status, body.items.length]).toEqual([200, Math.min(1, body.count)])
  return { count: body.count, countType: body.countType }
}
const exactly = (count: number) => ({ count, countType: "exact" })
const atLeast = (count: number) => ({ count, countType: "lowerBound" })

describe.each(["erc20", "erc721", "erc1155"])("%s", (standard) => {
  const contract = { erc20: coin, erc721: apes, erc1155: potions }[standard]!
  const feed = `${standard}-transfers`

  test("`exact` only when it is: a feed without filters and one of contracts alone have counters", async () => {
    expect(await counted(feed)).toEqual(exactly(10_030))
    expect(await counted(`${feed}?tokenAddress=${contract}`)).toEqual(exactly(10_030))
    expect(await counted(`${feed}?tokenAddress=${contract},${address(0xdead)}`)).toEqual(exactly(10_030))
    expect(await counted(`${feed}?tokenAddress=${address(0xdead)}`)).toEqual(exactly(0))
  })

  test("under other filters count to 10,000 and say `lowerBound`; below that it is exact", async () => {
    expect(await counted(`${feed}?address=${ann}`)).toEqual(atLeast(10_000))
    expect(await counted(`${feed}?blockNumberTo=9`)).toEqual(atLeast(10_000))
    expect(await counted(`${feed}?to=${ann}`)).toEqual(exactly(10_000))
    expect(await counted(`${feed}?from=${ann}&tokenAddress=${contract}`)).toEqual(exactly(30))
    expect(await counted(`${feed}?blockNumberFrom=3&blockNumberTo=3`)).toEqual(exactly(30))
    expect(await counted(`${feed}?from=${bob}`)).toEqual(exactly(0))
  })

  test("contracts", async () => {
    expect(await counted(standard)).toEqual(exactly(1))
    expect(await counted(`${standard}?excludedChainIds=43114`)).toEqual(exactly(0))
  })
})

test("transfers of ids", async () => {
  expect(await counted(`erc721-transfers?tokenAddress=${apes}&tokenId=1,2,31`)).toEqual(exactly(5))
  expect(await counted(`erc1155-transfers?tokenAddress=${potions}&tokenId=30`)).toEqual(exactly(2))
})

test("holders: distinct addresses; of ERC-1155 rows (address, id); ids of ERC-721", async () => {
  expect(await counted(`erc20/${coin}/holders`)).toEqual(exactly(2))
  expect(await counted(`erc721/${apes}/holders`)).toEqual(exactly(2))
  expect(await counted(`erc1155/${potions}/holders`)).toEqual(exactly(10_000))
  expect(await counted(`erc721/${apes}/tokens`)).toEqual(exactly(10_000))
})

test("swaps and trusted tokens that are not configured: none, exactly", async () => {
  expect(await counted("erc20-swaps")).toEqual(exactly(0))
  expect(await counted("top-erc20")).toEqual(exactly(0))
})
