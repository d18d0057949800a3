/** Metadata through Multicall3 on a real node: what plain calls say, in fewer calls, whatever hostile tokens do. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { type Address, addressOf } from "../../../demo/chain/address.ts"
import { compile } from "../../../demo/chain/compile.ts"
import { createContracts, deployDemoChain } from "../../../demo/chain/deploy.ts"
import {
  decodeAggregate,
  encodeAggregate,
  makeMulticall,
  multicall3,
} from "../../../src/adapters/rpc/contracts/multicall.ts"
import { describe as describeTokens, tokenUris } from "../../../src/adapters/rpc/contracts/RpcTokenMetadata.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import { makeClient, type RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { deployStrangeContracts, startAnvil, type TestNode } from "../../support/nodes/anvil.ts"
import { run } from "../node.ts"

let node: TestNode
let honest: ReadonlyArray<Address>
let burner: Address
let flooder: Address
let gallery: Address
let code: string

beforeAll(async () => {
  node = await startAnvil()
  const { tokens, accounts, batch } = await deployDemoChain(node.url)
  const { nameless, garbled, lying, malformed } = await deployStrangeContracts(node.url)
  const [multicall, ...hostile] = (await createContracts(
    node.url,
    await compile("test/support/contracts"),
    ["Multicall3", "GasBurner", "Flooder", "Gallery"].map((name) => ({ name })),
  )) as [Address, Address, Address, Address]
  burner = hostile[0]!
  flooder = hostile[1]!
  gallery = hostile[2]!
  honest = [
    ...Object.values(tokens),
    nameless,
    garbled,
    lying,
    malformed,
    accounts[0]!,
    batch,
  ] as ReadonlyArray<Address>
  code = await node.rpc("eth_getCode", [multicall, "latest"])
})
afterEach(() => node.rpc("anvil_setCode", [multicall3, "0x"]))
afterAll(() => node?.stop())

/** A client that notes what it asks: the address that an `eth_call` goes to, else the method. */
const watched = () => {
  const asked: Array<string> = []
  const client = makeClient([node.url], { concurrency: 4, attempts: 2 })
  const batch = <Value>(calls: ReadonlyArray<RpcCall<Value>>) => {
    for (const { method, params } of calls) {
      asked.push(method === "eth_call" ? (params[0] as { to: string }).to : method)
    }
    return client.batch(calls)
  }
  return { asked, client: { ...client, batch } as RpcClient }
}

const describeBothWays = async (addresses: ReadonlyArray<Address>) => {
  const plain = await run(describeTokens(watched().client, addresses))
  const { client, asked } = watched()
  return { plain, asked, multi: await run(describeTokens(client, addresses, makeMulticall(client))) }
}

describe("descriptions through Multicall3", () => {
  test("are those of plain calls; only calls that failed are made again alone", async () => {
    await node.rpc("anvil_setCode", [multicall3, code])
    const { plain, multi, asked } = await describeBothWays(honest)
    expect(multi).toEqual(plain)
    expect(plain.filter(({ symbol }) => symbol !== undefined).length).toBeGreaterThan(6)
    expect(asked.slice(0, 2)).toEqual(["eth_getCode", multicall3])
    expect(asked.length).toBeLessThan(honest.length * 2)
  })

  test("of a token that burns all gas leave its neighbours theirs", async () => {
    await node.rpc("anvil_setCode", [multicall3, code])
    const { plain, multi } = await describeBothWays([burner, ...honest, burner, ...honest])
    expect(multi).toEqual(plain)
    expect(multi[0]).toEqual({ symbol: "BURN" })
  })

  test("of a token that answers with megabytes leave its neighbours theirs", async () => {
    await node.rpc("anvil_setCode", [multicall3, code])
    const { plain, multi } = await describeBothWays([flooder, ...honest, flooder])
    expect(multi).toEqual(plain)
    expect(multi[0]).toEqual({})
  })

  test("are asked plainly where the chain does not have it, which is looked up once", async () => {
    const { client, asked } = watched()
    const multicall = makeMulticall(client)
    await run(describeTokens(client, honest, multicall))
    await run(describeTokens(client, honest, multicall))
    expect(asked.filter((each) => each === "eth_getCode").length).toBe(1)
    expect(asked).not.toContain(multicall3)
  })

  test("are asked plainly where something else has its address, and it is left alone after five tries", async () => {
    await node.rpc("anvil_setCode", [multicall3, await node.rpc("eth_getCode", [honest[0]!, "latest"])])
    const { client, asked } = watched()
    const multicall = makeMulticall(client)
    const plain = await run(describeTokens(watched().client, honest))
    for (let time = 0; time < 7; time++) expect(await run(describeTokens(client, honest, multicall))).toEqual(plain)
    expect(asked.filter((to) => to === multicall3).length).toBe(5)
  })
})

