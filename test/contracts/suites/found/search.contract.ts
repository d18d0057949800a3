/** The contract of searching tokens, of one token, and of lists of named contracts: against plain filters over what was written. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { PageRequest } from "../../../../src/model/page.ts"
import type { Address, ChainId } from "../../../../src/model/primitives.ts"
import { type SearchKey, searchTextOf } from "../../../../src/model/search/searchText.ts"
import { erc20SortFields, type TokenDescription, type TokenKey } from "../../../../src/model/token.ts"
import { TokenNotes } from "../../../../src/ports/TokenNotes.ts"
import { TokenStore } from "../../../../src/ports/TokenStore.ts"
import { TrustedTokens } from "../../../../src/ports/TrustedTokens.ts"
import { address, nftTransfer, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type ContractScope, freshChainId, type MakeStore, openStore, stepsOf, type TestStore } from "../../store.ts"
import { walkBackward, walkForward } from "../../walk.ts"

const zero = address(0)
const [ann, bob] = [address(0xd001), address(0xd002)]

/** What they call themselves, in the order of their birth, and whether a list vouches for them. */
const coins: ReadonlyArray<TokenDescription & { readonly trusted?: true }> = [
  { name: "USD Coin", symbol: "USDC", trusted: true },
  { name: "Tether USD", symbol: "USDT", trusted: true },
  { name: "USD Coin", symbol: "USDC" },
  { name: "usd coin (PoS)", symbol: "USDC.e" },
  { name: "Wrapped   Ether", symbol: "WETH", trusted: true },
  { name: "100% Free_Coin", symbol: "%_%" },
  { name: "ÜBER Coin", symbol: "Über" },
  { name: "🦄 Unicorn", symbol: "🦄" },
  { name: "One Two Three Four Five", symbol: "12345" },
  { name: "USD Coin", symbol: "USDC" },
  { name: "", symbol: "" },
  {},
  { name: `${"x".repeat(70)} tail`, symbol: "LONG" },
  { name: "0xbeefed", symbol: "0x" },
  { symbol: "USD" },
  { name: "Coin of USD Coin" },
  { name: "\u{10ffff} edge", symbol: "us\u{10ffff}" },
  { name: "Us", symbol: "u", trusted: true },
  { name: "Uniswap V2", symbol: "UNI-V2" },
  { name: "Uni V2 Fan", symbol: "uni v2." },
  { name: "Straßen \u200bGeld", symbol: "ＷＩＤＥ" },
  { name: "\u3164", symbol: "\u200b" },
]
const queries = [
  ...[
    "u",
    "us",
    "usd",
    "USDC",
    "usdc.e",
    "usdc e",
    "univ2",
    "uni v2",
    "coin",
    "coin pos",
    "Usd  Coin",
    "c",
    "free",
    "%",
    "_",
    "%_%",
    "",
    " ",
    "100",
  ],
  ...[
    "über",
    "🦄",
    "unicorn",
    "two",
    "two three",
    "four five",
    "five",
    "five six",
    "x".repeat(64),
    "x".repeat(65),
    "tail",
  ],
  ...[
    "0x",
    "0xbeefed",
    "0x0000000000",
    `0x${"0".repeat(36)}7003`,
    "0xABCDEF",
    "'; drop table token; --",
    "\\",
    "us\u{10ffff}",
    "é",
    "uber",
    "STRASSE",
    "geld",
    "wide",
    "w\u200bide",
    "\u200b",
  ],
]

