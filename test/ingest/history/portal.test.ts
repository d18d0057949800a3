/** A chain followed with a portal below finality: the ledger is the node's whatever the portal tells, and the status says what was done. */
import { expect, test } from "bun:test"
import { randomOf } from "../../../demo/chain/random.ts"
import { historyOf } from "../../../src/adapters/rpc/history/HistorySources.ts"
import { portalLimits } from "../../../src/adapters/rpc/history/portal.ts"
import type { HistoryCheck } from "../../../src/domain/ingest/history/History.ts"
import { Address } from "../../../src/model/primitives.ts"
import type { ChainSyncStatus } from "../../../src/ports/SyncStatus.ts"
import { contentOf } from "../../contracts/content.ts"
import { type TestChain, transfer } from "../../support/chain/testChain.ts"
import { type PortalFaults, type PortalLine, startFakePortal } from "../../support/nodes/fakePortal.ts"
import { hashed } from "../../support/nodes/hashedChain.ts"
import { replayOf, withReceipts } from "../../support/nodes/replayChain.ts"
import { type ReplayChain, type ReplayFaults, startReplayNode } from "../../support/nodes/replayNode.ts"
import { startReplay } from "../replay.ts"
import { manager, newTrafficChain, randomEvent, token, weth } from "../traffic.ts"
import { chainId, comparable, truthOf } from "../world.ts"

const length = 420
const alice = Address.make(`0x${"a1".repeat(20)}`)

const grow = (seed: number): TestChain => {
  const random = randomOf(seed)
  const chain = newTrafficChain()
  while (chain.nextBlock < length) {
    const events = Array.from({ length: random.below(3) }, () => randomEvent(random))
    // Every fourth block has no logs.
    const some = chain.nextBlock % 4 === 0 ? [] : [...events, transfer(token(0), alice, alice, BigInt(chain.nextBlock))]
    chain.block(some, { salt: String(seed) })
  }
  return chain
}

/** `plain`: hashes that no field gives. `fork`: from some block on a field is missing that the hash is made of. `merge`: up to some block. */
const kinds = ["hashed", "plain", "fork", "merge"] as const
type Kind = (typeof kinds)[number]
const worlds = Object.fromEntries(
  kinds.map((kind) => {
    const chain = grow(7)
    const replay = withReceipts(replayOf(chainId, chain))
    const isBare = (number: number) => (kind === "fork" && number >= 200) || (kind === "merge" && number < 200)
    return [kind, { chain, replay: kind === "plain" ? replay : hashed(chain, replay, isBare) }]
  }),
) as Record<Kind, { readonly chain: TestChain; readonly replay: ReplayChain }>

const truths = new Map<Kind, ReturnType<typeof truthOf>>()
const truthOfKind = (kind: Kind): ReturnType<typeof truthOf> => {
  const known = truths.get(kind) ?? truthOf(worlds[kind].chain)
  truths.set(kind, known)
  return known
}

interface Told {
  readonly status: ChainSyncStatus
  readonly lines: ReadonlyArray<string>
  readonly requests: ReadonlyArray<{ readonly path: string; readonly at: number }>
  readonly counts: ReadonlyMap<string, number>
}

/** A part ends by its size, however slow the machine is. */
const limitsOf = (mostBlocks = portalLimits.part.mostBlocks) => ({
  ...portalLimits,
  part: { ...portalLimits.part, mostBlocks, mostMs: 60_000 },
})

interface Following {
  readonly node?: ReplayFaults
  readonly check?: HistoryCheck
  /** Whether the chain's receipts are read. Default yes. */
  readonly receipts?: boolean
  /** Blocks of a part at most. */
  readonly part?: number
  readonly heal?: (faults: PortalFaults, status: ChainSyncStatus) => void
  /** From this block on the ledger may be another than the node's chain, where the status names it among those that were not compared. */
  readonly mayDifferFrom?: number
}

