/** Lists as of a time, a hash and the newest final block: the same rows as of that block's number, and a walk that keeps its block. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { ChainNode, type NodeAnswer } from "../../../src/ports/ChainNode.ts"
import { ChainSource, SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { address, hash, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { type Json, prefix, startService, type TestService } from "../support.ts"
import { ann, apes, bob, cid, gold, zero } from "../world.ts"

const avax = prefix("43114")
const holders = `${avax}/erc20/${gold}/holders`
const start = 1_700_000_000

/** Blocks 0 to 9, each 12 seconds after the one before; each gives everybody some. */
const chainOf = () => {
  const made = new TestChain()
  for (let block = 0; block < 10; block++)
    made.block(
      [ann, bob, cid].flatMap((to, place) => [
        transfer(gold, zero, to, BigInt(block + place + 1)),
        nftTransfer(apes, zero, to, BigInt(3 * block + place)),
      ]),
    )
  return made
}
const chain = chainOf()
const timeOf = (block: number) => start + 12 * (block + 1)

/** A node that knows the chain's blocks below 6, and a block that is none of the chain's any more. */
const gone = hash("gone")
const node = { down: false, forgets: 0 }
const failing = Effect.fail(new SourceUnavailable({ message: "down" }))
const nodeLayer = Layer.mergeAll(
  Layer.succeed(ChainNode, {
    sends: false,
    call: (_chain, _method, [of]) => {
      if (node.down) return failing
      if (node.forgets-- > 0) return Effect.succeed({ result: null })
      const found = chain.blocks.find(({ header }) => header.hash === of)?.header.number
      const number = of === gone ? 2 : of === hash("ahead") ? 50 : of === hash("near") ? 8 : found
      const answer: NodeAnswer = { result: number === undefined ? null : { number: `0x${number.toString(16)}` } }
      return Effect.succeed(answer)
    },
  }),
  Layer.succeed(ChainSource, {
    of: () => ({
      ...({ chainId: failing, head: failing, failover: Effect.void } as const),
      ...({ logs: () => failing, logsOfBlocks: () => failing, crossCheck: () => Effect.succeed([]) } as const),
      headers: (numbers) =>
        node.down ? failing : Effect.succeed(numbers.map((number) => chain.blocks[number]?.header)),
    }),
  }),
)

let service: TestService
let writer: LedgerWriter
beforeAll(async () => {
  service = await startService({ replace: nodeLayer as Layer.Layer<never> })
  writer = await service.open("43114")
  await service.run(writer.append(chain.segment(0, 9, { finalizedBlock: 5 })))
})
afterAll(() => service.close())

const lists = [holders, `${avax}/erc721/${apes}/holders`, `${avax}/erc721/${apes}/tokens`]
const items = async (path: string) => (await service.get(path)).body.items
const refused = async (path: string) => {
  const { status, body } = await service.get(path)
  return [status, body.code, body.message]
}

describe("what an address holds", () => {
  const meant = [
    [`timestamp=${timeOf(4) + 5}`, "43114:4"],
    [`blockHash=${chain.blocks[7]!.header.hash}`, "43114:7"],
    ["finality=finalized", "43114:5"],
  ] as const
  test.each(meant)("%s: the header names the block, on each page and of a stream", async (query, wanted) => {
    const block = Number(wanted.split(":")[1])
    const headerOf = async (path: string, accept = "application/json") =>
      (await service.fetch(path, { headers: { accept } })).headers.get("x-at-block")
    for (const path of [
      `${avax}/address/${ann}/tokens?limit=1&${query}`,
      `${avax}/tokens-of?address=${ann}&${query}`,
    ]) {
      expect(await headerOf(path)).toBe(wanted)
      const { next } = (await service.get(path)).body.link
      if (next !== undefined) expect(await headerOf(next)).toBe(wanted)
    }
    expect(await headerOf(`${avax}/address/${ann}/tokens?${query}`, "text/csv")).toBe(wanted)
    const path = `${avax}/address/${ann}/portfolio`
    expect(await headerOf(`${path}?${query}`)).toBe(wanted)
    const [part] = (await service.get(`${path}?${query}`)).body.chains
    const { hash: blockHash, time } = chain.blocks[block]!.header
    expect([part.blockNumber, part.blockHash ?? blockHash]).toEqual([block, blockHash])
    expect(part.timestamp).toBe(new Date(time * 1000).toISOString())
    expect((await service.get(`${path}?blockNumber=${block}`)).body.chains[0]).toEqual(part)
  })

  test("of now, and of a block that is named, there is no such header", async () => {
    for (const query of ["", "?blockNumber=3"])
      for (const path of [`${avax}/address/${ann}/tokens`, `${avax}/address/${ann}/portfolio`])
        expect((await service.fetch(path + query)).headers.get("x-at-block")).toBeNull()
  })
})

