/** A chain followed with a folder of extracted files below finality, in each form that extractors write. */
import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parquetWriteBuffer } from "hyparquet-writer"
import { randomOf } from "../../../demo/chain/random.ts"
import { makeFolder } from "../../../src/adapters/rpc/history/folder.ts"
import { historyOf } from "../../../src/adapters/rpc/history/HistorySources.ts"
import { contentOf } from "../../contracts/content.ts"
import { hashed } from "../../support/nodes/hashedChain.ts"
import { replayOf, withReceipts } from "../../support/nodes/replayChain.ts"
import { startReplayNode } from "../../support/nodes/replayNode.ts"
import { startReplay } from "../replay.ts"
import { manager, newTrafficChain, randomEvent, weth } from "../traffic.ts"
import { chainId, comparable, truthOf } from "../world.ts"

const length = 320
const deep = length - 10
const random = randomOf(5)
const chain = newTrafficChain()
while (chain.nextBlock < length) chain.block(Array.from({ length: random.below(4) }, () => randomEvent(random)))
const blocks = hashed(chain, withReceipts(replayOf(chainId, chain)))
const truth = truthOf(chain)

type Row = Readonly<Record<string, unknown>>
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const headers = (from: number, to: number): ReadonlyArray<Row> =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ ...blocks.find(from + at)!.header }))
const logs = (from: number, to: number): ReadonlyArray<Row> =>
  blocks
    .withLogs(from, to)
    .flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs.map((log) => ({ ...log }))))

/** As ethereum-etl writes them: a line an item, whole numbers, snake case. */
const etl = (rows: ReadonlyArray<Row>, numbers: ReadonlyArray<string>): string =>
  rows
    .map((row) => {
      const entries = Object.entries(row).map(([name, value]) => [
        snake(name).replace("sha3uncles", "sha3_uncles"),
        numbers.includes(name) ? Number(value) : value,
      ])
      return `${JSON.stringify(Object.fromEntries(entries))}\n`
    })
    .join("")
const blockNumbers = ["number", "timestamp", "difficulty", "gasLimit", "gasUsed", "baseFeePerGas"]
const logNumbers = ["blockNumber", "logIndex", "transactionIndex"]

/** As cryo does: columns of bytes, whole numbers. */
const bytes = (value: unknown) =>
  value === undefined ? undefined : Uint8Array.from(Buffer.from(String(value).slice(2), "hex"))
const column = (
  name: string,
  rows: ReadonlyArray<Row>,
  of: (row: Row) => unknown,
  type: "BYTE_ARRAY" | "INT64" | "INT32",
) => ({ name, type, nullable: true, data: rows.map((row) => of(row) ?? null) }) as never
const parquetBlocks = (rows: ReadonlyArray<Row>) =>
  parquetWriteBuffer({
    rowGroupSize: 40,
    columnData: [
      ...[
        "hash",
        "parentHash",
        "logsBloom",
        "receiptsRoot",
        "stateRoot",
        "transactionsRoot",
        "extraData",
        "mixHash",
        "nonce",
      ].map((name) =>
        column(name === "hash" ? "block_hash" : snake(name), rows, (row) => bytes(row[name]), "BYTE_ARRAY"),
      ),
      column("ommers_hash", rows, (row) => bytes(row.sha3Uncles), "BYTE_ARRAY"),
      column("author", rows, (row) => bytes(row.miner), "BYTE_ARRAY"),
      column("block_number", rows, (row) => Number(row.number), "INT32"),
      ...["timestamp", "gasLimit", "gasUsed", "difficulty", "baseFeePerGas"].map((name) =>
        column(snake(name), rows, (row) => BigInt(String(row[name])), "INT64"),
      ),
    ],
  })
