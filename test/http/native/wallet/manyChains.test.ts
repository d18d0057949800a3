/** Walks as of a block over hundreds of chains: every cursor that is given is taken, and short enough for a link. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import fc from "fast-check"
import { heldCursor } from "../../../../src/adapters/http/native/wallet/heldCursor.ts"
import { type Server, serve } from "../../../../src/adapters/http/server.ts"
import { decodeCursor, encodeCursor, longestCursor } from "../../../../src/model/cursor.ts"
import { ChainId } from "../../../../src/model/primitives.ts"
import type { ChainPin, HeldKey } from "../../../../src/model/wallet/holdings.ts"
import { address, TestChain, transfer } from "../../../support/chain/testChain.ts"
import { type Json, prefix, startService, store, type TestService } from "../../support.ts"
import { ann, bob, gold, zero } from "../../world.ts"

/** Ids as chains have them: some small, most of five to ten digits. */
const idOf = (place: number) => String(place < 20 ? 1 + 7 * place : 10_000 + Math.floor(1.075 ** place * 2000))
const chainIds = Array.from({ length: 200 }, (_, place) => idOf(place))
/** The newest block of each chain; the one before is final. */
const headOf = (place: number) => 1_000_000 + 7919 * place * place
const start = 1_764_000_000
/** Of another network: more than a link can speak of, all at the same block; a part of them is of an ecosystem. */
const crowd = Array.from({ length: 600 }, (_, place) => String(5_000_000_000 * (place + 1)))
const [crowdBlock, crowdPart] = [5_000_000, 300]

let service: TestService
let server: Server
beforeAll(async () => {
  const chains = [
    ...chainIds.map((id) => ({ chainId: ChainId.make(id), network: "mainnet", ecosystems: [] })),
    ...crowd.map((id, place) => ({
      chainId: ChainId.make(id),
      network: "testnet",
      ecosystems: place < crowdPart ? ["part"] : [],
    })),
  ]
  service = await startService({ chains })
  for (const [place, chainId] of chainIds.entries()) {
    const head = headOf(place)
    const chain = new TestChain(new Set(), head - 1, start + 60 * place)
    chain.block([transfer(gold, zero, ann, 1000n + BigInt(place)), transfer(gold, zero, bob, 5n)])
    chain.block([transfer(gold, zero, ann, 1n)])
    await store(service, chainId, chain, {}, head - 1)
  }
  for (const chainId of crowd)
    await store(service, chainId, new TestChain(new Set(), crowdBlock, start).block([transfer(gold, zero, ann, 3n)]))
  server = await serve(service.app, { port: 0, hostname: "127.0.0.1", graceMs: 1000 })
})
afterAll(async () => {
  await server.stop()
  await service.close()
})

const of = `${prefix("all")}/address/${ann}/tokens`
const ofTwo = `${prefix("all")}/tokens-of?address=${ann},${bob}`
const later = start + 86_400
test.each<[string, string, number, bigint]>([
  [of, "finality=finalized", 40, 0n],
  [of, `timestamp=${later}`, 40, 1n],
  [ofTwo, "finality=finalized", 90, 0n],
  [ofTwo, `timestamp=${later}`, 90, 1n],
])("%s as of %s: each row once, behind links that are taken", async (path, query, limit, more) => {
  const rows: Array<Json> = []
  let next: string | undefined = `${path}${path.includes("?") ? "&" : "?"}${query}&limit=${limit}`
  let blocks: string | null = null
  while (next !== undefined) {
    const response = await fetch(`http://127.0.0.1:${server.port}${next}`)
    const body: Json = await response.json()
    expect([response.status, body.message]).toEqual([200, undefined])
    expect(response.headers.get("x-at-block")?.split(",")).toHaveLength(chainIds.length)
    blocks ??= response.headers.get("x-at-block")
    expect(response.headers.get("x-at-block")).toBe(blocks)
    rows.push(...body.items)
    next = body.link.next
    for (const token of [body.link.nextToken, body.link.prevToken])
      if (token !== undefined) expect(token.length).toBeLessThan(3300)
  }
  const wanted = chainIds.flatMap((id, place) => [
    `${id} ${ann} ${1000n + BigInt(place) + more}`,
    ...(path === ofTwo ? [`${id} ${bob} 5`] : []),
  ])
  expect(rows.map((row) => `${row.chainId} ${row.address ?? ann} ${row.balance}`).toSorted()).toEqual(wanted.toSorted())
})

