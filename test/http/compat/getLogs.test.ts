/** `getLogs`: what is asked of the node, how it is shown, what is held against the ledger, and what becomes of a node without an answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as FetchUpstream from "../../../src/adapters/web/FetchUpstream.ts"
import { approvalTopics, swapTopics, topics } from "../../../src/domain/ingest/decode/topics.ts"
import { Address, ChainId } from "../../../src/model/primitives.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import { type FoundLog, type FoundLogs, type LogFilter, LogSearch, LogsRefused } from "../../../src/ports/LogSearch.ts"
import {
  consecutiveTransfer,
  transfer as moved,
  multiTransfer,
  nftTransfer,
  oddEvents,
  TestChain,
} from "../../support/chain/testChain.ts"
import { type FakeUpstream, startFakeUpstream } from "../../support/fakeUpstream.ts"
import { type Json, startService, store } from "../support.ts"
import { ann, apes, avalanche, bob, cid, gold, startWorld, zero } from "../world.ts"

let asked: Array<readonly [string, LogFilter, { readonly skip: number; readonly take: number }]> = []
let says: Effect.Effect<FoundLogs, LogsRefused | SourceUnavailable>
const node = Layer.succeed(LogSearch, {
  find: (chainId, filter, window) => {
    asked.push([chainId, filter, window])
    return says
  },
})

let upstream: FakeUpstream
let alone: Awaited<ReturnType<typeof startWorld>>
let served: Awaited<ReturnType<typeof startWorld>>
beforeAll(async () => {
  upstream = await startFakeUpstream()
  const gateway = FetchUpstream.layer(
    { ofChain: new Map([[ChainId.make("43114"), { url: upstream.url }]]) },
    { callsPerSecond: 1000 },
  )
  alone = await startWorld({ replace: node as unknown as Layer.Layer<never> })
  served = await startWorld({ replace: Layer.merge(node, gateway) as unknown as Layer.Layer<never> })
})
beforeEach(() => {
  asked = []
  says = Effect.succeed({ logs: [], searchedTo: 0 })
  upstream.reset()
})
afterAll(async () => {
  await alone.close()
  await served.close()
  await upstream.stop()
})

const get = async (query: string, service = alone, path = "/v2/api?chainid=43114&") => {
  const response = await service.fetch(`${path}module=logs&action=getLogs&${query}`)
  return { body: (await response.json()) as Json, servedBy: response.headers.get("x-served-by") }
}

const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const topicOf = (address: string) => `0x${address.slice(2).padStart(64, "0")}`
const other = `0x${"ab".repeat(32)}`

/** Gold's own transfers as its contract emits them. */
const goldLogs: ReadonlyArray<FoundLog> = avalanche().blocks.flatMap(({ header, logs }) =>
  logs
    .filter(({ address }) => address === gold)
    .map((log) => ({ ...log, time: header.time, gasPrice: 5n, gasUsed: 21_000n, txIndex: 0 })),
)
const all = { logs: goldLogs, searchedTo: 4 }

