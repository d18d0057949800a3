/** What contracts say of themselves: real answers, and every way of not answering. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { makeMulticall } from "../../../src/adapters/rpc/contracts/multicall.ts"
import { describe as describeTokens, tokenUris } from "../../../src/adapters/rpc/contracts/RpcTokenMetadata.ts"
import { abiDecimals, abiString, abiUri } from "../../../src/adapters/rpc/wire/abiText.ts"
import { address } from "../../support/chain/testChain.ts"
import { answer, clientOf, failureOf, json, play, type Request, refuse, requestsOf, run, server } from "../node.ts"
import { type Scene, sayCode, stage, withMulticall } from "../scene.ts"

beforeAll(() => server.listen({ onUnhandledRequest: "error" }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

const word = (hex: string) => hex.padStart(64, "0")
const number = (value: number) => `0x${word(value.toString(16))}`
/** A `string` as a contract returns it. */
const text = (bytes: Uint8Array | string) => {
  const content = Buffer.from(bytes)
  const padded = Math.ceil(content.length / 32) * 64
  return `0x${word("20")}${word(content.length.toString(16))}${content.toString("hex").padEnd(padded, "0")}`
}

const selectors: Record<string, string> = { "0x06fdde03": "name", "0x95d89b41": "symbol", "0x313ce567": "decimals" }
type Fields = Record<string, unknown>
/** A node whose contracts answer so; a field that is an object is an error. */
const contracts = (fields: (to: string) => Fields) => (body: Parameters<Parameters<typeof play>[0][0]>[0]) => {
  const one = ({ id, params }: Request) => {
    const { to, data } = params[0] as { to: string; data: string }
    const given = fields(to)[selectors[data]!]
    return typeof given === "object" && given !== null ? { id, error: given } : { id, result: given }
  }
  return json(Array.isArray(body) ? body.map(one) : one(requestsOf(body)[0]!))
}

const describeOne = async (fields: Fields) => {
  play([contracts(() => fields)])
  const [description] = await run(describeTokens(clientOf({ attempts: 2 }), [address(1)]))
  return description
}

describe("real tokens", () => {
  test("with a bytes32 symbol and a bytes32 name of zeros", async () => {
    expect(
      await describeOne({
        symbol: "0x454f530000000000000000000000000000000000000000000000000000000000",
        decimals: number(18),
        name: `0x${word("0")}`,
      }),
    ).toEqual({ symbol: "EOS", decimals: 18 })
  })

  test("with NUL inside the declared length", async () => {
    const padded = text(new Uint8Array([0x45, 0x54, 0x48, 0, 0, 0]))
    expect(await describeOne({ name: padded, symbol: padded, decimals: number(18) })).toEqual({
      name: "ETH",
      symbol: "ETH",
      decimals: 18,
    })
  })

  test("with empty texts and zero decimals", async () => {
    const empty = `0x${word("20")}${word("0")}`
    expect(await describeOne({ name: empty, symbol: empty, decimals: number(0) })).toEqual({ decimals: 0 })
  })

  test("in plain strings", async () => {
    expect(await describeOne({ name: text("ChainLink Token"), symbol: text("LINK"), decimals: number(18) })).toEqual({
      name: "ChainLink Token",
      symbol: "LINK",
      decimals: 18,
    })
  })

  test("that answer nothing at all", async () => {
    expect(await describeOne({ name: "0x", symbol: "0x", decimals: "0x" })).toEqual({})
  })
})

describe("texts", () => {
  const cases: ReadonlyArray<[string, string, string | undefined]> = [
    ["are trimmed", text("  Spaced \n"), "Spaced"],
    ["lose NUL wherever it stands", text("a\0b"), "ab"],
    ["show bytes that are not UTF-8 as U+FFFD", text(new Uint8Array([0x41, 0xff, 0x42])), "A\u{FFFD}B"],
    ["are cut at 256 characters", text("x".repeat(300)), "x".repeat(256)],
    ["are never cut within a character", text("\u{1F947}".repeat(300)), "\u{1F947}".repeat(256)],
    ["of which nothing stands in the first 4,096 bytes are none", text(`${"\0".repeat(4096)}x`), undefined],
    ["end before a character that the 4,096th byte cuts", text(`${"\0".repeat(4094)}x\u{1F947}`), "x"],
    ["that end within a character show it", text(new Uint8Array([0x41, 0xf0, 0x9f])), "A\u{FFFD}"],
    ["of blanks are none", text("   "), undefined],
    ["need not be padded", `0x${word("20")}${word("3")}414243`, "ABC"],
    ["may lie elsewhere than just behind their offset", `0x${word("40")}${word("0")}${word("1")}41`, "A"],
    ["longer than their bytes are none", `0x${word("20")}${word("ff")}41`, undefined],
    ["of absurd length are none", `0x${word("20")}${"f".repeat(64)}41`, undefined],
    ["at absurd places are none", `0x${"f".repeat(64)}${word("1")}41`, undefined],
    ["of half a word are none", "0x4142", undefined],
    ["of a full bytes32 are whole", `0x${"41".repeat(32)}`, "A".repeat(32)],
  ]
  for (const [name, data, wanted] of cases) test(name, () => expect(abiString(data)).toBe(wanted))
})

