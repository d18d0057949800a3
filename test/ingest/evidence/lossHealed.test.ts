/** A loss that begins in mid-backfill beside an honest second node, without receipts: what was stored of it before it was found comes in by the audit, and is said to be missing until then. */
import { expect, test } from "bun:test"
import { Effect, Fiber, Layer, Logger } from "effect"
import * as MemoryStore from "../../../src/adapters/memory/MemoryStore.ts"
import * as MemorySyncStatus from "../../../src/adapters/memory/MemorySyncStatus.ts"
import { sourceOf } from "../../../src/adapters/rpc/chain/RpcChainSource.ts"
import { clientOfNodes } from "../../../src/adapters/rpc/transport/client.ts"
import { nodesOf } from "../../../src/adapters/rpc/transport/nodes.ts"
import { auditInBackground } from "../../../src/domain/audit/background.ts"
import { follow } from "../../../src/domain/ingest/follow.ts"
import { makeFollowed } from "../../../src/domain/ingest/status/FollowedLedger.ts"
import { ChainSource } from "../../../src/ports/ChainSource.ts"
import { Pools } from "../../../src/ports/Pools.ts"
import { SyncStatus } from "../../../src/ports/SyncStatus.ts"
import { TokenViews } from "../../../src/ports/TokenViews.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { openStore } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { startLyingNode } from "../../support/nodes/lyingNode.ts"
import { replayOf, withReceipts } from "../../support/nodes/replayChain.ts"
import { startReplayNode } from "../../support/nodes/replayNode.ts"
import { token } from "../traffic.ts"
import { chainId } from "../world.ts"

const chain = new TestChain()
for (let block = 0; block < 480; block++) {
  chain.block([0, 1].map((index) => transfer(token(index), address(0xa0 + (block % 23)), address(0xb0), 5n)))
}
const begun = 120
type Raw = { readonly blockNumber: string; readonly logIndex: string }

test("is taken in from the honest node, and the doubt lasts until it is", async () => {
  const honest = startReplayNode(withReceipts(replayOf(chainId, chain)), {
    mostBlocks: 5,
    unknown: ["eth_getBlockReceipts", "eth_getTransactionReceipt"],
  })
  const lossy = startLyingNode(honest.url)
  lossy.lie = ({ method }, result) => {
    if (method !== "eth_getLogs") return result
    const isTold = ({ blockNumber, logIndex }: Raw) =>
      Number(blockNumber) < begun || Number(blockNumber) >= chain.nextBlock - 20 || Number(logIndex) === 0
    return (result as ReadonlyArray<Raw>).filter(isTold)
  }
  const fast = { backoffMs: 2, timeoutMs: 10_000, attempts: 8 }
  const nodes = nodesOf([lossy.url, honest.url], {})
  const source = sourceOf({
    client: clientOfNodes(nodes, { ...fast, concurrency: 4 }),
    each: nodes.map((node) => clientOfNodes([node], { ...fast, attempts: 4, concurrency: 2 })),
    chain: { chainId, bloom: true, receipts: false },
  })
  const store = await openStore(async () => MemoryStore.layer)
  const settings = {
    ...{ chainId, startBlock: 0, wrappedNative: [], swaps: false, poolManagers: [] },
    ...{ finality: 10, pollMs: 50, rpcConcurrency: 4, auditSeconds: 1 },
  }
  const lines: Array<string> = []
  const rows = Effect.map(
    TransferStore.use((it) =>
      it.list({
        ...{ standard: "erc20" as const, chains: [chainId], filter: {}, direction: "asc" as const },
        ...{ page: { limit: 1000 }, count: false },
      }),
    ),
    ({ value }) => value.items.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`),
  )
  const truth = chain.blocks.flatMap(({ movements }) => movements.map((it) => `${it.blockNumber} ${it.logIndex}`))
  const story = Effect.gen(function* () {
    const followed = yield* makeFollowed(chainId)
    const fiber = yield* Effect.forkChild(
      Effect.all([follow(settings, followed), followed.whileOpen((ledger) => auditInBackground(settings, ledger))], {
        concurrency: "unbounded",
      }),
    )
    const status = yield* SyncStatus
    let [wasDoubted, isWhole] = [false, false]
    // A busy machine takes its time.
    for (let turn = 0; turn < 5000; turn++) {
      const { doubt, indexedBlock } = status.find(chainId)!
      if (indexedBlock === chain.nextBlock - 1) {
        isWhole = (yield* rows).length === truth.length
        wasDoubted ||= doubt !== undefined
        // Never before everything is there.
        if (doubt === undefined && wasDoubted) break
      }
      yield* Effect.sleep(20)
    }
    yield* Fiber.interrupt(fiber)
    return { wasDoubted, isWhole, doubt: status.find(chainId)!.doubt, rows: yield* rows }
  })
  try {
    const found = await store.run(
      story.pipe(
        Effect.provide(
          Layer.mergeAll(
            MemorySyncStatus.layer([{ chainId, startBlock: 0, maxLag: 10, pollMs: 1000 }]),
            Layer.succeed(ChainSource, { of: () => source }),
            Layer.succeed(TokenViews, {
              perCall: () => 50,
              // No figure tells anything: what is missing is known from the nodes alone.
              ask: (_, questions) => Effect.succeed(questions.map(() => undefined)),
            }),
            Layer.succeed(Pools, {
              describe: (_, pools) => Effect.succeed(pools.map(() => undefined)),
              decimals: (_, tokens) => Effect.succeed(tokens.map(() => 18)),
            }),
            Logger.layer([Logger.make(({ message }) => void lines.push([message].flat().join(" ")))]),
          ),
        ),
      ),
    )
    expect(lines.filter((line) => line.includes("left logs out of blocks")).length).toBeGreaterThan(0)
    expect(found.rows).toEqual(truth)
    expect(found).toMatchObject({ wasDoubted: true, isWhole: true, doubt: undefined })
  } finally {
    await store.close()
    await Promise.all([lossy.stop(), honest.stop()])
  }
})