describe("the node is asked", () => {
  const none = [undefined, undefined, undefined, undefined]
  const window = { skip: 0, take: 1000 }
  test.each([
    [`address=${gold}`, { fromBlock: 0, address: gold, topics: none, match: "all" }, window],
    [
      `address=${gold.toUpperCase().replace("X", "x")}&fromBlock=0x10&toBlock=20`,
      { fromBlock: 16, toBlock: 20, address: gold, topics: none, match: "all" },
      window,
    ],
    [
      `topic0=${transfer}&fromBlock=earliest&toBlock=latest`,
      { fromBlock: 0, topics: [transfer, undefined, undefined, undefined], match: "all" },
      window,
    ],
    [
      `topic0=${other}&topic0_1_opr=and&topic1=${other}`,
      { fromBlock: 0, topics: [other, other, undefined, undefined], match: "all" },
      window,
    ],
    [
      `topic0=${transfer}&topic0_2_opr=or&topic2=${other}`,
      { fromBlock: 0, topics: [transfer, undefined, other, undefined], match: "any" },
      window,
    ],
    [
      `topic0=${transfer}&topic1=${other}&topic2=${other}&topic0_1_opr=or&topic1_2_opr=OR`,
      { fromBlock: 0, topics: [transfer, other, other, undefined], match: "any" },
      window,
    ],
    ...["99999999", "100000000", "999999999", "999999999999"].map(
      (toBlock) =>
        [
          `address=${gold}&fromBlock=7&toBlock=${toBlock}`,
          { fromBlock: 7, address: gold, topics: none, match: "all" },
          window,
        ] as const,
    ),
    ...[9_999_999, 99_999_998, 100_000_001].map(
      (toBlock) =>
        [
          `address=${gold}&toBlock=${toBlock}`,
          { fromBlock: 0, toBlock, address: gold, topics: none, match: "all" },
          window,
        ] as const,
    ),
    [
      `address=${gold}&toBlock=0x5f5e0ff`,
      { fromBlock: 0, toBlock: 99_999_999, address: gold, topics: none, match: "all" },
      window,
    ],
    [
      `address=${gold}&fromBlock=99999999&toBlock=latest`,
      { fromBlock: 99_999_999, address: gold, topics: none, match: "all" },
      window,
    ],
    [`address=${gold}&fromBlock=latest`, { fromBlock: 4, address: gold, topics: none, match: "all" }, window],
    [
      `address=${gold}&page=3&offset=7`,
      { fromBlock: 0, address: gold, topics: none, match: "all" },
      { skip: 14, take: 7 },
    ],
  ])("%s", async (query, filter, window) => {
    const { body, servedBy } = await get(query)
    expect(body).toEqual({ status: "0", message: "No records found", result: [] })
    expect(asked).toEqual([["43114", filter as unknown as LogFilter, window]])
    expect(servedBy).toBe("node")
  })
})

test("the node is asked once beside x-min-block, and what the ledger answers is held against it", async () => {
  const of = async (minBlock: string, query: string) => {
    const headers = { "x-min-block": minBlock }
    return (await alone.get(`/v2/api?chainid=43114&module=logs&action=getLogs&${query}`, { headers })).body
  }
  const none = { status: "0", message: "No records found", result: [] }
  for (const minBlock of ["43114:4", "43114:5"]) expect(await of(minBlock, `address=${gold}`)).toEqual(none)
  expect(asked).toHaveLength(2)
  expect(await of("43114:4", `topic0=${transfer}&topic1=${other}`)).toEqual(none)
  expect((await of("43114:5", `topic0=${transfer}&topic1=${other}`)).result).toContain("block 5 is wanted")
  expect(asked).toHaveLength(2)
})

describe("the ledger answers", () => {
  const none = { status: "0", message: "No records found", result: [] }
  test.each([
    `topic0=${transfer}&topic1=${other}`,
    `topic0=${transfer.toUpperCase().replace("X", "x")}&topic3=${other}&topic0_3_opr=and&address=${gold}`,
    `topic0=${transfer}&topic1=${other}&topic2=${other}&topic0_1_opr=and&topic0_2_opr=and&topic1_2_opr=or`,
    `topic0=${transfer}&fromBlock=4&toBlock=4`,
    `topic0=${transfer}&fromBlock=latest`,
    `topic0=${transfer}&fromBlock=LATEST&toBlock=pending`,
    `topic0=${transfer}&topic1=${other}&toBlock=9223372036854775807`,
    `topic0=${transfer}&topic1=${other}&toBlock=99999999`,
    `topic0=${transfer}&topic1=${other}&toBlock=100000000`,
    `topic0=${transfer}&topic1=${other}&toBlock=999999999`,
  ])("%s", async (query) => {
    const response = await alone.fetch(`/v2/api?chainid=43114&module=logs&action=getLogs&${query}`)
    expect(await response.json()).toEqual(none)
    expect([response.headers.get("x-served-by"), response.headers.get("x-as-of-block")]).toEqual([null, "43114:4"])
    expect(asked).toEqual([])
  })

  test.each([
    ["a block above the head", `topic0=${transfer}&topic1=${other}&toBlock=5`],
    ["approvals, which are not stored", `topic0=${approvalTopics.approval}&topic1=${other}`],
    ["a Deposit of no wrapped native", `topic0=${topics.deposit}&address=${gold}`],
    ["a Deposit of whomever", `topic0=${topics.deposit}`],
    ["a swap", `topic0=${swapTopics.v2}`],
    ["one topic or another", `topic0=${transfer}&topic1=${other}&topic0_1_opr=or`],
    ["logs whose transactions nobody tells", `topic0=${transfer}`],
  ])("not: %s", async (_, query) => {
    expect((await get(query)).servedBy).toBe("node")
    expect(asked).toHaveLength(1)
  })

  test("not: blocks before the ledger's first", async () => {
    const ofOther = (query: string) => get(query, alone, "/v2/api?chainid=1&")
    expect((await ofOther(`topic0=${transfer}&topic1=${other}`)).servedBy).toBe("node")
    expect((await ofOther(`topic0=${transfer}&topic1=${other}&fromBlock=19`)).servedBy).toBe("node")
    expect((await ofOther(`topic0=${transfer}&topic1=${other}&fromBlock=20`)).servedBy).toBeNull()
  })
})

