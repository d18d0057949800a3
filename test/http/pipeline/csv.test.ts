/** CSV that a spreadsheet may open: what tokens call themselves is words, whatever they call themselves. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../support.ts"

/** A name, and its field as it stands in the file. */
const names: ReadonlyArray<readonly [name: string, field: string]> = [
  ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
  ["=1+1", `"'=1+1"`],
  ["+1", `"'+1"`],
  ["-1", `"'-1"`],
  ["@SUM(A1)", `"'@SUM(A1)"`],
  ["\t=1", `"'\\t=1"`],
  ["\r=1", `"'\\r=1"`],
  ["\n=1", `"'\\n=1"`],
  [" =1", `"' =1"`],
  ["\u00a0=1", `"'\u00a0=1"`],
  ["＝1", `"'＝1"`],
  ["\u200b=1", "\\u200b=1"],
  ["\ufeff=1", `"'\\ufeff=1"`],
  ["\u202egnp", "\\u202egnp"],
  ["a\u2066b\u2069", "a\\u2066b\\u2069"],
  ["a\u061cb\u200fc\u200e", "a\\u061cb\\u200fc\\u200e"],
  ["\u001b[2J", "\\u001b[2J"],
  ["a\u009b1mb", "a\\u009b1mb"],
  ["a\nb", "a\\nb"],
  ["a\r\nb", "a\\r\\nb"],
  ['Gold, "pure"', `"Gold, ""pure"""`],
  ["1=1", "1=1"],
  ["Coin;=WEBSERVICE(A1);x", "Coin;'=WEBSERVICE(A1);x"],
  ["Coin; @A;-1;＋2;a", "Coin;' @A;'-1;'＋2;a"],
  ["a;\t=1", "a;\\t=1"],
  ['a";=1', `"a"";'=1"`],
  ["=1;=2", `"'=1;'=2"`],
  ["a;\u200b=1", "a;\\u200b=1"],
  ["a;b", "a;b"],
  ["a-b", "a-b"],
  ["日本", "日本"],
]
const tokenAt = (place: number) => address(0x500 + place)
const base = prefix("43114")

let service: TestService
beforeAll(async () => {
  service = await startService()
  const chain = new TestChain()
  chain.block(names.map((_, place) => transfer(tokenAt(place), address(0), address(1), BigInt(place + 1))))
  const described = names.map(([name], place) => [tokenAt(place), { name, symbol: name, decimals: 18 }])
  await store(service, "43114", chain, Object.fromEntries(described))
})
afterAll(() => service.close())

const csv = async (path: string): Promise<ReadonlyArray<string>> => {
  const text = await (await service.fetch(base + path, { headers: { accept: "text/csv" } })).text()
  const lines = text.split("\r\n")
  expect(lines.pop()).toBe("")
  return lines
}

describe.each([
  ["/erc20?sort=name,asc", "address", "name,symbol"],
  ["/erc20-transfers?sort=asc", "tokenAddress", "tokenName,tokenSymbol"],
])("%s", (path, key, columns) => {
  test("is a line a row, whatever the names hold", async () => {
    expect((await csv(path)).length).toBe(names.length + 1)
    for (const line of await csv(path)) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })

  test.each(names.map(([name, field], place) => [JSON.stringify(name), field, tokenAt(place)]))(
    "has %s as %s",
    async (_, field, token) => {
      const [head, ...rows] = await csv(path)
      expect(head).toContain(`,${columns},`)
      expect(head?.split(",")).toContain(key)
      const row = rows.find((line) => line.includes(token))
      expect(row).toContain(`,${field},${field},`)
    },
  )

  test("is JSON and NDJSON in the token's own words", async () => {
    const name = columns.split(",")[0]!
    const { body } = await service.get(`${base}${path}&limit=1000`)
    const text = await (await service.fetch(base + path, { headers: { accept: "application/x-ndjson" } })).text()
    const rows = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Json)
    for (const items of [body.items, rows]) {
      expect(items.map((item: Json) => item[name]).sort()).toEqual(names.map(([each]) => each).sort())
    }
  })
})