const parquetLogs = (rows: ReadonlyArray<Row>) =>
  parquetWriteBuffer({
    rowGroupSize: 100,
    columnData: [
      column("block_number", rows, (row) => Number(row.blockNumber), "INT32"),
      column(
        "transaction_index",
        rows,
        (row) => (row.transactionIndex === undefined ? undefined : Number(row.transactionIndex)),
        "INT32",
      ),
      column("log_index", rows, (row) => Number(row.logIndex), "INT32"),
      column("transaction_hash", rows, (row) => bytes(row.transactionHash), "BYTE_ARRAY"),
      column("address", rows, (row) => bytes(row.address), "BYTE_ARRAY"),
      ...[0, 1, 2, 3].map((at) =>
        column(`topic${at}`, rows, (row) => bytes((row.topics as ReadonlyArray<string>)[at]), "BYTE_ARRAY"),
      ),
      column("data", rows, (row) => bytes(row.data), "BYTE_ARRAY"),
    ],
  })

const top = mkdtempSync(join(tmpdir(), "cowry-history-"))
afterAll(() => rmSync(top, { recursive: true }))
let folders = 0
const folderOf = (files: Readonly<Record<string, string | Uint8Array | ArrayBuffer>>): string => {
  const folder = join(top, `kept${folders++}`)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), typeof content === "string" ? content : new Uint8Array(content))
  }
  return folder
}

const followed = async (folder: string) => {
  const node = startReplayNode(blocks)
  const replay = await startReplay({
    urls: [node.url],
    timeoutMs: 5000,
    history: historyOf({ chainId, history: folder, swaps: true }),
    settings: { wrappedNative: [weth], poolManagers: [manager] },
    poolOf: (pool) => chain.pools.get(pool),
  })
  try {
    await replay.until(({ indexedBlock }) => indexedBlock === length - 1)
    expect(comparable(await contentOf(replay.store, chainId, chain))).toEqual(await truth)
    return replay.status().history!
  } finally {
    await replay.stop()
    await node.stop()
  }
}

const pad = (block: number) => String(block).padStart(8, "0")
const ranges = [
  [0, 99],
  [100, 199],
  [200, length - 1],
] as const

test("lines of ethereum-etl, in folders of ranges, some packed", async () => {
  const files = ranges.flatMap(([from, to]) => {
    const inside = `start_block=${pad(from)}/end_block=${pad(to)}`
    return [
      [`${inside}/blocks_${pad(from)}_${pad(to)}.json`, etl(headers(from, to), blockNumbers)],
      [`${inside}/logs_${pad(from)}_${pad(to)}.json.gz`, Bun.gzipSync(Buffer.from(etl(logs(from, to), logNumbers)))],
    ] as const
  })
  const history = await followed(folderOf(Object.fromEntries(files)))
  expect(history).toMatchObject({ blocks: { history: deep, node: 0 }, isUsed: true })
  expect(history.source).toMatch(/^folder kept\d$/)
})

test("Parquet of cryo", async () => {
  const files = ranges.flatMap(([from, to]) => [
    [`ethereum__blocks__${pad(from)}_to_${pad(to)}.parquet`, parquetBlocks(headers(from, to))] as const,
    [`ethereum__logs__${pad(from)}_to_${pad(to)}.parquet`, parquetLogs(logs(from, to))] as const,
  ])
  const history = await followed(folderOf(Object.fromEntries(files)))
  expect(history).toMatchObject({ blocks: { history: deep, node: 0 }, isUsed: true })
})

const portalLines = (from: number, to: number) => ({
  [`${from}-${to}.jsonl`]: Array.from({ length: to - from + 1 }, (_, at) => {
    const own = logs(from + at, from + at).map((log) => ({ ...log, logIndex: Number(log.logIndex) }))
    return `${JSON.stringify({ header: { ...blocks.find(from + at)!.header, number: from + at }, logs: own })}\n`
  }).join(""),
})

test("lines of a portal", async () => {
  expect(await followed(folderOf(portalLines(0, length - 1)))).toMatchObject({ blocks: { node: 0 } })
})