describe("chains beyond what a link can speak of", () => {
  const path = `${prefix("all", "testnet")}/address/${ann}/tokens?blockNumber=${crowdBlock}`

  test("are refused in words, not with a cursor that nobody takes; a stream has all of them", async () => {
    const { status, body } = await service.get(`${path}&limit=1`)
    expect([status, body.code]).toEqual([400, "INVALID_PARAMETER"])
    expect(body.message).toBe(
      "includedChainIds: expected fewer chains, or the whole list as NDJSON or CSV: a link to the next page would be too long, got too many",
    )
    const stream = await service.fetch(path, { headers: { accept: "application/x-ndjson" } })
    expect((await stream.text()).trim().split("\n")).toHaveLength(crowd.length)
    expect((await service.get(`${path}&limit=1000`)).body.items).toHaveLength(crowd.length)
  })

  test("a part of them is walked", async () => {
    const first = await service.get(`${path}&limit=200&ecosystem=part`)
    expect([first.status, first.body.items.length]).toEqual([200, 200])
    const second = await service.get(first.body.link.next)
    expect([second.status, second.body.items.length, second.body.link.next]).toEqual([200, crowdPart - 200, undefined])
  })
})

describe("a place", () => {
  const key: HeldKey = {
    value: "9".repeat(60),
    chainId: ChainId.make("43114"),
    address: ann,
    standard: "erc1155",
    tokenAddress: gold,
    tokenId: String(2n ** 256n - 1n),
  }
  const most = 2 ** 31 - 1
  const pin = fc.record<ChainPin>({
    chainId: fc.bigInt(1n, 10n ** 16n - 1n).map((id) => ChainId.make(String(id))),
    blockNumber: fc.nat(most),
    rollbacks: fc.nat(most),
    hour: fc.nat(most),
  })
  const roundTrip = (place: HeldKey) => {
    const parts = decodeCursor("q", "next", encodeCursor("q", "next", heldCursor.toParts(place)))
    return parts && heldCursor.fromParts(parts)
  }

  test("is read as it was written, whatever chains and in whatever order", () => {
    fc.assert(
      fc.property(fc.array(pin, { minLength: 1, maxLength: 60 }), (pins) => {
        expect(roundTrip({ ...key, pins })).toEqual({ ...key, pins })
      }),
    )
    expect(roundTrip(key)).toEqual(key)
  })

  test("of 200 chains has less than 4,096 characters, also where all of them have long ids and high blocks", () => {
    const pins = Array.from({ length: 200 }, (_, place) => ({
      chainId: ChainId.make(String(7_000_000_000 * (place + 1))),
      blockNumber: most - place,
      rollbacks: 20_000,
      hour: 490_000 - (place % 7),
    }))
    const token = encodeCursor("q", "next", heldCursor.toParts({ ...key, pins }))
    expect(token.length).toBeLessThan(4096)
    expect(longestCursor).toBeGreaterThanOrEqual(4096)
    expect(roundTrip({ ...key, pins })?.pins).toEqual(pins)
  })

  test("is taken as older versions wrote it, and of what none wrote nothing is read", () => {
    const parts = ["1", "43114", ann, "erc20", gold, null]
    const old = [...parts, "1", 20_000_000, 3, "490000", "43114", 70_000_000, 0, "489999"]
    const { pins } = heldCursor.fromParts(decodeCursor("q", "next", encodeCursor("q", "next", old)) ?? []) ?? {}
    expect(pins).toEqual([
      { chainId: ChainId.make("1"), blockNumber: 20_000_000, rollbacks: 3, hour: 490_000 },
      { chainId: ChainId.make("43114"), blockNumber: 70_000_000, rollbacks: 0, hour: 489_999 },
    ])
    const bytes = (...all: ReadonlyArray<number>) => [...parts, Uint8Array.from(all)]
    expect(heldCursor.fromParts(bytes(2, 7, 0, 8))?.pins).toEqual([
      { chainId: ChainId.make("1"), blockNumber: 7, rollbacks: 0, hour: 4 },
    ])
    const wrong = [
      bytes(),
      bytes(2, 7, 0),
      bytes(2, 7, 0, 7),
      bytes(0, 7, 0, 8),
      bytes(1, 7, 0, 8),
      bytes(2, 7, 0, 136),
    ]
    // An hour that no column has: 2³¹.
    const later = [...parts, "1", 7, 0]
    expect(heldCursor.fromParts([...later, String(most)])?.pins?.[0]?.hour).toBe(most)
    const tooLate = [[...later, String(most + 1)], bytes(2, 7, 0, 128, 128, 128, 128, 16)]
    for (const parts of [...wrong, ...tooLate, bytes(2, 255, 255, 255, 255, 127, 0, 8), [...bytes(2, 7, 0, 8), "1"]])
      expect(heldCursor.fromParts(parts)).toBeUndefined()
    expect(heldCursor.fromParts(["1", "43114", address(1), "erc20", Uint8Array.from([2]), null])).toBeUndefined()
  })
})