describe("token URIs", () => {
  const svg = `data:image/svg+xml;utf8,${"<path/>".repeat(1000)}`
  const cases: ReadonlyArray<[string, string, string | undefined]> = [
    ["are never cut", text(svg), svg],
    ["of 8,192 bytes are whole", text("x".repeat(8192)), "x".repeat(8192)],
    ["of one byte more are absent", text("x".repeat(8193)), undefined],
    ["are measured in bytes", text("\u{1F947}".repeat(2048)), "\u{1F947}".repeat(2048)],
    ["of one such character more are absent", text("\u{1F947}".repeat(2049)), undefined],
    ["are measured when they are clean", text(`${"\0".repeat(40_000)} x `), "x"],
    ["lose NUL and blanks, and show bytes that are not UTF-8", text(Buffer.from(" a\0b\xff ", "latin1")), "ab\u{FFFD}"],
    ["of nothing are absent", text(""), undefined],
    ["of blanks are absent", text(" \n "), undefined],
    ["of no bytes are absent", "0x", undefined],
    ["longer than their bytes are absent", `0x${word("20")}${word("ff")}41`, undefined],
  ]
  for (const [name, data, wanted] of cases) test(name, () => expect(abiUri(data)).toBe(wanted as string))

  const largest = String(2n ** 256n - 1n)
  test("are asked for by contract and id, up to the largest", async () => {
    const bodies = play([answer(() => text("ipfs://1"))])
    expect(await run(tokenUris(clientOf(), [{ token: address(7), tokenId: largest }]))).toEqual(["ipfs://1"])
    expect(requestsOf(bodies[0]!).map(({ method, params }) => [method, params])).toEqual([
      ["eth_call", [{ to: address(7), data: `0xc87b56dd${"f".repeat(64)}`, gas: "0x2faf080" }, "latest"]],
    ])
  })

  test("of ids that revert are absent, those beside them are not", async () => {
    const one = ({ id, params }: Request) => {
      const { data } = params[0] as { data: string }
      return data.endsWith("2") ? { id, error: { code: 3, message: "execution reverted" } } : { id, result: text(data) }
    }
    play([(body) => json(requestsOf(body).map(one))])
    const nfts = ["1", "2", "3"].map((tokenId) => ({ token: address(7), tokenId }))
    expect(await run(tokenUris(clientOf(), nfts))).toEqual([
      `0xc87b56dd${word("1")}`,
      undefined,
      `0xc87b56dd${word("3")}`,
    ])
  })

  test("of a node that fails are an error, never absent", async () => {
    play([refuse(-32000, "missing trie node 0x12")])
    const asked = tokenUris(clientOf({ attempts: 2 }), [{ token: address(7), tokenId: "1" }])
    expect((await failureOf(asked))._tag).toBe("SourceUnavailable")
  })
})

describe("decimals", () => {
  const cases: ReadonlyArray<[string, string, number | undefined]> = [
    ["of 255 are believed", number(255), 255],
    ["of 256 are absent", number(256), undefined],
    ["of 2²⁵⁶−1 are absent", `0x${"f".repeat(64)}`, undefined],
    ["of one byte are absent", "0x12", undefined],
    ["in the form of a text are absent", text("18"), undefined],
  ]
  for (const [name, data, wanted] of cases) test(name, () => expect(abiDecimals(data)).toBe(wanted))
})

