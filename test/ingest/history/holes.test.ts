/** A history that lacks the logs that its node lacks, as one that was extracted from that very node: what the two agree in is no truth. */
import { expect, test } from "bun:test"
import { Effect } from "effect"
import { randomOf } from "../../../demo/chain/random.ts"
import { historyOf } from "../../../src/adapters/rpc/history/HistorySources.ts"
import { portalLimits } from "../../../src/adapters/rpc/history/portal.ts"
import { someMismatches } from "../../../src/domain/ingest/history/judging.ts"
import type { FollowSettings } from "../../../src/domain/ingest/state/settings.ts"
import { makeChainTraits } from "../../../src/domain/ingest/verify/verifier.ts"
import { Address } from "../../../src/model/primitives.ts"
import type { ChainSyncStatus } from "../../../src/ports/SyncStatus.ts"
import { contentOf } from "../../contracts/content.ts"
import { type TestChain, transfer } from "../../support/chain/testChain.ts"
import { type PortalLine, startFakePortal } from "../../support/nodes/fakePortal.ts"
import { hashed } from "../../support/nodes/hashedChain.ts"
import { replayOf, withReceipts } from "../../support/nodes/replayChain.ts"
import { type ReplayFaults, type ReplayNode, startReplayNode } from "../../support/nodes/replayNode.ts"
import { startReplay } from "../replay.ts"
import { manager, newTrafficChain, randomEvent, token, weth } from "../traffic.ts"
import { chainId, comparable, truthOf } from "../world.ts"

const length = 420
const alice = Address.make(`0x${"a1".repeat(20)}`)

const grow = (): TestChain => {
  const random = randomOf(7)
  const chain = newTrafficChain()
  while (chain.nextBlock < length) {
    const events = Array.from({ length: random.below(3) }, () => randomEvent(random))
    // Every fourth block has no logs.
    chain.block(chain.nextBlock % 4 === 0 ? [] : [...events, transfer(token(0), alice, alice, BigInt(chain.nextBlock))])
  }
  return chain
}

/** `hashed`: the headers' fields give their hashes. */
const worldOf = (isHashed: boolean) => {
  const chain = grow()
  const replay = withReceipts(replayOf(chainId, chain))
  return { chain, blocks: isHashed ? hashed(chain, replay) : replay }
}
const worlds = { hashed: worldOf(true), plain: worldOf(false) }

const noReceipts: ReplayFaults = { unknown: ["eth_getBlockReceipts", "eth_getTransactionReceipt"] }

interface Following {
  /** Blocks whose logs the history leaves out, and the node where it is asked for ranges. */
  readonly lacks: (block: number) => boolean
  /** What the history's headers have. */
  readonly columns?: ReadonlyArray<string>
  readonly node?: ReplayFaults
  readonly settings?: Partial<FollowSettings>
  /** Blocks of a part. */
  readonly part?: number
  readonly heal?: (node: ReplayNode, status: ChainSyncStatus) => void
}

/** The ledger is the chain's; what the status said at the end. */
const followed = async (
  kind: keyof typeof worlds,
  { lacks, columns, node: faults, settings, part = 50, heal = () => {} }: Following,
): Promise<ChainSyncStatus> => {
  const { chain, blocks } = worlds[kind]
  const node = startReplayNode(blocks, { hidesInRanges: lacks, ...faults })
  const told = ({ header, logs = [] }: PortalLine): PortalLine => ({
    header: Object.fromEntries(Object.entries(header).filter(([name]) => columns?.includes(name) ?? true)),
    logs: lacks(Number(header.number)) ? [] : logs,
  })
  const portal = startFakePortal(blocks, { lines: (lines) => lines.map(told) })
  // A part ends by its size, however slow the machine is.
  const limits = { ...portalLimits, part: { ...portalLimits.part, mostBlocks: part, mostMs: 60_000 } }
  const replay = await startReplay({
    urls: [node.url],
    timeoutMs: 5000,
    history: historyOf({ chainId, history: portal.url, swaps: true }, limits),
    settings: { wrappedNative: [weth], poolManagers: [manager], ...settings },
    poolOf: (pool) => chain.pools.get(pool),
  })
  try {
    await replay.until((status) => {
      heal(node, status)
      return status.indexedBlock === length - 1
    })
    expect(comparable(await contentOf(replay.store, chainId, chain))).toEqual(await truthOf(chain))
    return replay.status()
  } finally {
    await replay.stop()
    await Promise.all([node.stop(), portal.stop()])
  }
}

/** With logs, in the middle of a part. */
const victim = 33
const isVictim = (block: number) => block === victim
const bare = ["number", "hash", "parentHash", "timestamp"]

for (const kind of ["hashed", "plain"] as const) {
  test(`blooms of ${kind} headers show logs that neither tells, and nobody has receipts: the chain waits for the node`, async () => {
    const problems = new Set<string>()
    const heal = ({ faults }: ReplayNode, { problem, indexedBlock }: ChainSyncStatus) => {
      if (problem?.includes(`block ${victim}: 0 token logs came, asked again it holds`) !== true) return
      problems.add(problem)
      expect(indexedBlock ?? -1).toBeLessThan(victim)
      delete faults.hidesInRanges
    }
    const { history } = await followed(kind, { lacks: isVictim, node: noReceipts, heal })
    expect(problems.size).toBeGreaterThan(0)
    expect(history!.left).toMatch(new RegExp(`block ${victim}: asked again it holds|its logs of block ${victim} are`))
  })
}

/** Parts without any log. */
const lacksMany = (block: number) => block >= 100 && block < 300

test("headers without blooms: the node's are held against what it told itself, and receipts decide", async () => {
  const { history } = await followed("plain", { lacks: lacksMany, columns: bare })
  expect(history!.left).toMatch(/its logs of block 1\d\d are not the node's$/)
})

test("of parts that are not compared the blooms of those headers count that the node is asked for", async () => {
  const { history } = await followed("plain", { lacks: lacksMany, columns: bare, settings: { historyCheck: 0 } })
  expect(history!.left).toMatch(/its logs of block 1\d\d are not the node's/)
})

test("of blocks whose blooms show what nobody tells a few are looked into, with VERIFY=full all", async () => {
  const bloom = { empty: false, suggestsLogs: () => true }
  const headers = Array.from({ length: 40 }, (_, number) => ({ number, bloom }) as never)
  const looked = async (everyHeader: boolean) => {
    const weighed = { verifier: { traits: makeChainTraits() }, logs: [], everyHeader }
    return (await Effect.runPromise(someMismatches(weighed, headers))).length
  }
  expect([await looked(false), await looked(true)]).toEqual([32, 40])
})

test("VERIFY=full: the headers of all blocks are asked for whose hashes nothing proves, also of parts that are not compared", async () => {
  const settings = { historyCheck: 0, verify: "full" } as const
  const { history } = await followed("plain", { lacks: isVictim, columns: bare, settings })
  expect(history!.left).toMatch(new RegExp(`its logs of block ${victim} are not the node's`))
})
