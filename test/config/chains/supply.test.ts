/** What the configuration says of native supply, token lists and token information: read, or refused without a secret. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { readInformation } from "../../../src/adapters/lists/informationFile.ts"
import { readFacts } from "../../../src/config/chains/facts.ts"
import { readConfig } from "../../../src/config/readConfig.ts"

const page = readFileSync(new URL("../../../docs/operations.md", import.meta.url), "utf8")
const examples = [...page.matchAll(/```json\n([^`]+)```/gu)].map(([, text]) => text!)
const exampleWith = (word: string) => examples.find((text) => text.includes(`"${word}"`))!

const read = (supply: unknown) => {
  const problems: Array<string> = []
  const facts = readFacts("chains.1", { supply }, problems)
  return { supply: facts.supply, problems }
}
const totalUrl = "https://supply.example/secretkey123"
const dead = "0x000000000000000000000000000000000000dEaD"

describe("a chain's supply", () => {
  test("is read in each of its kinds, addresses in lower case and each once", () => {
    for (const written of [
      { kind: "fixed", total: "720000000.000000000000000001" },
      { kind: "halving", reward: "50", interval: 210_000, premined: "0.5", firstBlock: 0 },
      { kind: "http", totalUrl, totalPath: "a.0", circulatingUrl: totalUrl, circulatingPath: "b", unit: "whole" },
    ]) {
      expect<unknown>(read(written)).toEqual({ supply: written, problems: [] })
      expect<unknown>(read({ ...written, burnt: [dead, dead.toLowerCase()], locked: [] })).toEqual({
        supply: { ...written, burnt: [dead.toLowerCase()], locked: [] },
        problems: [],
      })
    }
  })

  test.each<[unknown, string]>([
    [totalUrl, "chains.1.supply: expected an object whose kind is fixed or halving or http"],
    [{ totalUrl }, "chains.1.supply: expected an object whose kind is fixed or halving or http"],
    [{ kind: "secretkey123" }, "chains.1.supply: expected an object whose kind is fixed or halving or http"],
    [{ kind: "fixed" }, "chains.1.supply.total: expected a value, there is none"],
    [
      { kind: "fixed", total: 5 },
      'chains.1.supply.total: expected a decimal number in a text, such as "21000000.5", got 5',
    ],
    [
      { kind: "fixed", total: "1e6" },
      'chains.1.supply.total: expected a decimal number in a text, such as "21000000.5", got "1e6"',
    ],
    [
      { kind: "halving", reward: "1", interval: 0 },
      "chains.1.supply.interval: expected a whole number from 1 to 2147483647, got 0",
    ],
    [
      { kind: "http", totalUrl: "file:///secretkey123" },
      "chains.1.supply.totalUrl: expected a URL with http:// or https://",
    ],
    [
      { kind: "http", totalUrl, totalPath: "a..b" },
      'chains.1.supply.totalPath: expected names joined by dots, such as "result.total", got "a..b"',
    ],
    [
      { kind: "fixed", total: "1", burnt: ["0x1"] },
      'chains.1.supply.burnt[0]: expected an address of 40 hex digits, got "0x1"',
    ],
    [
      { kind: "fixed", total: "1", totalUrl },
      "chains.1.supply.totalUrl: no such word; expected one of total, burnt, locked",
    ],
  ])("%j is refused", (written, problem) => {
    const { supply, problems } = read(written)
    expect({ supply, problems }).toEqual({ supply: undefined, problems: [problem] })
    expect(problems.join()).not.toContain("secretkey123")
  })

  test("needs a native currency whose symbol it can show", () => {
    const given = { RPC_URL_987654321: "https://node.example" }
    const supply = { kind: "fixed", total: "1" } as const
    expect(readConfig(given, { 987654321: { supply } })).toEqual({
      problems: ["chains.987654321.supply: the chain's nativeCurrency is not known; say it too"],
    })
    const nativeCurrency = { name: "Coin", symbol: "COIN", decimals: 18 }
    expect(readConfig(given, { 987654321: { supply, nativeCurrency } })).toMatchObject({
      chains: [{ nativeCurrency, facts: { supply } }],
    })
  })

  test("pays no more decimals of a coin than the chain has, zeros at the end aside", () => {
    const given = { RPC_URL_987654321: "https://node.example" }
    const nativeCurrency = { name: "Coin", symbol: "COIN", decimals: 2 }
    const supply = { kind: "halving", interval: 1, premined: "0.0010", reward: "5.00" } as const
    expect(readConfig(given, { 987654321: { nativeCurrency, supply } })).toEqual({
      problems: ['chains.987654321.supply.premined: expected at most 2 decimals, got "0.0010"'],
    })
    expect(
      readConfig(given, { 987654321: { nativeCurrency, supply: { ...supply, premined: "0.010" } } }),
    ).toMatchObject({ chains: [{ nativeCurrency }] })
  })
})

describe("the examples of docs/operations.md are taken as they stand", () => {
  test("of native supply", () => {
    const { chains } = JSON.parse(exampleWith("supply"))
    const problems: Array<string> = []
    const kinds = Object.entries(chains).map(([id, facts]) => [id, readFacts(id, facts, problems).supply?.kind])
    expect(problems).toEqual([])
    expect(Object.fromEntries(kinds)).toEqual({ 1: "http", 30: "halving", 43114: "fixed" })
  })

  test("of token information", () => {
    const information = readInformation(exampleWith("email"))
    expect<unknown>(information).toEqual(
      new Map([
        [
          "1",
          new Map([
            [
              "0xdac17f958d2ee523a2206206994597c13d831ec7",
              {
                website: "https://tether.to",
                email: "support@token.example",
                description: "A token that stands for one US dollar",
              },
            ],
          ]),
        ],
      ]),
    )
  })
})

describe("token lists", () => {
  const node = { RPC_URL_1: "https://node.example" }

  test("are files and URLs, looked at every hour if nothing else is said", () => {
    const given = { ...node, TOKEN_LISTS: `${totalUrl}, lists/own.json,/etc/list.json` }
    expect(readConfig(given)).toMatchObject({
      tokenLists: [totalUrl, "lists/own.json", "/etc/list.json"],
      tokenListsIntervalMs: 3_600_000,
    })
  })

  test("of another scheme are refused, and not shown", () => {
    expect(readConfig({ ...node, TOKEN_LISTS: "ftp://lists.example/secretkey123", TOKEN_LISTS_MINUTES: "0" })).toEqual({
      problems: [
        "TOKEN_LISTS: expected a comma-joined list, each a file or a URL with http:// or https://",
        'TOKEN_LISTS_MINUTES: expected a whole number from 1 to 10080, got "0"',
      ],
    })
  })
})