describe("timestamp", () => {
  test("gives what the last block of that time or before left, however the time is written", async () => {
    for (const path of lists) {
      for (const block of [0, 3, 6, 9]) {
        const wanted = await items(`${path}?blockNumber=${block}`)
        for (const time of [timeOf(block), timeOf(block) + 11]) {
          const iso = new Date(time * 1000).toISOString()
          for (const text of [time, iso, iso.replace("Z", ""), iso.replace("Z", "+00:00"), iso.replace(".000Z", "Z")]) {
            expect([text, await items(`${path}?timestamp=${text}`)]).toEqual([text, wanted])
          }
        }
      }
    }
  })

  test("names the block in a header, and is a plain day's midnight where no hour is given", async () => {
    const response = await service.fetch(`${holders}?timestamp=${timeOf(4) + 5}`)
    expect([response.headers.get("x-at-block"), response.headers.get("x-as-of-block")]).toEqual(["43114:4", "43114:9"])
    expect(await refused(`${holders}?timestamp=2023-11-14`)).toEqual([
      400,
      "HISTORY_NOT_AVAILABLE",
      "timestamp: expected a time of the indexed history, which starts at block 0, got 2023-11-14",
    ])
    expect((await refused(`${holders}?timestamp=0`))[2]).toBe(
      "timestamp: expected a time of the indexed history, which starts at block 0, got 0",
    )
    expect(await items(`${holders}?timestamp=2023-11-15`)).toEqual(await items(holders))
  })

  test("that is no time, or is to come, is refused", async () => {
    const bad = [
      "",
      "now",
      "-1",
      "1e9",
      "2023-02-30",
      "2023-13-01",
      "2023-01-01T25:00Z",
      `${timeOf(1)}000`,
      "20230101T",
      "2023-01-01T00:00:00Zx",
    ]
    for (const value of bad) {
      const [status, code, message] = await refused(`${holders}?timestamp=${value}`)
      expect([value, status, code]).toEqual([value, 400, "INVALID_PARAMETER"])
      expect(message).toStartWith("timestamp: expected a time: ISO 8601")
    }
    expect(await refused(`${holders}?timestamp=4000000000`)).toEqual([
      400,
      "INVALID_PARAMETER",
      "timestamp: expected a time up to now, got 4000000000",
    ])
    expect((await refused(`${prefix("10")}/erc20/${gold}/holders?timestamp=${timeOf(1)}`)).slice(0, 2)).toEqual([
      400,
      "INVALID_PARAMETER",
    ])
  })
})

