/** Trusted tokens, what people say of tokens, and native supply, over HTTP: from their sources to the answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryKeptCopies from "../../../src/adapters/memory/MemoryKeptCopies.ts"
import * as MemorySyncStatus from "../../../src/adapters/memory/MemorySyncStatus.ts"
import * as ConfiguredSupply from "../../../src/adapters/supply/ConfiguredSupply.ts"
import { recordNotes } from "../../../src/domain/enrich/trust.ts"
import { TokenInfoEntry } from "../../../src/model/compat.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { type AddressedNote, commonWords } from "../../../src/model/tokenNote.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { NativeBalances } from "../../../src/ports/NativeBalances.ts"
import { Networks } from "../../../src/ports/Networks.ts"
import { TokenLists } from "../../../src/ports/TokenLists.ts"
import { DocumentUnavailable, WebDocuments } from "../../../src/ports/WebDocuments.ts"
import { hash } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService } from "../support.ts"
import { ann, apes, gold, other, potions, salt, startWorld } from "../world.ts"

const logo = "https://gold.example/logo.png"
const everyText = Object.fromEntries(commonWords.map((word) => [word, `the ${word}`]))
const notes = new Map<ChainId, ReadonlyArray<AddressedNote>>([
  [
    ChainId.make("43114"),
    [
      { address: gold, trusted: true, texts: { ...everyText, image: logo } },
      { address: salt, trusted: true, texts: { website: "https://salt.example" } },
      { address: apes, trusted: true, texts: {} },
      { address: potions, trusted: false, texts: { discord: "potions" } },
      // Not of this ledger.
      { address: ann, trusted: true, texts: {} },
    ],
  ],
  [ChainId.make("1"), [{ address: other, trusted: true, texts: {} }]],
])

describe("trusted tokens", () => {
  let service: Awaited<ReturnType<typeof startWorld>>
  beforeAll(async () => {
    service = await startWorld()
    await service.run(
      recordNotes(() => ({}), new Map()).pipe(Effect.provideService(TokenLists, { read: Effect.succeed(notes) })),
    )
  })

  test("transfers of them alone, of every standard, of a chain and of a wallet", async () => {
    for (const [list, token] of [
      ["erc20-transfers", undefined],
      ["erc721-transfers", apes],
      ["erc1155-transfers", undefined],
    ] as const) {
      const rowsOf = async (query: string) => (await service.get(`${prefix("43114")}/${list}?${query}`)).body
      const plain = (await rowsOf("")).items as ReadonlyArray<Json>
      const wanted = plain.filter(({ tokenAddress }) => [gold, salt, apes].includes(tokenAddress))
      const trusted = await rowsOf("trusted=true&count=true")
      expect([list, trusted.items, trusted.count]).toEqual([list, wanted, wanted.length])
      const mine = wanted.filter(({ from, to }) => [from, to].includes(ann))
      expect((await rowsOf(`trusted=true&address=${ann}`)).items).toEqual(mine)
      expect((await rowsOf("trusted=false")).items).toEqual(plain)
      if (token !== undefined) expect(wanted.length).toBeGreaterThan(0)
    }
    const refusal = await service.get(`${prefix("43114")}/erc20-transfers?trusted=1`)
    expect([refusal.status, refusal.body.message]).toEqual([400, "trusted: expected true or false, got 1"])
  })
  afterAll(() => service.close())

  const addressesOf = async (path: string): Promise<ReadonlyArray<string>> =>
    (await service.get(path)).body.items.map((item: Json) => item.address)
  const info = async (token: string) =>
    (await service.get(`${prefix("43114")}/compat/api?module=token&action=tokeninfo&contractaddress=${token}`)).body
      .result

  test("`/top-erc20` = ERC-20 tokens of the ledger on a list, the same records as `/erc20` has", async () => {
    const all = (await service.get(`${prefix("43114")}/erc20?sort=holdersCount`)).body
    expect((await service.get(`${prefix("43114")}/top-erc20?count=true`)).body).toEqual({
      items: all.items,
      count: 2,
      countType: "exact",
      link: {},
    })
    expect(all.items.map((item: Json) => item.address)).toEqual([gold, salt])
  })

  test("absent market capitalisations last, then by holders, then chain and address; walked by its links", async () => {
    const walked: Array<string> = []
    let path: string | undefined = `${prefix("all")}/top-erc20?limit=1`
    const backward: Array<string> = []
    let last = ""
    while (path !== undefined) {
      const { body } = await service.get(path)
      walked.push(...body.items.map((item: Json) => item.address))
      last = path
      path = body.link.next
    }
    expect(walked).toEqual([gold, other, salt])
    path = (await service.get(last)).body.link.prev
    while (path !== undefined) {
      const { body } = await service.get(path)
      backward.unshift(...body.items.map((item: Json) => item.address))
      path = body.link.prev
    }
    expect(backward).toEqual([gold, other])
  })

  test("other orders and the chain selectors", async () => {
    expect(await addressesOf(`${prefix("all")}/top-erc20?sort=name,asc`)).toEqual([gold, other, salt])
    expect(await addressesOf(`${prefix("all")}/top-erc20?sort=marketCap,asc`)).toEqual([salt, other, gold])
    expect(await addressesOf(`${prefix("all")}/top-erc20?excludedChainIds=43114`)).toEqual([other])
    expect(await addressesOf(`${prefix("all")}/top-erc20?ecosystem=avalanche&sort=createdAt`)).toEqual([salt, gold])
    expect(await addressesOf(`${prefix("10")}/top-erc20`)).toEqual([])
  })

  test("tokeninfo says all that is said of a token, in the order of the contract", async () => {
    const [entry] = await info(gold)
    expect(entry).toEqual({
      contractAddress: gold,
      tokenType: "ERC20",
      tokenName: "Gold",
      symbol: "AU",
      totalSupply: "900",
      blueCheckmark: "true",
      ...everyText,
    })
    expect(Object.keys(entry)).toEqual(
      Object.keys(TokenInfoEntry.fields).filter(
        (name) => !["whitepaper", "divisor", "tokenPriceUSD", "image"].includes(name),
      ),
    )
  })

  test("the white paper has on Etherscan's own paths the name that its clients read too", async () => {
    const papersOf = async (token: string) => {
      const { body } = await service.get(`/api?chainid=43114&module=token&action=tokeninfo&contractaddress=${token}`)
      return [body.result[0].whitepaper, body.result[0].whitepaperUrl]
    }
    expect(await papersOf(gold)).toEqual([everyText.whitepaperUrl, everyText.whitepaperUrl])
    expect(await papersOf(salt)).toEqual(["", ""])
    expect((await info(gold))[0].whitepaper).toBeUndefined()
  })

  test("a logo is told on Etherscan's own paths alone, and where there is one", async () => {
    const imageOf = async (token: string) => {
      const { body } = await service.get(`/api?chainid=43114&module=token&action=tokeninfo&contractaddress=${token}`)
      return body.result[0].image
    }
    expect([await imageOf(gold), await imageOf(salt)]).toEqual([logo, undefined])
    expect((await info(gold))[0].image).toBeUndefined()
  })

  test("blueCheckmark is whether a list has it, of any kind of token; unknown texts are empty", async () => {
    const shown = async (token: string) =>
      (await info(token)).map(({ blueCheckmark, website, discord }: Json) => [blueCheckmark, website, discord])
    expect(await shown(salt)).toEqual([["true", "https://salt.example", ""]])
    expect(await shown(apes)).toEqual([["true", "", ""]])
    expect(await shown(potions)).toEqual([["false", "", "potions"]])
    expect(await shown(ann)).toEqual([])
  })
})

describe("native supply", () => {
  const published = { kind: "http", totalUrl: "https://supply.test/secretkey123" } as const
  const figures = { fixed: "720000000.000000000000000009", burnt: 4n }
  const sources = ConfiguredSupply.layer([
    {
      chainId: ChainId.make("43114"),
      nativeCurrency: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
      supply: { kind: "fixed", total: figures.fixed, burnt: [gold], locked: [salt] },
    },
    { chainId: ChainId.make("1"), nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 }, supply: published },
  ]).pipe(
    Layer.provide([
      MemoryKeptCopies.layer,
      MemorySyncStatus.layer([]),
      Layer.succeed(Networks, { chains: [] }),
      Layer.succeed(WebDocuments, {
        get: () => Effect.fail(new DocumentUnavailable({ message: "https://supply.test: HTTP 500" })),
      }),
      Layer.succeed(NativeBalances, {
        of: (_, addresses) => Effect.succeed(addresses.map(() => figures.burnt)),
      }),
      Layer.succeed(Freshness, {
        newest: () => Effect.undefined,
        touched: () => Effect.undefined,
        asOf: (chains) =>
          Effect.succeed(
            chains.map((chainId) => ({
              chainId,
              blockNumber: 4,
              hash: hash("head"),
              time: 1_700_000_048,
              finality: "latest" as const,
              nodeHead: 4,
              firstBlock: 0,
              revision: 0,
              figures: 0,
              rewrites: 0,
            })),
          ),
      }),
    ]),
  )
  const avax = {
    chainId: "43114",
    symbol: "AVAX",
    totalSupply: "720000000.000000000000000005",
    circulatingSupply: "720000000.000000000000000001",
    blockNumber: 4,
    timestamp: "2023-11-14T22:14:08.000Z",
  }

  test("less burnt and locked balances, exact to the last digit, with its age; a source that never answered is 503", async () => {
    const service = await startService({ replace: sources })
    const response = await service.fetch(`${prefix("43114")}/supply`)
    expect([response.status, await response.json()]).toEqual([200, avax])
    expect(response.headers.get("age")).toMatch(/^\d+$/)
    expect(await service.get(`${prefix("all")}/supply`)).toEqual({ status: 200, body: { chains: [avax] } })
    const failed = await service.fetch(`${prefix("1")}/supply`)
    expect([failed.status, failed.headers.get("retry-after"), await failed.json()]).toEqual([
      503,
      "5",
      {
        statusCode: 503,
        code: "UNAVAILABLE",
        error: "Service Unavailable",
        message: "the source of the native supply of chain 1 gives no answer at the moment, try again shortly",
      },
    ])
    expect(service.logs.join()).not.toContain("secretkey123")
    expect((await service.get(`${prefix("10")}/supply`)).body.code).toBe("SUPPLY_NOT_CONFIGURED")
    await service.close()
  })
})