const followed = async (
  kind: Kind,
  faults: PortalFaults,
  {
    node: nodeFaults = {},
    check = "auto",
    receipts = true,
    part,
    heal = () => {},
    mayDifferFrom = Number.POSITIVE_INFINITY,
  }: Following = {},
): Promise<Told> => {
  const { chain, replay: blocks } = worlds[kind]
  const node = startReplayNode(blocks, nodeFaults)
  const portal = startFakePortal(blocks, faults)
  const replay = await startReplay({
    urls: [node.url],
    timeoutMs: 5000,
    receipts,
    history: historyOf({ chainId, history: `${portal.url}?key=s3cret-key`, swaps: true }, limitsOf(part)),
    settings: { wrappedNative: [weth], poolManagers: [manager], historyCheck: check },
    poolOf: (pool) => chain.pools.get(pool),
  })
  try {
    await replay.until((status) => {
      heal(portal.faults, status)
      return status.indexedBlock === length - 1
    })
    const content = comparable(await contentOf(replay.store, chainId, chain))
    const status = replay.status()
    const [, lastUnseen = -1] = / parts of blocks \d+ to (\d+) /.exec(status.history?.left ?? "") ?? []
    if (Number(lastUnseen) < mayDifferFrom) expect(content).toEqual(await truthOfKind(kind))
    expect([...replay.lines, JSON.stringify(status)].filter((line) => line.includes("s3cret"))).toEqual([])
    return { status, lines: [...replay.lines], requests: portal.requests, counts: node.counts }
  } finally {
    await replay.stop()
    await Promise.all([node.stop(), portal.stop()])
  }
}

/** Blocks below the window. */
const deep = length - 10

for (const kind of kinds) {
  test(`an honest portal, ${kind} hashes: every block below finality is its own, and the ledger is the node's`, async () => {
    const { status, lines } = await followed(kind, {})
    expect(status.history).toMatchObject({ isUsed: true, blocks: { history: deep, node: 0 }, compared: deep })
    expect(status.history!.logs.history).toBeGreaterThan(300)
    expect(status.history!.bytes).toBeGreaterThan(100_000)
    expect(status.history!.left).toBeUndefined()
    expect(lines.filter((line) => line.includes("history from http://127.0.0.1"))).toHaveLength(1)
    expect(status.faults).toMatchObject({ logs: 0, fork: 0, call: 0 })
  })
}

test("by sample only a few parts are compared, and headers that prove one another are not asked for", async () => {
  const { status, counts } = await followed("hashed", {}, { check: 80, part: 10 })
  expect(status.history!.blocks).toEqual({ history: deep, node: 0 })
  expect(status.history!.compared).toBeLessThan(deep / 2)
  const alone = await followed("hashed", { answer: () => new Response("gone", { status: 410 }) })
  expect(counts.get("eth_getBlockByNumber")!).toBeLessThan(alone.counts.get("eth_getBlockByNumber")! / 2)
})

const within = (lines: ReadonlyArray<PortalLine>, number: number, change: (line: PortalLine) => PortalLine) =>
  lines.map((line) => (line.header.number === number ? change(line) : line))
const withLog = (line: PortalLine, change: Readonly<Record<string, unknown>>): PortalLine => ({
  ...line,
  logs: line.logs!.map((log, place) => (place === line.logs!.length - 1 ? { ...log, ...change } : log)),
})
const withLogs = (line: PortalLine, change: Readonly<Record<string, unknown>>): PortalLine =>
  line.logs === undefined || line.logs.length === 0 ? line : withLog(line, change)
