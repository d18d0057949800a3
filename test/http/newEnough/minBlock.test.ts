/** `x-min-block` beside lists over several chains: held against those that they speak of, and no others. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ChainId } from "../../../src/model/primitives.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { chains, prefix, store, type TestService } from "../support.ts"
import { ann, bob, cid, gold, startWorld, zero } from "../world.ts"

/** More than a page of Alchemy's has. */
const many = Array.from({ length: 101 }, (_, place) => transfer(address(0x1000 + place), zero, cid, 1n))
const begin = 1_700_000_000
let service: TestService
beforeAll(async () => {
  const young = { chainId: ChainId.make("137"), network: "mainnet", ecosystems: [] }
  service = await startWorld({ compatShapes: ["alchemy"], chains: [...chains, young] })
  const chain = new TestChain(new Set(), 0, begin + 1000).block([transfer(gold, zero, ann, 1n), ...many])
  await store(service, "137", chain)
})
afterAll(() => service.close())

const all = prefix("all")
const behind = "503 BEHIND_MIN_BLOCK"

/** Of each header, all at once: the blocks that the answer speaks of, or how it is refused. */
const asked = (path: string, minBlocks: ReadonlyArray<string>, init: RequestInit = {}) =>
  Promise.all(
    minBlocks.map(async (minBlock) => {
      const response = await service.fetch(path, { ...init, headers: { ...init.headers, "x-min-block": minBlock } })
      const text = await response.text()
      if (response.status === 200) return response.headers.get("x-as-of-block")
      const { code } = JSON.parse(text) as { readonly code?: string }
      return code === undefined ? String(response.status) : `${response.status} ${code}`
    }),
  )

describe("a chain that the selectors leave out counts for nothing", () => {
  test.each([
    `${all}/erc20?includedChainIds=43114`,
    `${all}/erc20-transfers?excludedChainIds=1,10,137`,
    `${all}/erc20?ecosystem=avalanche`,
    `${all}/address/${ann}/tokens?standard=erc20&includedChainIds=43114`,
    `${all}/tokens-of?address=${ann}&standard=erc20&includedChainIds=43114`,
    `${all}/address/${ann}/portfolio?standard=erc20&includedChainIds=43114`,
    `${all}/address/${ann}/portfolio/history?includedChainIds=43114`,
  ])("%s", async (path) => {
    const own = "43114:4"
    const found = await asked(path, [own, `${own},1:23`, `${own},10:0`, "43114:5,1:23"])
    expect(found).toEqual([own, own, own, behind])
  })

  test("also where none is left, and where what is asked is refused", async () => {
    expect(await asked(`${all}/erc20?includedChainIds=7`, ["43114:5"])).toEqual(["1:22,43114:4,137:0"])
    const refused = await asked(`${all}/erc20?includedChainIds=43114&limit=x`, ["43114:4,1:23"])
    expect(refused).toEqual(["400 INVALID_PARAMETER"])
  })

  test("a number alone is of no one chain, whichever are left", async () => {
    expect(await asked(`${all}/erc721?includedChainIds=43114`, ["4"])).toEqual(["400 INVALID_PARAMETER"])
  })
})

describe("a chain that an answer speaks of is held", () => {
  const whole = "1:22,43114:4,137:0"
  test.each([
    `${all}/erc20`,
    // Another chain has rows of it, or none has.
    `${all}/erc20-transfers?tokenAddress=${gold}`,
    `${all}/erc20?tokenAddress=${address(0xdead)}`,
    `${all}/address/${address(0xbeef)}/tokens?standard=erc20`,
    `${all}/address/${address(0xbeef)}/portfolio?standard=erc20`,
  ])("%s", async (path) => {
    // Of a chain without a block there may be blocks elsewhere.
    expect(await asked(path, [whole, "1:23", "10:0"])).toEqual([whole, behind, behind])
  })

  test("also where the answer is kept", async () => {
    const path = `${all}/erc20?includedChainIds=1,43114`
    expect((await service.fetch(path)).status).toBe(200)
    expect(await asked(path, ["1:22,43114:4,10:7", "1:23"])).toEqual(["1:22,43114:4", behind])
  })
})

describe("as of a time", () => {
  const of = (path: string, more = "") => `${all}${path}?standard=erc20&timestamp=${begin + 45}${more}`
  test.each([of(`/address/${ann}/tokens`), of(`/address/${ann}/portfolio`), of("/tokens-of", `&address=${ann}`)])(
    "a chain that began later counts for nothing: %s",
    async (path) => {
      const whole = "1:22,43114:4"
      // Whatever comes to it, it began later. Of one without a block nobody knows when it began.
      const found = await asked(path, [`${whole},137:0`, "137:1", "1:23,137:1", "10:0"])
      expect(found).toEqual([whole, whole, behind, behind])
      const rows = { headers: { accept: "application/x-ndjson" } }
      expect(await asked(path, ["137:1", "10:0"], rows)).toEqual([whole, behind])
    },
  )

  test("it counts for nothing on the next page either", async () => {
    const path = of(`/address/${bob}/tokens`, "&limit=1&includedChainIds=1,43114,137")
    const { link } = (await service.get(path)).body
    expect(await asked(link.next, ["137:1", "1:23"])).toEqual(["1:22,43114:4", behind])
  })

  test("a chain of which no block is final yet is held: one may be elsewhere", async () => {
    const path = `${all}/address/${ann}/tokens?standard=erc20&finality=finalized&includedChainIds=43114,137`
    expect(await asked(path, ["137:0", "137:1"])).toEqual([null, behind])
  })
})

describe("of Alchemy's path", () => {
  const path = "/data/v1/key/assets/tokens/by-address"
  const of = (addresses: ReadonlyArray<readonly [string, string]>, pageKey?: string) => ({
    method: "POST",
    body: JSON.stringify({
      addresses: addresses.map(([address, network]) => ({ address, networks: [network] })),
      includeNativeTokens: false,
      ...(pageKey === undefined ? {} : { pageKey }),
    }),
  })

  test("chains that nobody named count for nothing, and those that the page read are held", async () => {
    expect(await asked(path, ["43114:4,1:23"], of([[ann, "avax-mainnet"]]))).toEqual(["43114:4"])
    const both = of([
      [ann, "avax-mainnet"],
      [bob, "eth-mainnet"],
    ])
    const found = await asked(path, ["43114:4,1:22", "43114:4,1:23", "43114:5,1:22"], both)
    expect(found).toEqual(["43114:4,1:22", "503", "503"])
  })

  test("chains that the page did not come to count for nothing", async () => {
    const named = [
      [cid, "polygon-mainnet"],
      [bob, "eth-mainnet"],
    ] as const
    expect(await asked(path, ["137:0,1:23", "137:1,1:22"], of(named))).toEqual(["137:0", "503"])
    const { data } = (await service.get(path, of(named))).body
    const found = await asked(path, ["137:0,1:22", "137:1,1:22", "1:23"], of(named, data.pageKey))
    expect(found).toEqual(["137:0,1:22", "503", "503"])
  })
})