describe("blockHash", () => {
  const of = (block: number) => chain.blocks[block]!.header.hash

  test("gives what that block left: of the newest blocks by the ledger alone, of older ones by the node", async () => {
    for (const block of [0, 3, 5, 6, 9]) {
      expect(await items(`${holders}?blockHash=${of(block)}`)).toEqual(await items(`${holders}?blockNumber=${block}`))
    }
    expect(await items(`${holders}?blockHash=${of(8).toUpperCase().replace("0X", "0x")}`)).toHaveLength(3)
    node.down = true
    expect(await items(`${holders}?blockHash=${of(7)}`)).toEqual(await items(`${holders}?blockNumber=7`))
    expect((await refused(`${holders}?blockHash=${of(2)}&limit=7`)).slice(0, 2)).toEqual([503, "UNAVAILABLE"])
    node.down = false
  })

  test("that the node says once or twice to know none by is asked for again; three times, and it is refused", async () => {
    const hashOf = chain.blocks[3]!.header.hash
    const wanted = await items(`${holders}?limit=100&blockNumber=3`)
    for (const times of [1, 2]) {
      node.forgets = times
      expect(await items(`${holders}?limit=100&blockHash=${hashOf}`)).toEqual(wanted)
    }
    node.forgets = 3
    expect((await refused(`${holders}?limit=99&blockHash=${hashOf}`)).slice(0, 2)).toEqual([400, "INVALID_PARAMETER"])
    node.forgets = 0
  })

  test("that is not of this chain, or not yet, is refused with the reason", async () => {
    const message = async (value: string) => (await refused(`${holders}?blockHash=${value}`)).join(" ")
    expect(await message("0x12")).toContain("blockHash: expected a block's hash: 0x and 64 hex digits, got 0x12")
    expect(await message(hash("nobody"))).toContain(
      "400 INVALID_PARAMETER blockHash: expected the hash of a block of this chain",
    )
    expect(await message(gone)).toContain("expected a block of this chain; another one stands at 2")
    expect(await message(hash("near"))).toContain("expected a block of this chain; another one stands at 8")
    expect(await message(hash("ahead"))).toContain("expected a block up to the indexed head 9; it is 50")
  })
})