const withHeader = (line: PortalLine, change: Readonly<Record<string, unknown>>): PortalLine => ({
  ...line,
  header: { ...line.header, ...change },
})
const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`
/** With logs, in the middle of the portal's first part. */
const victim = 33

const lies: Readonly<Record<string, (lines: ReadonlyArray<PortalLine>) => ReadonlyArray<PortalLine>>> = {
  "an amount": (lines) => within(lines, victim, (line) => withLog(line, { data: word(666n) })),
  "a token's address": (lines) => within(lines, victim, (line) => withLog(line, { address: `0x${"66".repeat(20)}` })),
  "a receiver": (lines) =>
    within(lines, victim, (line) =>
      withLog(line, { topics: [line.logs!.at(-1)!.topics, []].flat().map((it, at) => (at === 2 ? word(666n) : it)) }),
    ),
  "a transaction": (lines) => within(lines, victim, (line) => withLog(line, { transactionHash: word(666n) })),
  "a log's place": (lines) => within(lines, victim, (line) => withLog(line, { logIndex: 4000 })),
  "a log that is left out": (lines) =>
    within(lines, victim, ({ header, logs }) => ({ header, logs: logs!.slice(0, -1) })),
  "a log that is made up": (lines) =>
    within(lines, 36, (line) => ({ ...line, logs: [lines.find(({ logs }) => logs)!.logs![0]!] })),
  "a log twice": (lines) => within(lines, victim, (line) => ({ ...line, logs: [...line.logs!, line.logs!.at(-1)!] })),
  "a block with logs that is left out": (lines) => lines.filter(({ header }) => header.number !== victim),
  "a hash": (lines) => within(lines, victim, (line) => withHeader(line, { hash: word(666n) })),
  "the hash of the last block": (lines) =>
    within(lines, lines.at(-1)!.header.number as number, (line) => withHeader(line, { hash: word(666n) })),
  "a parent's hash": (lines) => within(lines, victim, (line) => withHeader(line, { parentHash: word(666n) })),
  "a time": (lines) =>
    within(lines, victim, (line) => withHeader(line, { timestamp: Number(line.header.timestamp) + 1 })),
  "a bloom": (lines) => within(lines, victim, (line) => withHeader(line, { logsBloom: `0x${"00".repeat(256)}` })),
}

for (const kind of kinds) {
  for (const [name, lie] of Object.entries(lies)) {
    test(`a portal of ${kind} hashes that lies about ${name}: it is left for good, no row is wrong`, async () => {
      const { status, lines } = await followed(kind, { lines: lie })
      expect(status.history).toMatchObject({ isUsed: false })
      expect(status.history!.left).toMatch(/^http:\/\/127\.0\.0\.1:\d+: /)
      expect(status.history!.blocks.node).toBeGreaterThan(0)
      expect(lines.filter((line) => line.includes("left for the node until the service starts again"))).toHaveLength(1)
    })
  }
}

test("blocks in another order are no blocks of a chain", async () => {
  const { status } = await followed("hashed", { lines: (lines) => [...lines].reverse() })
  expect(status.history!.blocks.history).toBe(0)
  expect(status.history!.left).toMatch(/came where block \d+ was to come/)
})

test("a node that leaves logs out: receipts speak for the portal, and the logs are stored", async () => {
  const { status } = await followed("hashed", {}, { node: { hides: (block) => block === victim } })
  expect(status.history).toMatchObject({ isUsed: true, blocks: { history: deep, node: 0 } })
  expect(status.faults.logs).toBeGreaterThan(0)
})

test("logs that the portal and the node leave out alike: the bloom shows them, receipts tell them", async () => {
  const lines = (all: ReadonlyArray<PortalLine>) => within(all, victim, ({ header }) => ({ header }))
  const { status } = await followed("hashed", { lines }, { node: { hides: (block) => block === victim } })
  expect(status.history!.left).toMatch(new RegExp(`block ${victim}: its receipts hold`))
})

test("a portal without blocks that have no logs is compared as a whole", async () => {
  const { status } = await followed("hashed", { sparse: true }, { check: 0 })
  expect(status.history).toMatchObject({ isUsed: true, blocks: { history: deep, node: 0 }, compared: deep })
})

const withoutPlaces = (some: (number: number) => boolean) => (lines: ReadonlyArray<PortalLine>) =>
  lines.map((line) => {
    const logs = line.logs?.map(({ transactionIndex, ...log }) =>
      some(Number(line.header.number)) ? log : { ...log, transactionIndex },
    )
    return logs === undefined ? line : { ...line, logs }
  })

test("logs without their transactions' places: the node tells those, of each such part", async () => {
  const { status } = await followed("hashed", { lines: withoutPlaces(() => true) }, { check: 0, part: 10 })
  expect(status.history).toMatchObject({ isUsed: true, blocks: { history: deep, node: 0 }, compared: deep })
  const hidden = { node: { hides: (block: number) => block === victim } }
  for (const some of [() => true, (number: number) => number % 2 === 0]) {
    const proven = await followed("hashed", { lines: withoutPlaces(some) }, hidden)
    expect(proven.status.history).toMatchObject({ isUsed: true, blocks: { history: deep, node: 0 } })
  }
})

test("how much is compared is not the portal's to choose: answers of one block each are one part", async () => {
  const lines = (all: ReadonlyArray<PortalLine>) => within(all, 353, (line) => withLog(line, { data: word(666n) }))
  const { status, requests } = await followed("hashed", { lines, mostBlocks: 1 }, { check: 1 })
  expect(requests.filter(({ path }) => path === "finalized-stream").length).toBeGreaterThan(100)
  expect(status.history!.left).toMatch(/its logs of block 353 are not the node's$/)
})

for (const [what, change] of [
  ["transaction's place", { transactionIndex: 77 }],
  ["place in its block", { logIndex: 4000 }],
] as const) {
  test(`one block in which receipts speak for the portal excuses no other: a log's ${what} is looked at too`, async () => {
    const lines = (all: ReadonlyArray<PortalLine>) => within(all, victim, (line) => withLog(line, change))
    const hides = (block: number) => block === victim + 2
    const { status } = await followed("hashed", { lines }, { check: "all", node: { hides } })
    expect(status.history!.left).toMatch(new RegExp(`its logs of block ${victim} are not the node's$`))
  })
}