test("a log is shown as Etherscan shows it, with 0 as a number that parses", async () => {
  says = Effect.succeed(all)
  const { body } = await get(`address=${gold}`)
  expect(body.result).toHaveLength(goldLogs.length)
  expect(Object.keys(body.result[0])).toEqual([
    "address",
    "topics",
    "data",
    "blockNumber",
    "blockHash",
    "timeStamp",
    "gasPrice",
    "gasUsed",
    "logIndex",
    "transactionHash",
    "transactionIndex",
  ])
  const [first] = goldLogs
  expect(body).toMatchObject({ status: "1", message: "OK" })
  expect(body.result[0]).toEqual({
    address: gold,
    topics: first!.topics,
    data: first!.data,
    blockNumber: "0x1",
    blockHash: first!.blockHash,
    timeStamp: `0x${first!.time.toString(16)}`,
    gasPrice: "0x5",
    gasUsed: "0x5208",
    logIndex: "0x0",
    transactionHash: first!.txHash,
    transactionIndex: "0x0",
  })
})

test("Routescan's paths word an empty list as any other", async () => {
  const path = "/v2/network/mainnet/evm/43114/etherscan/api?"
  expect((await get(`address=${gold}`, alone, path)).body).toEqual({ status: "1", message: "OK", result: [] })
})

describe("held against the ledger", () => {
  const partly = "Error! The chain's node does not give a whole answer at the moment"
  test.each([
    ["all of it", "", () => true, true],
    [
      "without what the filter leaves out",
      `&topic0=${transfer}&topic1=${topicOf(ann)}`,
      (log: FoundLog) => log.topics[1] === topicOf(ann),
      true,
    ],
    ["a transfer short", "", (_: FoundLog, index: number) => index !== 1, false],
    ["a transfer short of the filter's", `&topic0=${transfer}&topic2=${topicOf(bob)}`, () => false, false],
    ["a transfer short that the question leaves out", `&topic0=${other}`, () => false, true],
  ] as const)("%s", async (_, query, keep, isWhole) => {
    says = Effect.succeed({ ...all, logs: goldLogs.filter(keep) })
    const { body } = await get(`address=${gold}${query}`)
    if (isWhole) expect(body.message).not.toBe("NOTOK")
    else expect(body).toEqual({ status: "0", message: "NOTOK", result: partly })
  })

  test("a full page is held against it up to its last block, a later page from behind its first", async () => {
    says = Effect.succeed({ logs: goldLogs.slice(0, 2), searchedTo: 4 })
    expect((await get(`address=${gold}&offset=2`)).body.message).toBe("OK")
    says = Effect.succeed({ logs: goldLogs.slice(2), searchedTo: 4 })
    expect((await get(`address=${gold}&offset=2&page=2`)).body.message).toBe("OK")
    // Blocks 1 and 2 are skipped over.
    says = Effect.succeed({ logs: goldLogs.slice(2, 4), searchedTo: 4 })
    expect((await get(`address=${gold}&offset=2`)).body.result).toBe(partly)
  })
})