describe("finality", () => {
  test("finalized gives what the newest final block left; latest is now", async () => {
    for (const path of lists) {
      expect(await items(`${path}?finality=finalized`)).toEqual(await items(`${path}?blockNumber=5`))
      expect(await items(`${path}?finality=latest`)).toEqual(await items(path))
    }
    expect(await refused(`${holders}?finality=safe`)).toEqual([
      400,
      "INVALID_PARAMETER",
      "finality: expected latest or finalized, got safe",
    ])
  })

  test("of feeds keeps what a reorg may take back out of them", async () => {
    const blocks = async (query: string) =>
      [...new Set((await items(`${avax}/erc20-transfers?${query}`)).map((it: Json) => it.blockNumber))] as Array<number>
    expect(await blocks("limit=100&finality=finalized")).toEqual([5, 4, 3, 2, 1, 0])
    expect(await blocks(`limit=100&finality=finalized&address=${ann}&timestampFrom=${timeOf(2)}`)).toEqual([5, 4, 3, 2])
    expect(await blocks(`limit=100&timestampFrom=${timeOf(3) - 1}&timestampTo=${timeOf(5) + 1}`)).toEqual([5, 4, 3])
    expect(await blocks(`limit=100&timestampFrom=${timeOf(3)}.0`.replace(".0", ""))).toHaveLength(7)
    const fraction = new Date(timeOf(3) * 1000 + 1).toISOString()
    expect((await blocks(`limit=100&timestampFrom=${fraction}`)).at(-1)).toBe(4)
    expect((await blocks(`limit=100&timestampTo=${fraction}`)).at(0)).toBe(3)
    // However small, or near to the next second.
    const second = new Date(timeOf(3) * 1000).toISOString().slice(0, 19)
    for (const digits of ["0001", "000000001", "999999999", "9999"]) {
      expect([digits, (await blocks(`limit=100&timestampFrom=${second}.${digits}Z`)).at(-1)]).toEqual([digits, 4])
      expect([digits, (await blocks(`limit=100&timestampTo=${second}.${digits}Z`)).at(0)]).toEqual([digits, 3])
    }
    expect((await blocks(`limit=100&timestampFrom=${second}.000000000Z`)).at(-1)).toBe(3)
    expect(await refused(`${avax}/erc20-transfers?timestampFrom=${timeOf(3)}&timestampTo=${timeOf(2)}`)).toEqual([
      400,
      "INVALID_PARAMETER",
      `timestampFrom: expected a time up to timestampTo (${timeOf(2)}), got ${timeOf(3)}`,
    ])
  })

  test("inside one second has no block, and backwards is refused in the words that were sent", async () => {
    const second = new Date(timeOf(3) * 1000).toISOString().slice(0, 19)
    const [early, late] = [`${second}.200Z`, `${second}.800Z`]
    const counted = { count: 0, countType: "exact" }
    for (const [path, more] of [
      ["erc20-transfers?count=true", counted],
      [`erc20-transfers?address=${ann}`, {}],
      ["erc721-transfers?count=true", counted],
      [`address/${ann}/tokens/${gold}/balances?count=true`, counted],
      [`erc20/${gold}/supply/history?count=true`, counted],
      [`erc20/${gold}/price/history?count=true`, counted],
      [`address/${ann}/portfolio/history?interval=1h&count=true`, counted],
      [`address/${ann}/portfolio/history?interval=1d&count=true`, counted],
      [`address/${ann}/portfolio/history?interval=block`, {}],
      [`erc20/${gold}/holders/diff?count=true`, counted],
      ["erc20-swaps?count=true", counted],
    ] as const) {
      const at = `${avax}/${path}`
      const found = await service.get(`${at}&timestampFrom=${early}&timestampTo=${late}`)
      expect([path, found.status, found.body]).toEqual([path, 200, { items: [], link: {}, ...more }])
      expect([path, ...(await refused(`${at}&timestampFrom=${late}&timestampTo=${early}`))]).toEqual([
        path,
        400,
        "INVALID_PARAMETER",
        `timestampFrom: expected a time up to timestampTo (${early}), got ${late}`,
      ])
    }
    const { items: rows } = (await service.get(`${avax}/erc20-transfers?timestampFrom=${second}Z&timestampTo=${late}`))
      .body
    expect(rows.map(({ blockNumber }: Json) => blockNumber)).toEqual([3, 3, 3])
    const all = await service.get(`${prefix("all")}/erc20-transfers?timestampFrom=${early}&timestampTo=${late}`)
    expect([all.status, all.body]).toEqual([200, { items: [], link: {} }])
  })

  test("of differences ends with the newest final block", async () => {
    const diff = `${avax}/erc20/${gold}/holders/diff`
    for (const from of [
      "",
      "&blockNumberFrom=2",
      "&blockNumberFrom=2&blockNumberTo=9",
      "&blockNumberFrom=2&blockNumberTo=4",
    ]) {
      const last = from.endsWith("4") ? 4 : 5
      const wanted = await items(`${diff}?limit=100&blockNumberTo=${last}${from.replace(/&blockNumberTo=./, "")}`)
      expect([from, await items(`${diff}?limit=100&finality=finalized${from}`)]).toEqual([from, wanted])
    }
    expect(await items(`${diff}?limit=100&finality=finalized`)).not.toEqual(await items(`${diff}?limit=100`))
    expect((await refused(`${diff}?blockNumberFrom=7&finality=finalized`)).slice(0, 2)).toEqual([
      400,
      "INVALID_PARAMETER",
    ])
  })

  test("of differences a time is the last block by then: what that block changed is no change, and before the first nobody had anything", async () => {
    const diff = `${avax}/erc20/${gold}/holders/diff?limit=100`
    for (const block of [0, 3, 8]) {
      const wanted = await items(`${diff}&blockNumberFrom=${block}`)
      for (const time of [timeOf(block), timeOf(block) + 11, new Date(timeOf(block) * 1000 + 999).toISOString()])
        expect([time, await items(`${diff}&timestampFrom=${time}`)]).toEqual([time, wanted])
    }
    expect(await items(`${diff}&timestampFrom=${timeOf(0) - 1}`)).toEqual(await items(diff))
    expect(await items(`${diff}&timestampFrom=0&timestampTo=1`)).toEqual([])
    expect((await refused(`${diff}&blockNumberFrom=3&timestampTo=1`)).slice(0, 2)).toEqual([400, "INVALID_PARAMETER"])
    // What the caller sent is named, though the times became blocks.
    const [status, code, told] = await refused(`${diff}&finality=finalized&timestampFrom=${timeOf(8)}`)
    expect([status, code]).toEqual([400, "INVALID_PARAMETER"])
    const sent = new Date(timeOf(8) * 1000).toISOString()
    expect(told).toBe(
      `timestampFrom: expected a time before the end of the last block (5); the newest block by then is 8, got ${sent}`,
    )
    const [, , message] = await refused(`${diff}&timestampFrom=2999-01-01`)
    expect(message).toContain("timestampFrom: expected a time up to now")
  })

  test("of a chain without a final block is refused", async () => {
    const young = await startService()
    await young.run((await young.open("43114")).append(chainOf().segment(0, 3)))
    expect((await young.get(`${holders}?finality=finalized`)).body.code).toBe("HISTORY_NOT_AVAILABLE")
    await young.close()
  })
})