test("token URIs through Multicall3 are those of plain calls: whole, clean or absent", async () => {
  await node.rpc("anvil_setCode", [multicall3, code])
  const of = (token: Address, ids: ReadonlyArray<number>) => ids.map((id) => ({ token, tokenId: String(id) }))
  const nfts = [...of(gallery, [1, 2, 3, 4, 5]), ...of(burner, [1]), ...of(gallery, [8192, 8193])]
  const plain = await run(tokenUris(watched().client, nfts))
  const { client, asked } = watched()
  expect(await run(tokenUris(client, nfts, makeMulticall(client)))).toEqual(plain)
  expect(plain).toEqual([
    "ipfs://work/1.json",
    undefined,
    undefined,
    undefined,
    "data:\u{FFFD}5",
    undefined,
    "x".repeat(8192),
    undefined,
  ])
  // All at once, then alone what failed.
  expect(asked).toEqual(["eth_getCode", multicall3, gallery, burner])
})

describe("answers of Multicall3", () => {
  const decode = (answer: string, count: number) => decodeAggregate(answer, count, (data) => data)
  test("that are cut, too few or absurd are none", () => {
    const word = (value: number | bigint) => value.toString(16).padStart(64, "0")
    const whole = `0x${word(32)}${word(1)}${word(32)}${word(1)}${word(64)}${word(2)}${"abcd".padEnd(64, "0")}`
    expect(decode(whole, 1)).toEqual(["0xabcd"])
    expect(decode(whole, 2)).toBeUndefined()
    for (let length = 2; length < whole.length - 60; length += 32)
      expect(decode(whole.slice(0, length), 1)).toBeUndefined()
    expect(decode(`0x${word(2n ** 255n)}${word(1)}`, 1)).toBeUndefined()
    expect(decode("0x", 0)).toBeUndefined()
  })

  test("are asked for as its interface says", () => {
    const calls = [{ to: addressOf(`0x${"ab".repeat(20)}`), data: "0x06fdde03" }]
    expect(encodeAggregate(calls)).toBe(
      `0x82ad56cb${[
        "20".padStart(64, "0"),
        "1".padStart(64, "0"),
        "20".padStart(64, "0"),
        "ab".repeat(20).padStart(64, "0"),
        "1".padStart(64, "0"),
        "60".padStart(64, "0"),
        "4".padStart(64, "0"),
        "06fdde03".padEnd(64, "0"),
      ].join("")}`,
    )
  })
})

test("a node that does not tell whether the contract is there describes tokens by plain calls", async () => {
  const { client, asked } = watched()
  const deaf: RpcClient = {
    ...client,
    batch: (calls) =>
      calls[0]?.method === "eth_getCode"
        ? Effect.fail(new SourceUnavailable({ message: "the method eth_getCode does not exist" }))
        : client.batch(calls),
  }
  const plain = await run(describeTokens(watched().client, honest))
  expect(await run(describeTokens(deaf, honest, makeMulticall(deaf)))).toEqual(plain)
  expect(asked).not.toContain(multicall3)
})