test("once it is found to lie, parts under way are taken from it only where they were compared, or are named", async () => {
  const lines = (all: ReadonlyArray<PortalLine>) =>
    all.map((line) => {
      const number = Number(line.header.number)
      if (number === 99) return withHeader(line, { timestamp: Number(line.header.timestamp) + 1 })
      return number > 99 && line.logs !== undefined ? withLog(line, { data: word(666n) }) : line
    })
  for (let round = 0; round < 4; round++) {
    const following = { check: 0, part: 10, node: { delay: () => 20 + 10 * round }, mayDifferFrom: 100 }
    const { status } = await followed("plain", { lines }, following)
    expect(status.history!.left).toMatch(/block 99 has another time there|its logs of block 1\d\d are not the node's/)
  }
})

test("blocks that it tells to be empty, blooms too, are among those whose headers the node is asked for", async () => {
  const lines = (all: ReadonlyArray<PortalLine>) =>
    all.map((line) => {
      const { number } = line.header
      if (Number(number) < 200 || Number(number) > 299) return line
      return withHeader({ header: line.header }, { logsBloom: `0x${"00".repeat(256)}` })
    })
  const { status } = await followed("plain", { lines }, { check: 0, part: 50 })
  expect(status.history!.left).toMatch(/^\S+: block 2\d\d has another logsBloom there/)
})

test("one that lags is used as far as it has blocks, and says so", async () => {
  const { status } = await followed("hashed", { upTo: 250, startBlock: 30 })
  expect(status.history!.blocks.history).toBeGreaterThan(100)
  expect(status.history!.blocks.history).toBeLessThanOrEqual(221)
  expect(status.history!.left).toMatch(/it has blocks 30 to 250$/)
})

/** Where it dies at first and lives later, the node goes on meanwhile. */
const deaths: Readonly<Record<string, PortalFaults>> = {
  "breaks off in the middle of its gzip": { cut: 0.5 },
  "is torn down": { torn: 0.5 },
  "ends in the middle of a line": { text: (text) => text.slice(0, Math.floor(text.length * 0.6)) },
  "answers a page": { answer: () => new Response("<html>Bad Gateway</html>") },
  "repeats its own address in what it says": {
    answer: () => new Response('{"header":"/datasets/s3cret-name?key=s3cret-key"}\n'),
  },
  "answers 503": { answer: () => new Response("no", { status: 503 }) },
  "answers 529 with Retry-After": {
    answer: () => new Response("no", { status: 529, headers: { "retry-after": "1" } }),
  },
  "redirects elsewhere": { answer: () => Response.redirect("http://127.0.0.1:9/other") },
  "has nothing after all": {
    answer: (path) => (path === "finalized-stream" ? new Response(null, { status: 204 }) : undefined),
  },
  "has no head": { answer: (path) => (path === "finalized-head" ? Response.json(null) : undefined) },
}

for (const [name, faults] of Object.entries(deaths)) {
  test(`one that ${name}: the node goes on, no row is wrong`, async () => {
    const { status, lines } = await followed("hashed", { ...faults, mostBlocks: 100 })
    expect(status.history!.blocks.node).toBeGreaterThan(0)
    expect(status.history!.blocks.node + status.history!.blocks.history).toBe(deep)
    expect(lines.some((line) => line.includes("until the service starts again"))).toBe(false)
  })
}

test("stopped while it is read, it is not called left", async () => {
  const { replay: blocks, chain } = worlds.hashed
  const node = startReplayNode(blocks)
  const silent = () => new Response(new ReadableStream({ start() {} }))
  const portal = startFakePortal(blocks, { answer: (path) => (path === "finalized-stream" ? silent() : undefined) })
  const replay = await startReplay({
    urls: [node.url],
    timeoutMs: 5000,
    history: historyOf({ chainId, history: portal.url, swaps: true }),
    settings: { wrappedNative: [weth], poolManagers: [manager] },
    poolOf: (pool) => chain.pools.get(pool),
  })
  while (!portal.requests.some(({ path }) => path === "finalized-stream")) await Bun.sleep(10)
  await Bun.sleep(200)
  await replay.stop()
  expect(replay.lines.filter((line) => line.includes("is left"))).toEqual([])
  await Promise.all([node.stop(), portal.stop()])
})

test("429 with Retry-After: it is asked again only then", async () => {
  let refused = 0
  const { requests } = await followed(
    "hashed",
    {
      mostBlocks: 100,
      answer: (path) =>
        path === "finalized-stream" && refused++ === 0
          ? new Response("slow down", { status: 429, headers: { "retry-after": "2" } })
          : undefined,
    },
    { node: { delay: () => 400 } },
  )
  const [first, second] = requests.filter(({ path }) => path === "finalized-stream")
  expect(second === undefined || second.at - first!.at >= 2000).toBe(true)
})

test("a block of a very long line is read", async () => {
  const { status } = await followed("hashed", {
    lines: (lines) => within(lines, 36, (line) => ({ ...line, more: "x".repeat(5_000_000) }) as PortalLine),
  })
  expect(status.history).toMatchObject({ isUsed: true, blocks: { history: deep, node: 0 } })
})

test("a lie that is found late: the parts before it that were not compared are named", async () => {
  const { status } = await followed(
    "hashed",
    {
      lines: (lines) =>
        within(lines, 333, (line) => withHeader(line, { timestamp: Number(line.header.timestamp) + 1 })),
    },
    { check: 40, part: 5 },
  )
  expect(status.history!.left).toMatch(
    /the hash of block 333 is not that of its fields; \d+ parts of blocks \d+ to \d+ that it told before were checked by sample only: a resync/,
  )
})

test("parts that nobody compared, and that wait for their turn when a lie is found, are read again from the node", async () => {
  // In the second part, which is compared and long in coming, and in those that are read meanwhile.
  const isLie = (number: number) => number === 7 || number > 30
  const lines = (all: ReadonlyArray<PortalLine>) =>
    all.map((line) => (isLie(Number(line.header.number)) ? withLogs(line, { data: word(666n) }) : line))
  let asked = 0
  const delay = (methods: ReadonlyArray<string>) => (methods.includes("eth_getLogs") && ++asked === 2 ? 1500 : 0)
  const { status } = await followed("hashed", { lines }, { check: 12, part: 5, receipts: false, node: { delay } })
  // By sample one of those may be found before it; what was stored by then was compared all the same.
  expect(status.history!.left).toMatch(/its logs of block \d+ are not the node's$/)
})

test("the part with both sides of a merge is compared, and a lie in front of it is found", async () => {
  const honest = await followed("merge", {}, { check: 0, part: length })
  expect(honest.status.history).toMatchObject({ isUsed: true, blocks: { history: deep, node: 0 }, compared: deep })
  const lines = (all: ReadonlyArray<PortalLine>) =>
    within(all, victim, (line) => withHeader(line, { timestamp: Number(line.header.timestamp) + 1 }))
  const { status } = await followed("merge", { lines }, { check: 0, part: length })
  expect(status.history!.left).toEndWith(`block ${victim} has another time there`)
})

test("a portal that comes back is read again", async () => {
  const { status } = await followed(
    "hashed",
    { mostBlocks: 50, answer: () => new Response("no", { status: 503 }) },
    {
      node: { delay: () => 100, mostBlocks: 10 },
      heal: (faults, { history }) => {
        if ((history?.blocks.node ?? 0) > 0) delete faults.answer
      },
    },
  )
  expect(status.history!.blocks.node).toBeGreaterThan(0)
  expect(status.history!.blocks.history).toBeGreaterThan(0)
})
