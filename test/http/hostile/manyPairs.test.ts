/** Queries and forms of very many parameters are refused by name, and nobody decodes them: it is not known yet who sends them. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { wantedMediaType } from "../../../src/adapters/http/contract/mediaType.ts"
import { areTooMany, mostPairs, parseQuery } from "../../../src/adapters/http/contract/query.ts"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import { prefix } from "../support.ts"
import { startWorld } from "../world.ts"

let service: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  service = await startWorld({ storeLayer: MemoryStore.layer })
})
afterAll(() => service.close())

const list = `${prefix("43114")}/erc20`
const chainList = "module=getapilimit&action=getapilimit"
const form = { "content-type": "application/x-www-form-urlencoded" }
const post = (search: string, body: string) =>
  service.get(`/43114/api${search}`, { method: "POST", headers: form, body })
const pairs = (count: number): string => Array<string>(count).fill("a=1").join("&")
const refused = {
  status: 200,
  body: { status: "0", message: "NOTOK", result: `Error! expected at most ${mostPairs} parameters, got more` },
}

test("as many as are taken count, one more is refused: of native paths", async () => {
  expect((await service.get(`${list}?${pairs(mostPairs - 1)}&limit=1`)).body.items).toHaveLength(1)
  expect(await service.get(`${list}?${pairs(mostPairs)}&limit=1`)).toEqual({
    status: 400,
    body: {
      statusCode: 400,
      code: "INVALID_PARAMETER",
      error: "Bad Request",
      message: `parameters: expected at most ${mostPairs}, got more`,
    },
  })
})

test("of the compatibility endpoint too, in the URL, in a form, and in both together", async () => {
  expect((await post("", `${pairs(mostPairs - 2)}&${chainList}`)).body.message).toBe("OK")
  expect(await post("", `${pairs(mostPairs)}&${chainList}`)).toEqual(refused)
  expect(await post(`?${pairs(mostPairs - 1)}`, chainList)).toEqual(refused)
  expect(await service.get(`/43114/api?${pairs(mostPairs + 1)}`)).toEqual(refused)
  const parts = new FormData()
  for (let part = 0; part <= mostPairs; part++) parts.append("a", "1")
  expect(await service.get("/43114/api", { method: "POST", body: parts })).toEqual(refused)
})

test("of more than are taken nothing is decoded, and no more are looked at", () => {
  const query = parseQuery("%41=%42&".repeat(50_000))
  expect([query.length, areTooMany(query), query.at(0)]).toEqual([
    mostPairs + 1,
    true,
    { raw: "%41=%42", name: "%41", value: "%42" },
  ])
  expect(areTooMany(parseQuery("%41=%42&".repeat(mostPairs - 1)))).toBe(false)
})

test.each([
  ["?a=%&b=%zz+&%=%41&&c", ["?a=%", "b=%zz ", "%=A", "c="]],
  ["%c3%a4=%ff&%00=%e2%82", ["ä=\ufffd", "\0=\ufffd"]],
  ["a=b=c&d+e=f%2Bg", ["a=b=c", "d e=f+g"]],
])("%s is read to its end", (text, wanted) => {
  expect(parseQuery(text).map(({ name, value }) => `${name}=${value}`)).toEqual(wanted)
})

test("of the header Accept no more is looked at than any client sends", () => {
  expect(wantedMediaType(`${"a/b,".repeat(100)}text/csv`)).toBe("csv")
  expect(wantedMediaType(`${"a/b,".repeat(4000)}text/csv`)).toBe("json")
})