const words = (text = "") =>
  [
    ...text
      .normalize("NFKD")
      .replace(/[\p{Mn}\p{Cf}\u3164]/gu, "")
      .replaceAll("ß", "ss")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{S}]+|[$+<=>^`|~]/gu, " ")
      .trim(),
  ]
    .slice(0, 64)
    .join("")
    .trim()

/** Where a token stands for a query; undefined = nowhere. */
const placeOf = ({ name, symbol }: TokenDescription, token: Address, query: string) => {
  const asked = words(query)
  const named = words(name)
  const split = named.split(" ")
  const texts = [words(symbol).replaceAll(" ", ""), named, ...[1, 2, 3].map((from) => split.slice(from).join(" "))]
  const worded =
    asked === "" ? -1 : texts.findIndex((text, at) => text.startsWith(at === 0 ? asked.replaceAll(" ", "") : asked))
  if (worded !== -1) return { place: worded, text: texts[worded]! }
  const folded = query.trim().toLowerCase()
  return /^0x[0-9a-f]{6,40}$/.test(folded) && token.startsWith(folded) ? { place: 5, text: token } : undefined
}

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

export const searchContract = (name: string, makeStore: MakeStore, scope: ContractScope) =>
  describe(`Searching on ${name}`, () => {
    let store: TestStore
    const ids = [freshChainId(), freshChainId()]
    const coin = (chain: number, number: number) => address(0x7000 + 0x100 * chain + number)

    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const [at, chainId] of ids.entries()) {
        const chain = new TestChain()
        for (const [number] of coins.entries())
          chain.block([transfer(coin(at, number), zero, ann, 5n), transfer(coin(at, number), ann, bob, 1n)])
        chain.block([nftTransfer(coin(at, 0), zero, ann, 1n), nftTransfer(coin(at, 0), zero, ann, 2n)])
        const writer = await store.open({ chainId })
        await store.run(writer.append(chain.segment(0)))
        // The second chain has half of the names, in the other order.
        const described = (await store.run(writer.listUndescribedTokens(1000))).map((token) => {
          const number = Number(token.address) - Number(coin(at, 0))
          return { token, description: at === 0 ? coins[number]! : (coins[coins.length - 1 - 2 * number] ?? {}) }
        })
        await store.run(writer.describeTokens(described))
        const notes = coins.flatMap(({ trusted }, number) =>
          trusted ? [{ address: coin(at, number), trusted, texts: { image: "https://a.b/c.png" } }] : [],
        )
        await store.run(TokenNotes.use((port) => port.record(chainId, notes)))
      }
    })
    afterAll(() => store.close())

    const find =
      (chains: ReadonlyArray<ChainId>, query: string, trusted?: true) =>
      (page: PageRequest<SearchKey>, count = false) =>
        store.run(
          TokenStore.use((s) =>
            s.search({ standard: "erc20", chains, text: searchTextOf(query), trusted, page, count }),
          ),
        )

    const wantedOf = (chains: ReadonlyArray<ChainId>, query: string, trusted?: true) =>
      chains
        .flatMap((chainId) => {
          const at = ids.indexOf(chainId)
          return coins.flatMap((_, number) => {
            const token = coin(at, number)
            const description = at === 0 ? coins[number]! : (coins[coins.length - 1 - 2 * number] ?? {})
            const found = placeOf(description, token, query)
            const isTrusted = coins[number]!.trusted === true
            return found === undefined || (trusted && !isTrusted)
              ? []
              : [{ ...found, chainId, token, number, isTrusted }]
          })
        })
        .sort(
          (a, b) =>
            Number(b.isTrusted) - Number(a.isTrusted) ||
            a.place - b.place ||
            compareBytes(a.text, b.text) ||
            Number(a.chainId) - Number(b.chainId) ||
            a.number - b.number,
        )
        .map(({ chainId, token }) => `${chainId} ${token}`)

    test("finds what begins with the text, trusted first, then by place, text, chain and age, each once, both ways", async () => {
      let met = 0
      for (const query of queries) {
        for (const chains of [[ids[0]!], ids]) {
          for (const trusted of [undefined, true] as const) {
            const wanted = wantedOf(chains, query, trusted)
            met += wanted.length
            const read = find(chains, query, trusted)
            const shown = (items: ReadonlyArray<{ chainId: string; address: string }>) =>
              items.map((it) => `${it.chainId} ${it.address}`)
            // Row by row where few are found: a long walk tells no more than a short one.
            const steps = wanted.length > 12 ? [5] : wanted.length > 4 ? [3] : stepsOf(scope, [1, 4])
            for (const limit of wanted.length > 1 ? (scope.oneStep ? steps : [...steps, 1000]) : [1000]) {
              expect([query, shown(await walkForward(read, limit))]).toEqual([query, wanted])
              expect([query, shown(await walkBackward(read, limit))]).toEqual([query, wanted])
            }
            const { value } = await read({ limit: 1 }, true)
            expect(value.count).toEqual({ count: wanted.length, countType: "exact" })
          }
        }
      }
      expect(met).toBeGreaterThan(100)
    })

    test("the words of a symbol are one, however they are parted", async () => {
      for (const query of ["univ2", "uni v2", "UNI-V2", "uni_v2"]) {
        const { value } = await find([ids[0]!], query)({ limit: 2 })
        expect([query, value.items.map(({ symbol }) => symbol)]).toEqual([query, ["UNI-V2", "uni v2."]])
      }
      for (const query of ["usdc.e", "usdc e", "usdce", "USDC-E"]) {
        const { value } = await find([ids[0]!], query)({ limit: 2 })
        expect([query, value.items.map(({ symbol }) => symbol)]).toEqual([query, ["USDC.e"]])
      }
    })

    test("of another standard finds that alone, and nothing of an unknown chain", async () => {
      const text = searchTextOf("usd")
      const of = (standard: "erc721" | "erc1155", chains: ReadonlyArray<ChainId>) =>
        store.run(TokenStore.use((s) => s.search({ standard, chains, text, page: { limit: 5 }, count: false })))
      expect((await of("erc721", [ids[0]!])).value.items).toMatchObject([{ address: coin(0, 0), name: "USD Coin" }])
      expect((await of("erc1155", ids)).value.items).toEqual([])
      expect((await of("erc721", [freshChainId()])).value).toMatchObject({ items: [], keys: [], hasMore: false })
    })

    test("named contracts come in the order of every sort, with their number, walked both ways", async () => {
      const addresses = [coin(0, 3), coin(0, 0), coin(1, 4), coin(1, 1), coin(0, 11), address(0xffff)]
      for (const field of erc20SortFields) {
        for (const direction of ["asc", "desc"] as const) {
          for (const chains of [[ids[0]!], ids]) {
            const list = (page: PageRequest<TokenKey>, some: boolean) =>
              store.run(
                TokenStore.use((s) =>
                  s.list({
                    ...{ standard: "erc20" as const, chains, sort: { field, direction }, page, count: true },
                    ...(some ? { addresses } : {}),
                  }),
                ),
              )
            const all = await walkForward((page: PageRequest<TokenKey>) => list(page, false), 1000)
            const wanted = all.filter((it) => addresses.includes(it.address))
            for (const limit of stepsOf(scope, [1000, 2])) {
              expect(await walkForward((page: PageRequest<TokenKey>) => list(page, true), limit)).toEqual(wanted)
              expect(await walkBackward((page: PageRequest<TokenKey>) => list(page, true), limit)).toEqual(wanted)
            }
            const { count } = (await list({ limit: 1 }, true)).value
            expect(count).toEqual({ count: wanted.length, countType: "exact" })
          }
        }
      }
      const sort = { field: "marketCap", direction: "desc" } as const
      const { value } = await store.run(
        TrustedTokens.use((s) => s.list({ chains: ids, sort, addresses, page: { limit: 10 }, count: true })),
      )
      expect(value.items.map((it) => it.address).sort()).toEqual([coin(0, 0), coin(1, 1), coin(1, 4)].sort())
      expect(value.count).toEqual({ count: 3, countType: "exact" })
    })

    test("one token has what the list says, its note, and its first and last transfer", async () => {
      const chainId = ids[0]!
      const one = (standard: "erc20" | "erc721", token: Address, of = chainId) =>
        store.run(TokenStore.use((s) => s.findOne(standard, of, token)))
      const { asOf, value } = await one("erc20", coin(0, 4))
      expect(asOf[0]?.blockNumber).toBe(coins.length)
      expect(value).toMatchObject({
        record: { address: coin(0, 4), name: "Wrapped   Ether", symbol: "WETH", totalSupply: "5", holdersCount: 2 },
        note: { trusted: true, texts: { image: "https://a.b/c.png" } },
        transfers: 2,
        first: { blockNumber: 4, logIndex: 0 },
        last: { blockNumber: 4, logIndex: 1 },
      })
      const nft = (await one("erc721", coin(0, 0))).value
      expect([nft?.transfers, nft?.first?.logIndex, nft?.last?.logIndex]).toEqual([2, 0, 1])
      expect((await one("erc721", coin(0, 4))).value).toBeUndefined()
      expect((await one("erc20", coin(0, 4), freshChainId())).value).toBeUndefined()
    })
  })