test("a rare transfer behind very many others of its contract is held against the ledger as the first ones are", async () => {
  const chain = new TestChain().block()
  for (let block = 0; block < 11; block++) chain.block(Array.from({ length: 100 }, () => moved(gold, bob, cid, 1n)))
  chain.block([moved(gold, bob, ann, 1n)])
  await store(alone, "43113", chain)
  const rare = chain.blocks.at(-1)!
  const told = async (logs: ReadonlyArray<FoundLog>) => {
    says = Effect.succeed({ logs, searchedTo: 12 })
    const query = `address=${gold}&topic1_2_opr=and&topic1=${topicOf(bob)}&topic2=${topicOf(ann)}`
    return (await get(query, alone, "/v2/api?chainid=43113&")).body.message
  }
  expect(await told([{ ...rare.logs[0]!, time: rare.header.time, gasPrice: 5n, gasUsed: 21_000n, txIndex: 0 }])).toBe(
    "OK",
  )
  expect(await told([])).toBe("NOTOK")
})

test("transfers of an ERC-1155 are held against the ledger too, a batch as the one log that it is", async () => {
  const chain = new TestChain()
    .block()
    .block([
      multiTransfer(apes, zero, ann, [
        [1n, 5n],
        [2n, 6n],
      ]),
    ])
    .block([multiTransfer(apes, ann, bob, [[1n, 1n]])])
  await store(served, "43113", chain)
  const ofApes = chain.blocks.flatMap(({ header, logs }) =>
    logs.map((log) => ({ ...log, time: header.time, gasPrice: 5n, gasUsed: 21_000n, txIndex: 0 })),
  )
  const told = async (query: string, logs: ReadonlyArray<FoundLog>) => {
    says = Effect.succeed({ logs, searchedTo: 2 })
    return (await get(`address=${apes}${query}`, served, "/v2/api?chainid=43113&")).body.message
  }
  expect(await told("", ofApes)).toBe("OK")
  expect(await told("", ofApes.slice(0, 1))).toBe("NOTOK")
  const toBob = `&topic3=${topicOf(bob)}`
  expect(await told(toBob, ofApes.slice(1))).toBe("OK")
  expect(await told(toBob, [])).toBe("NOTOK")
})

test("a range of ids that moves by one log is no log an id; a transfer beside it is one", async () => {
  const chain = new TestChain()
    .block()
    .block([consecutiveTransfer(apes, zero, ann, 1n, 9n)])
    .block([consecutiveTransfer(apes, ann, bob, 3n, 5n), oddEvents(apes, ann, ann, bob).at(-1)!])
    .block([nftTransfer(apes, ann, bob, 6n)])
  await store(alone, "10", chain)
  const ofApes = chain.blocks.flatMap(({ header, logs }) =>
    logs.map((log) => ({ ...log, time: header.time, gasPrice: 5n, gasUsed: 21_000n, txIndex: 0 })),
  )
  const told = async (query: string, logs: ReadonlyArray<FoundLog>) => {
    says = Effect.succeed({ logs, searchedTo: 3 })
    return (await get(`address=${apes}${query}`, alone, "/v2/api?chainid=10&")).body.message
  }
  expect(await told("", ofApes)).toBe("OK")
  expect(await told("", ofApes.slice(0, -1))).toBe("NOTOK")
  const byAnn = `&topic1=${topicOf(ann)}`
  expect(await told(byAnn, ofApes.slice(-1))).toBe("OK")
  expect(await told(byAnn, [])).toBe("NOTOK")
})