describe("a call that fails in the contract", () => {
  const errors: ReadonlyArray<[number, string]> = [
    [3, "execution reverted: no name"],
    [-32000, "execution reverted"],
    [-32015, "VM execution error."],
    [-32000, "invalid opcode: INVALID"],
    [-32000, "out of gas"],
    [-32000, "stack underflow (0 <=> 1)"],
    [-32000, "invalid jump destination"],
    [-32603, "EVM error: InvalidFEOpcode"],
    [-32000, "gas required exceeds allowance (50000000)"],
    [-32000, "gas uint64 overflow"],
    [-32000, "return data out of bounds"],
    [-32000, "invalid input length"],
    [-32000, "bad elliptic curve pairing size"],
    [-32000, "Transaction processing could not be completed due to an exception"],
    // What a contract says is no word of the node's, whatever it sounds like.
    [3, "execution reverted: too many requests"],
    [3, "throttled: quota exceeded"],
    [-32000, "execution reverted: missing trie node"],
    [-32000, "execution reverted: header not found"],
    [-32603, "VM Exception while processing transaction: reverted with reason string 'request rate'"],
    [1, "message execution failed (exit=[33], revert reason=[Error(daily request count)])"],
  ]
  for (const [code, message] of errors) {
    test(`with "${message}" leaves its field out`, async () => {
      expect(await describeOne({ name: { code, message }, symbol: text("OK"), decimals: number(6) })).toEqual({
        symbol: "OK",
        decimals: 6,
      })
    })
  }
})

describe("a node that fails", () => {
  const faults: ReadonlyArray<[string, Parameters<typeof play>[0][0]]> = [
    ["with HTTP 500", () => new Response("", { status: 500 })],
    ["by a rate limit", refuse(-32005, "rate limit exceeded")],
    ["with an internal error", refuse(-32603, "internal error")],
    ["because it is pruned", refuse(-32000, "missing trie node 0x12")],
    ["by answering null", answer(() => null)],
    ["by answering what is no hex", answer(() => "revert")],
  ]
  for (const [name, fault] of faults) {
    test(`${name} is an error, never "unknown"`, async () => {
      play([fault])
      expect((await failureOf(describeTokens(clientOf({ attempts: 2 }), [address(1)])))._tag).toBe("SourceUnavailable")
    })
  }
})

describe("a contract that uses up all gas leaves others theirs, and says nothing", () => {
  const [burner, honest] = [address(1), address(2)]
  /** Its node gives up for want of time where a call has more. */
  const stageWith = (most: number, own: Scene[string]) =>
    stage(
      withMulticall({ [burner]: {}, [honest]: own }),
      ({ to, data, gas = "0xffffffff" }) => {
        if (to !== burner && !data.includes(burner.slice(2))) return undefined
        return Number(gas) > most ? "execution aborted (timeout = 5s)" : to === burner ? "out of gas" : undefined
      },
      sayCode,
    )

  test("of its name", async () => {
    const asked = stageWith(20_000_000, { "name()": text("Honest"), "decimals()": number(6) })
    const client = clientOf({ attempts: 2 })
    expect(await run(describeTokens(client, [burner, honest], makeMulticall(client)))).toEqual([
      {},
      { name: "Honest", decimals: 6 },
    ])
    expect(new Set(asked.filter(({ to }) => to === burner).map(({ gas }) => gas))).toEqual(new Set(["0x4c4b40"]))
  })

  test("of its ids, with as much as a picture may need that is drawn on the chain", async () => {
    const asked = stageWith(50_000_000, { "tokenURI(uint256)": text("ipfs://1") })
    const client = clientOf({ attempts: 2 })
    const nfts = [burner, honest].map((token) => ({ token, tokenId: "1" }))
    expect(await run(tokenUris(client, nfts, makeMulticall(client)))).toEqual([undefined, "ipfs://1"])
    expect(new Set(asked.filter(({ to }) => to === burner).map(({ gas }) => gas))).toEqual(new Set(["0x2faf080"]))
  })
})

test("many tokens are described in few requests, in order", async () => {
  const bodies = play([
    contracts((to) => ({ name: text(`T${Number(to)}`), symbol: "0x", decimals: number(Number(to) % 256) })),
  ])
  const tokens = Array.from({ length: 40 }, (_, index) => address(index))
  expect(await run(describeTokens(clientOf(), tokens))).toEqual(
    tokens.map((_, index) => ({ name: `T${index}`, decimals: index })),
  )
  expect(bodies.length).toBe(3)
})