for (const [name, linesOf] of [
  ["of blocks and of logs", (from: number, to: number) => half(from, to)],
  ["of a portal's lines", portalLines],
] as const) {
  test(`files ${name} that overlap: each block once`, async () => {
    const folder = folderOf({ ...linesOf(0, 199), ...linesOf(50, 120), ...linesOf(150, 250), ...linesOf(200, 319) })
    expect(await followed(folder)).toMatchObject({ blocks: { history: deep, node: 0 }, isUsed: true })
  })
}

test("files of both kinds that overlap: a block that has its logs with it takes no others", async () => {
  const folder = folderOf({ ...portalLines(0, 199), ...half(150, 250), ...portalLines(240, 319) })
  expect(await followed(folder)).toMatchObject({ blocks: { history: deep, node: 0 }, isUsed: true })
})

test("a packed file that is left in its middle is closed", async () => {
  const lines = Object.values(portalLines(0, 319))[0]!
  const folder = makeFolder(folderOf({ "0-319.jsonl.gz": Bun.gzipSync(Buffer.from(lines.repeat(20))) }), {
    topics: [],
    readBloom: undefined,
  })
  const open = () => readdirSync("/dev/fd").length
  const before = open()
  for (let time = 0; time < 20; time++) await Array.fromAsync(folder.parts(0, 100, new AbortController().signal))
  await pause(100)
  expect(open()).toBeLessThan(before + 5)
})

test("rows of blocks before the one that is wanted are passed over unread", async () => {
  const [first, ...rest] = headers(0, 319)
  const files = { ...half(0, 319), "blocks_0_319.json": etl([{ ...first, hash: "none" }, ...rest], blockNumbers) }
  const folder = makeFolder(folderOf(files), { topics: [], readBloom: undefined })
  const parts = await Array.fromAsync(folder.parts(1, 319, new AbortController().signal))
  expect(parts.flatMap((part) => part.headers.map(({ number }) => number))).toEqual(
    headers(1, 319).map(({ number }) => Number(number)),
  )
})

const half = (from: number, to: number) => ({
  [`blocks_${from}_${to}.json`]: etl(headers(from, to), blockNumbers),
  [`logs_${from}_${to}.json`]: etl(logs(from, to), logNumbers),
})

test("a gap between files: the node goes on from there", async () => {
  const history = await followed(folderOf({ ...half(0, 99), ...half(200, 319) }))
  expect(history.blocks).toEqual({ history: 100, node: deep - 100 })
  expect(history.left).toMatch(/it has blocks 0 to 99$/)
})

const faults: Readonly<Record<string, () => Record<string, string | Uint8Array | ArrayBuffer>>> = {
  "is not there": () => ({ "readme.txt": "nothing" }),
  "has no parents' hashes": () => ({
    ...half(0, 319),
    "blocks_0_319.json": etl(
      headers(0, 319).map(({ parentHash: _, ...row }) => row),
      blockNumbers,
    ),
  }),
  "holds half a line": () => ({
    ...half(0, 319),
    "blocks_0_319.json": etl(headers(0, 319), blockNumbers).slice(0, -40_000),
  }),
  "holds half a Parquet file": () => ({
    ...half(0, 319),
    "logs_0_319.json": "",
    "logs_0_319.parquet": new Uint8Array(parquetLogs(logs(0, 319))).slice(0, 5000),
  }),
  "holds a line that is no row": () => ({
    ...half(0, 319),
    "logs_0_319.json": `${etl(logs(0, 150), logNumbers)}null\n${etl(logs(151, 319), logNumbers)}`,
  }),
  "lacks the logs of a file": () => ({ ...half(0, 319), "logs_0_319.json": etl(logs(0, 150), logNumbers) }),
}
for (const [name, files] of Object.entries(faults)) {
  test(`a folder that ${name}: the node goes on, no row is wrong`, async () => {
    const history = await followed(folderOf(files()))
    expect(history.isUsed).toBe(false)
    expect(history.left).toMatch(/^folder kept\d+: /)
    expect(history.blocks.node).toBeGreaterThan(0)
  })
}
