/** Paths of other services: their shapes by their own documentations, their figures by the native endpoints. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Layer } from "effect"
import { parseQuery } from "../../../src/adapters/http/contract/query.ts"
import { sampleHolder } from "../../../src/adapters/http/contract/samples.ts"
import { shapeNames } from "../../../src/adapters/http/shapes/shapes.ts"
import { simBalances as simRow } from "../../../src/adapters/http/shapes/sim.ts"
import { startDocumented } from "../openapi/documentedWorld.ts"
import { validatorOf } from "../openapi/validator.ts"
import { chains, type Json, sha256, type TestService } from "../support.ts"
import { examplesOf } from "./clientsPage.ts"
import { alchemyTokens, goldrushBalances, goldrushPortfolio, simBalances } from "./documented.ts"

const bob = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
const root = "/v2/network/mainnet/evm"
const alchemy = "/data/v1/secret-word/assets/tokens/by-address"
const sim = `/v1/evm/balances/${sampleHolder}`
const goldrush = `/v1/avalanche-mainnet/address/${sampleHolder}`
const native = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

let service: TestService
beforeAll(async () => {
  service = await startDocumented({ compatShapes: shapeNames })
})
afterAll(() => service.close())

const ajv = new Ajv2020({ strict: false, allowUnionTypes: true })
const complaint = (schema: Json, body: Json) => {
  const validate = ajv.compile(schema)
  return validate(body) ? undefined : ajv.errorsText(validate.errors)
}
const post = (body: unknown, path = alchemy) =>
  service.get(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) })
const heldBy = async (holder: string, query = "", chain = "43114"): Promise<ReadonlyArray<Json>> =>
  (await service.get(`${root}/${chain}/address/${holder}/tokens?standard=native,erc20&sort=tokenAddress,asc${query}`))
    .body.items
const asked = [
  { address: sampleHolder, networks: ["avax-mainnet"] },
  { address: bob.toUpperCase().replace("0X", "0x"), networks: ["eth-mainnet", "avax-mainnet"] },
]

test("the examples of docs/clients.md are asked, and answered as they say", async () => {
  const { text, written, statuses } = await examplesOf(service)
  expect(statuses).toEqual([200, 200, 200, 200])
  expect(text).toBe(written)
})

describe("Alchemy", () => {
  test("tokens of several addresses, each on its networks", async () => {
    const { status, body } = await post({ addresses: asked })
    expect(status).toBe(200)
    expect(complaint(alchemyTokens, body)).toBeUndefined()
    const wanted = [...(await heldBy(sampleHolder)), ...(await heldBy(bob, "", "all"))].filter(
      ({ chainId }) => chainId === "43114" || chainId === "1",
    )
    const key = ({ address, network, tokenAddress }: Json) => `${address} ${network} ${tokenAddress}`
    const names: Json = { 1: "eth-mainnet", 43114: "avax-mainnet" }
    const told = wanted.filter(({ balance }) => balance !== undefined)
    expect(body.data.tokens.map((it: Json) => [key(it), BigInt(it.tokenBalance)]).sort()).toEqual(
      told
        .map((it) => [
          key({ ...it, network: names[it.chainId], tokenAddress: it.tokenAddress ?? null }),
          BigInt(it.balance),
        ])
        .sort(),
    )
    for (const token of body.data.tokens) {
      const row = told.find(
        (it) => key({ ...it, network: names[it.chainId], tokenAddress: it.tokenAddress ?? null }) === key(token),
      )!
      expect(token.tokenMetadata.symbol).toBe(row.symbol ?? null)
      const [price] = token.tokenPrices
      if (row.price === undefined) expect(token.tokenPrices).toEqual([])
      else expect(Number(price.value)).toBe(Number(row.price) / 1e18)
    }
  })

  test("flags leave out what they name", async () => {
    const one = { addresses: [asked[0]] }
    const { tokens } = (await post({ ...one, includeNativeTokens: false, withMetadata: false, withPrices: false })).body
      .data
    expect(tokens.some(({ tokenAddress }: Json) => tokenAddress === null)).toBe(false)
    expect(Object.keys(tokens[0])).toEqual(["address", "network", "tokenAddress", "tokenBalance", "error"])
    expect((await post({ ...one, includeErc20Tokens: false })).body.data.tokens.length).toBe(1)
    expect((await post({ ...one, includeErc20Tokens: false, includeNativeTokens: false })).body.data).toEqual({
      tokens: [],
    })
  })

  test.each([
    ["no JSON", "{", 400],
    ["no addresses", {}, 400],
    ["no address", { addresses: [{ address: "0x12", networks: ["eth-mainnet"] }] }, 400],
    ["an unknown network", { addresses: [{ address: bob, networks: ["moon"] }] }, 400],
    ["a name of every object", { addresses: [{ address: bob, networks: ["constructor"] }] }, 400],
    ["a page key of nobody", { addresses: asked, pageKey: "abc" }, 400],
  ])("%s is refused in its shape", async (_, body, status) => {
    const answer = await post(body)
    expect(answer.status).toBe(status)
    expect(Object.keys(answer.body)).toEqual(["error"])
    expect(typeof answer.body.error.message).toBe("string")
    expect(JSON.stringify(answer.body)).not.toContain("secret-word")
  })

  test.each([
    ["", 'body: expected {"addresses":[{"address":"0x…","networks":["eth-mainnet"]}]}, got nothing'],
    ["[1]", 'body: expected {"addresses":[{"address":"0x…","networks":["eth-mainnet"]}]}, got [1]'],
    ["{}", 'addresses: expected a list of one or more {"address":"0x…","networks":["eth-mainnet"]}, got nothing'],
    [{ addresses: ["x"] }, 'addresses[0]: expected {"address":"0x…","networks":["eth-mainnet"]}, got "x"'],
    [
      { addresses: [...asked, { address: 5 }] },
      "addresses[2].address: expected an address: 0x and 40 hex digits, got 5",
    ],
    [
      { addresses: [{ address: bob, networks: [1] }] },
      "addresses[0].networks: expected a list of networks' names, got [1]",
    ],
    [{ addresses: asked, withPrices: "yes" }, 'withPrices: expected true or false, got "yes"'],
    [{ addresses: asked, pageKey: 5 }, "pageKey: expected the text of a page of this very request, got 5"],
  ])("%j: the refusal names what cannot be read", async (body, message) => {
    expect((await post(body)).body.error.message).toBe(message)
  })

  test("100 pairs of an address and a network are taken, whatever is said twice, and not one more", async () => {
    const holders = Array.from({ length: 51 }, (_, place) => `0x${String(place).padStart(40, "0")}`)
    const fifty = holders.slice(0, 50).flatMap((address) => [
      { address, networks: ["eth-mainnet", "43114", "AVAX-mainnet"] },
      { address, networks: ["avax-mainnet"] },
    ])
    expect((await post({ addresses: fifty, includeErc20Tokens: false })).status).toBe(200)
    expect(await post({ addresses: [...fifty, { address: holders[50], networks: ["1"] }] })).toEqual({
      status: 400,
      body: {
        error: { message: "addresses: expected at most 100 pairs of an address and a network, got 101" },
      },
    })
  })

  test("another method is refused, and says which there is", async () => {
    const response = await service.fetch(alchemy)
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"])
  })
})

describe("Dune Sim", () => {
  test("balances with values", async () => {
    const { body } = await service.get(`${sim}?chain_ids=43114&metadata=logo&historical_prices=24`)
    expect(complaint(simBalances, body)).toBeUndefined()
    const wanted = await heldBy(sampleHolder)
    expect(
      body.balances.map((it: Json) => [it.address, it.amount, it.price_usd, it.value_usd, it.token_metadata.logo]),
    ).toEqual(
      wanted.map((it) => [
        it.tokenAddress ?? "native",
        it.balance,
        it.price === undefined ? undefined : Number(it.price) / 1e18,
        it.valueUsd === undefined ? undefined : Number(it.valueUsd),
        it.logoUri,
      ]),
    )
    expect("next_offset" in body).toBe(false)
  })

  test("pages by next_offset, one row each, are the whole list", async () => {
    const whole = (await service.get(`${sim}?chain_ids=avalanche_c`)).body.balances
    const rows: Array<Json> = []
    for (let offset = ""; ; ) {
      const { body } = await service.get(`${sim}?chain_ids=avalanche_c&limit=1&offset=${offset}`)
      rows.push(...body.balances)
      offset = body.next_offset
      if (offset === undefined) break
    }
    expect(rows).toEqual(whole)
  })

  test("chains that are not followed are a warning, and a refusal where there is no other", async () => {
    const { body } = await service.get(`${sim}?chain_ids=43114,9999`)
    expect(body.warnings.map(({ code, chain_ids }: Json) => [code, chain_ids])).toEqual([
      ["UNSUPPORTED_CHAIN_IDS", [9999]],
    ])
    const tagged = await service.get(`${sim}?chain_ids=43114,moonnet`)
    expect(tagged.body.warnings[0].message).toContain("not supported: moonnet.")
    const refused = await service.get(`${sim}?chain_ids=9999`)
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["message"]])
    expect((await service.get(`${sim}?historical_prices=1,2,3,4`)).status).toBe(400)
    expect((await service.get("/v1/evm/balances/0x12")).status).toBe(400)
  })
})

test.each([
  ["limit=abc", "limit: expected a whole number from 1; more than 1000 are 1000, got abc"],
  ["limit=0", "limit: expected a whole number from 1; more than 1000 are 1000, got 0"],
  ["limit=-5", "limit: expected a whole number from 1; more than 1000 are 1000, got -5"],
  ["limit=1e3", "limit: expected a whole number from 1; more than 1000 are 1000, got 1e3"],
  ["exclude_spam_tokens=maybe", "exclude_spam_tokens: expected true or false, got maybe"],
  ["exclude_unpriced=1", "exclude_unpriced: expected true or false, got 1"],
  [
    "asset_class=stablecoin",
    "asset_class: expected none: which tokens are stablecoins is not known here, got stablecoin",
  ],
])("Sim's %s is refused in its shape", async (query, message) => {
  expect(await service.get(`${sim}?chain_ids=43114&${query}`)).toMatchObject({ status: 400, body: { message } })
})

test("of Sim more rows than its most are its most, and a flag is one in any letter case", async () => {
  const whole = (await service.get(`${sim}?chain_ids=43114`)).body.balances
  for (const query of ["limit=5000", "limit=", "exclude_spam_tokens=False"])
    expect((await service.get(`${sim}?chain_ids=43114&${query}`)).body.balances).toEqual(whole)
  const trusted = (await service.get(`${sim}?chain_ids=43114&exclude_spam_tokens=true`)).body.balances
  expect((await service.get(`${sim}?chain_ids=43114&exclude_spam_tokens=True`)).body.balances).toEqual(trusted)
  expect(trusted.length).toBeLessThan(whole.length)
})

test("a flag that stands without a value is set", async () => {
  const balancesOf = async (query: string) => (await service.get(`${sim}?chain_ids=43114${query}`)).body.balances
  for (const name of ["exclude_spam_tokens", "exclude_unpriced"]) {
    const kept = await balancesOf(`&${name}=true`)
    expect(kept.length).toBeLessThan((await balancesOf("")).length)
    for (const query of [`&${name}`, `&${name}=`]) expect(await balancesOf(query)).toEqual(kept)
  }
  const path = `${goldrush}/historical_balances/`
  const { items } = (await service.get(`${path}?no-spam=true`)).body.data
  expect((await service.get(`${path}?no-spam`)).body.data.items).toEqual(items)
  expect(items.length).toBeLessThan((await service.get(path)).body.data.items.length)
})

test.each([
  ["", ["1", "10", "43114"]],
  ["chain_ids=", ["1", "10", "43114"]],
  ["chain_ids=default", ["1", "10", "43114"]],
  ["chain_ids=all", ["1", "10", "43113", "43114"]],
  ["chain_ids=testnet", ["43113"]],
  ["chain_ids=testnet,default", ["1", "10", "43113", "43114"]],
  ["chain_ids=43113,1", ["1", "43113"]],
])("of Sim %j is chains %j: testnets are named", (query, wanted) => {
  const chainsOf = (followed: typeof chains) =>
    simRow.foreign!.chainsOf({ param: () => "", query: parseQuery(query) }, followed) as ReadonlyArray<string>
  expect(chainsOf(chains)).toEqual(wanted)
  const testnets = chains.filter(({ network }) => network === "testnet")
  expect(chainsOf(testnets)).toEqual(["43113"])
})

test("where nothing of a chain is on a token list nothing is left out as spam, and Sim's clients are told", async () => {
  // Without the sources that stand for the store's own list of trusted tokens.
  const own = await startDocumented({ compatShapes: shapeNames, replace: Layer.empty })
  const unlisted = `/v1/evm/balances/${bob}?chain_ids=1`
  const { balances: whole } = (await own.get(unlisted)).body
  expect(whole.some(({ address }: Json) => address !== "native")).toBe(true)
  const { body } = await own.get(`${unlisted}&exclude_spam_tokens=true`)
  expect(complaint(simBalances, body)).toBeUndefined()
  expect(body.balances).toEqual(whole)
  expect(body.warnings.map(({ code, chain_ids }: Json) => [code, chain_ids])).toEqual([["SPAM_NOT_KNOWN", [1]]])
  const { body: both } = await own.get(`${unlisted},9999&exclude_spam_tokens=true`)
  expect(both.warnings.map(({ code }: Json) => code)).toEqual(["UNSUPPORTED_CHAIN_IDS", "SPAM_NOT_KNOWN"])
  const listed = (await own.get(`${sim}?chain_ids=43114,1&exclude_spam_tokens=true`)).body
  expect("warnings" in listed).toBe(false)
  const balances = `/v1/eth-mainnet/address/${bob}/historical_balances/`
  const { items } = (await own.get(balances)).body.data
  expect((await own.get(`${balances}?no-spam=true`)).body.data.items).toEqual(items)
  expect(items.some(({ native_token }: Json) => !native_token)).toBe(true)
  const trusted = (await own.get(`${goldrush}/historical_balances/?no-spam=true`)).body.data.items
  expect(trusted.length).toBeLessThan((await own.get(`${goldrush}/historical_balances/`)).body.data.items.length)
  await own.close()
})

test("of Sim what has no value is left out where asked, in a walk too; a native balance that is not told stays an error", async () => {
  const nobody = await startDocumented({ compatShapes: shapeNames, replace: Layer.empty })
  for (const at of [service, nobody]) {
    const whole = (await at.get(`${sim}?chain_ids=43114&exclude_unpriced=false`)).body
    const priced = whole.balances.filter((it: Json) => it.value_usd !== undefined)
    expect(priced.length).toBeLessThan(whole.balances.length)
    const first = (await at.get(`${sim}?chain_ids=43114&exclude_unpriced=True&limit=1`)).body
    const rows: Array<Json> = [...first.balances]
    const errors: Array<Json> = [first.errors]
    for (let offset = first.next_offset; offset !== undefined; ) {
      const { body } = await at.get(`${sim}?chain_ids=43114&exclude_unpriced=true&limit=1&offset=${offset}`)
      rows.push(...body.balances)
      errors.push(body.errors)
      offset = body.next_offset
    }
    expect(rows).toEqual(priced)
    expect(errors.filter((it) => it !== undefined)).toEqual(whole.errors === undefined ? [] : [whole.errors])
    expect(whole.errors === undefined).toBe(at === service)
    expect((await at.get(`${sim}?chain_ids=43114&offset=${first.next_offset}`)).status).toBe(400)
  }
  await nobody.close()
})

test.each([
  ["no-spam=maybe", "no-spam: expected true or false, got maybe"],
  [
    "block-height=1000002&date=2026-01-01",
    "date: expected none beside block-height: each names the block by itself, got 2026-01-01",
  ],
  [
    "block-height=latest&date=2026-01-01",
    "date: expected none beside block-height: each names the block by itself, got 2026-01-01",
  ],
])("GoldRush's %s is refused in its shape", async (query, message) => {
  const { status, body } = await service.get(`${goldrush}/historical_balances/?${query}`)
  expect([status, body]).toEqual([400, { data: null, error: true, error_message: message, error_code: 400 }])
})

describe("GoldRush", () => {
  test("balances as of a block, and as of now", async () => {
    for (const [query, same] of [
      ["?block-height=1000002", "&blockNumber=1000002"],
      ["", ""],
    ]) {
      const { body } = await service.get(`${goldrush}/historical_balances/${query}`)
      expect(complaint(goldrushBalances, body)).toBeUndefined()
      expect(body.data.items.map((it: Json) => [it.contract_address, it.balance, it.quote, it.block_height])).toEqual(
        (await heldBy(sampleHolder, same)).map((it) => [
          it.tokenAddress ?? native,
          it.balance,
          it.valueUsd === undefined ? null : Number(it.valueUsd),
          query === "" ? 1_000_003 : 1_000_002,
        ]),
      )
    }
  })

  test("a day is its end", async () => {
    const { body } = await service.get(`${goldrush}/historical_balances/?date=2026-01-01`)
    expect(body.data.items[0].block_height).toBe(1_000_003)
  })

  test("days of each token, closing with what is held now", async () => {
    const { body } = await service.get(`${goldrush}/portfolio_v2/?days=2`)
    expect(complaint(goldrushPortfolio, body)).toBeUndefined()
    const now = (await heldBy(sampleHolder)).filter(({ standard }) => standard === "erc20")
    expect(body.data.items.map((it: Json) => [it.contract_address, it.holdings[0].close.balance])).toEqual(
      now.map((it) => [it.tokenAddress, it.balance]),
    )
    const [gold, dollar] = body.data.items
    expect([gold.contract_ticker_symbol, gold.logo_url]).toEqual(["AU", "https://example.org/gold.png"])
    const point = (await service.get(`${root}/43114/address/${sampleHolder}/portfolio/history?interval=block&limit=1`))
      .body.items[0]
    expect(gold.holdings[0].close.quote).toBe(Number(point.valueUsd))
    expect(dollar.holdings[0].close).toEqual({ balance: "4000000", quote: null, pretty_quote: null })
    expect(gold.holdings.map(({ timestamp }: Json) => timestamp)).toEqual(["2026-01-01T00:00:00.000Z"])
    const [{ open, high, low }] = gold.holdings
    expect(BigInt(low.balance) <= BigInt(open.balance) && BigInt(open.balance) <= BigInt(high.balance)).toBe(true)
  })

  test.each([
    ["/v1/moon/address/", "historical_balances/", 400],
    ["/v1/43114/address/", "historical_balances/?quote-currency=EUR", 400],
    ["/v1/43114/address/", "historical_balances/?date=2026-02-30", 400],
    ["/v1/43114/address/", "historical_balances/?block-height=1e6", 400],
    ["/v1/43114/address/", "historical_balances?block-height=1", 400],
    ["/v1/43114/address/", "portfolio_v2/?days=0", 400],
  ])("%s…/%s is refused in its shape", async (before, after, status) => {
    const { body, ...answer } = await service.get(`${before}${sampleHolder}/${after}`)
    expect(answer.status).toBe(status)
    expect(body).toEqual({ data: null, error: true, error_message: expect.any(String), error_code: status })
  })

  test("a block that is not there yet is named as it was asked for", async () => {
    const { body } = await service.get(`/v1/43114/address/${sampleHolder}/historical_balances/?block-height=99999999`)
    expect(body.error_message).toMatch(/^block-height: expected a block up to the indexed head \d+, got 99999999$/)
    const { body: before } = await service.get(`${goldrush}/historical_balances/?date=2001-01-01`)
    expect(before.error_message).toMatch(/^date: expected a time of the indexed history, .*, got 2001-01-01$/)
  })
})

test("the document has them where they are on, and their examples are as it says", async () => {
  const { body: document } = await service.get("/openapi.json")
  const judge = validatorOf(document)
  for (const path of ["/v1/evm/balances/{address}", "/v1/{chainName}/address/{walletAddress}/portfolio_v2/"]) {
    const content = document.paths[path].get.responses[200].content["application/json"]
    const [example] = Object.values<Json>(content.examples)
    expect(judge.complaint(path, { status: 200, body: example.value })).toBeUndefined()
  }
  expect(document.paths["/data/v1/{apiKey}/assets/tokens/by-address"].post.requestBody.required).toBe(true)
})

test("where they are off nothing is at their paths; where keys are needed theirs are taken as they come", async () => {
  const off = await startDocumented()
  expect((await off.get(sim)).body.code).toBe("NOT_FOUND")
  expect(Object.keys((await off.get("/openapi.json")).body.paths).some((path) => path.startsWith("/v1/"))).toBe(false)
  await off.close()
  const strict = await startDocumented({
    compatShapes: shapeNames,
    strictKeys: true,
    apiKeysSha256: [sha256("secret-word")],
  })
  const body = JSON.stringify({ addresses: asked })
  const statuses = [
    await strict.get(alchemy, { method: "POST", body }),
    await strict.get(alchemy.replace("secret-word", "another"), { method: "POST", body }),
    await strict.get(sim),
    await strict.get(sim, { headers: { "x-sim-api-key": "secret-word" } }),
    await strict.get(`${goldrush}/portfolio_v2/`),
    await strict.get(`${goldrush}/portfolio_v2/`, { headers: { authorization: "Bearer secret-word" } }),
    await strict.get(`${goldrush}/portfolio_v2/`, { headers: { authorization: `Basic ${btoa("secret-word:")}` } }),
    await strict.get(`${goldrush}/portfolio_v2/?key=secret-word`),
  ].map(({ status }) => status)
  expect(statuses).toEqual([200, 401, 401, 200, 401, 200, 200, 200])
  await strict.close()
})