describe("a node without a whole answer", () => {
  const failures = [
    [
      new LogsRefused({ message: "http://secret.example: too wide" }),
      {
        message:
          "Query Timeout occurred. Please select a smaller result dataset: the chain's node cannot search so many blocks at once, narrow fromBlock and toBlock",
        result: null,
      },
    ],
    [
      new SourceUnavailable({ message: "http://secret.example: rate limit" }),
      { message: "NOTOK", result: "Error! The chain's node does not give a whole answer at the moment" },
    ],
  ] as const
  test.each(failures)("%o is a refusal that says so, in the words by which clients split", async (failure, words) => {
    says = Effect.fail(failure)
    expect((await get(`address=${gold}`)).body).toEqual({ status: "0", ...words })
  })

  test.each(failures)("%o is asked for once, also beside x-min-block", async (failure, words) => {
    says = Effect.fail(failure)
    const headers = { "x-min-block": "43114:4" }
    const path = `module=logs&action=getLogs&address=${gold}`
    const response = await alone.fetch(`/v2/api?chainid=43114&${path}`, { headers })
    expect(await response.json()).toEqual({ status: "0", ...words })
    expect([response.status, response.headers.get("x-served-by"), asked.length]).toEqual([200, "node", 1])
    await served.get(`/v2/api?chainid=43114&${path}`, { headers })
    expect([asked.length, upstream.seen.length]).toEqual([2, 1])
  })

  test.each(failures)("%o makes the upstream be asked", async (failure) => {
    says = Effect.fail(failure)
    const { body, servedBy } = await get(`address=${gold}&fromBlock=1&topic0=${transfer}`, served)
    expect([body.result[0].upstream, servedBy]).toEqual(["logs/getLogs", "upstream"])
    expect(upstream.seen[0]!.query.get("fromBlock")).toBe("1")
  })

  test("operators of two meanings are the upstream's affair, or refused", async () => {
    const mixed = `topic0=${transfer}&topic1=${other}&topic2=${other}&topic0_1_opr=and&topic1_2_opr=or`
    expect((await get(mixed)).body.result).toBe(
      "Error! Three topics or more need the same operator between all of them",
    )
    expect((await get(mixed, served)).servedBy).toBe("upstream")
    expect(asked).toEqual([])
  })

  test("an answer of the node is not asked of the upstream too", async () => {
    says = Effect.succeed(all)
    expect((await get(`address=${gold}`, served)).servedBy).toBe("node")
    expect(upstream.seen).toEqual([])
  })
})

test.each([
  ["", "Error! Missing address or topic0: at least one is needed"],
  ["address=0x12", "Error! Invalid address format"],
  [`address=${gold}&topic0=0x12`, "Error! Invalid topic format"],
  [`address=${gold}&fromBlock=-1`, "Error! Invalid block number"],
  [`address=${gold}&toBlock=soon`, "Error! Invalid block number"],
  [`address=${gold}&fromBlock=9223372036854775807`, "Error! Invalid block number"],
  [`topic0=${transfer}&topic1=${other}&topic0_1_opr=xor`, "Error! Invalid topic0_1_opr: expected and, or"],
  [`address=${gold}&offset=1001`, "Error! Result window is too large: offset is 1000 at most, page times offset 10000"],
  [
    `address=${gold}&offset=10000`,
    "Error! Result window is too large: offset is 1000 at most, page times offset 10000",
  ],
])("%s is refused before anybody hears of it", async (query, result) => {
  expect((await get(query, served)).body).toEqual({ status: "0", message: "NOTOK", result })
  expect([asked.length, upstream.seen.length]).toEqual([0, 0])
})

// Clients of every list look for these words in `message`, and ask for half of the blocks.
test.each(["offset=1000&page=11", "offset=100&page=101", "page=11", "offset=10001"])(
  "%s is beyond the window, and refused in the words of every other list",
  async (window) => {
    const message = "Result window is too large, PageNo x Offset size must be less than or equal to 10000"
    const { body } = await get(`address=${gold}&${window}`, served)
    expect(body).toEqual({ status: "0", message, result: null })
    expect([asked.length, upstream.seen.length]).toEqual([0, 0])
  },
)

test("a process without a node of the chain says so, and not that it should be asked again", async () => {
  const service = await startService()
  try {
    const { body } = await service.get(`/43114/api?module=logs&action=getLogs&address=${Address.make(gold)}`)
    const result = "Error! this process has no node of chain 43114 (RPC_URL_43114)"
    expect(body).toEqual({ status: "0", message: "NOTOK", result })
  } finally {
    await service.close()
  }
})