describe("of several at once", () => {
  test("none is taken", async () => {
    const hashOf = chain.blocks[4]!.header.hash
    const pairs = [
      ["blockNumber=4", "timestamp", `${timeOf(4)}`],
      ["blockNumber=4", "finality", "finalized"],
      [`timestamp=${timeOf(4)}`, "blockHash", hashOf],
      [`blockHash=${hashOf}`, "finality", "finalized"],
    ] as const
    for (const [first, second, value] of pairs) {
      const [status, code, message] = await refused(`${holders}?${first}&${second}=${value}`)
      expect([status, code]).toEqual([400, "INVALID_PARAMETER"])
      expect(message).toContain(`${second}: expected no value beside ${first.split("=")[0]}`)
    }
    expect((await service.get(`${holders}?blockNumber=4&finality=latest`)).status).toBe(200)
  })
})

describe("where the process has no node", () => {
  test("what its ledger does not know is refused by that reason, and nobody is told to try again", async () => {
    const alone = await startService()
    const made = chainOf()
    await alone.run((await alone.open("43114")).append(made.segment(0, 9, { finalizedBlock: 5 })))
    const asked = [
      `${holders}?blockHash=${hash("unheard")}`,
      `${avax}/erc20-transfers?txHash=${hash("unheard")}`,
      `${avax}/etherscan/api?module=account&action=balance&address=${ann}`,
    ]
    for (const path of asked) {
      const { body } = await alone.get(path)
      const told = body.message === "NOTOK" ? body.result : body.message
      expect(told).toContain("this process has no node of chain 43114")
      expect(told).not.toContain("ry again")
    }
    // What it knows it tells.
    const known = made.blocks[8]!.header.hash
    expect((await alone.get(`${holders}?blockHash=${known}`)).status).toBe(200)
    await alone.close()
  })
})

describe("a walk", () => {
  test("keeps the block that it began with while blocks come and become final, forward, back and as rows", async () => {
    const live = await startService()
    const made = chainOf()
    const its = await live.open("43114")
    await live.run(its.append(made.segment(0, 6, { finalizedBlock: 3 })))
    const wanted = (await live.get(`${holders}?blockNumber=3`)).body.items
    const first = (await live.get(`${holders}?finality=finalized&limit=1`)).body
    await live.run(its.append(made.segment(7, 9, { finalizedBlock: 8 })))
    const second = (await live.get(first.link.next)).body
    const third = (await live.get(`${holders}?finality=finalized&limit=1&next=${second.link.nextToken}`)).body
    expect([first, second, third].flatMap((page) => page.items)).toEqual(wanted)
    expect((await live.get(third.link.prev)).body.items).toEqual(second.items)
    const rows = await (await live.fetch(first.link.next, { headers: { accept: "application/x-ndjson" } })).text()
    expect(
      rows
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(wanted.slice(1, 2))
    // Nor is the cursor one of another question.
    for (const query of ["", "&blockNumber=3", `&timestamp=${timeOf(3)}`, "&finality=latest"]) {
      expect((await live.get(`${holders}?limit=1${query}&next=${first.link.nextToken}`)).body.code).toBe(
        "INVALID_CURSOR",
      )
    }
    await live.close()
  })

  test("is refused once a reorg took its block, and begins anew at the new one", async () => {
    const live = await startService()
    const made = chainOf()
    const its = await live.open("43114")
    await live.run(its.append(made.segment(0, 9, { finalizedBlock: 3 })))
    const path = `${holders}?timestamp=${timeOf(8) + 3}&limit=1`
    const first = (await live.get(path)).body
    await live.run(its.rollback(7))
    made
      .truncate(7)
      .block([transfer(gold, zero, address(0xc9), 1000n)], { salt: "other" })
      .block()
    await live.run(its.append(made.segment(7, 8, { finalizedBlock: 3 })))
    expect((await live.get(first.link.next)).body.code).toBe("INVALID_CURSOR")
    expect((await live.get(path)).body.items[0].address).toBe(address(0xc9))
    await live.close()
  })
})
