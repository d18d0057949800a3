/** Follows replay nodes over HTTP into a memory ledger, on the real clock, with clients that do not wait long. */
import { Effect, Fiber, Layer, Logger } from "effect"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import * as MemorySyncStatus from "../../src/adapters/memory/MemorySyncStatus.ts"
import { sourceOf } from "../../src/adapters/rpc/chain/RpcChainSource.ts"
import { clientOfNodes } from "../../src/adapters/rpc/transport/client.ts"
import { nodesOf } from "../../src/adapters/rpc/transport/nodes.ts"
import type { PoolTokens } from "../../src/domain/ingest/pools/PoolFinder.ts"
import type { FollowSettings } from "../../src/domain/ingest/state/settings.ts"
import type { Address } from "../../src/model/primitives.ts"
import { ChainSource, type ChainSourceClient } from "../../src/ports/ChainSource.ts"
import { ContractOrigins } from "../../src/ports/ContractOrigins.ts"
import { type HistoryClient, HistorySource } from "../../src/ports/HistorySource.ts"
import { Pools } from "../../src/ports/Pools.ts"
import { type ChainSyncStatus, SyncStatus } from "../../src/ports/SyncStatus.ts"
import { TokenMetadata } from "../../src/ports/TokenMetadata.ts"
import { openStore, type TestStore } from "../contracts/store.ts"
import { chainId, followAndEnrich } from "./world.ts"

export interface ReplayOptions {
  readonly urls: ReadonlyArray<string>
  /** In place of the urls. */
  readonly source?: ChainSourceClient
  /** Whether receipts are read. Default yes. */
  readonly receipts?: boolean
  /** Default: a fresh one in memory. */
  readonly store?: TestStore
  readonly settings?: Partial<FollowSettings>
  readonly bloom?: boolean
  readonly callsPerSecond?: number
  /** Of one request, milliseconds. Default 250. */
  readonly timeoutMs?: number
  /** Where blocks below finality come from. */
  readonly history?: HistoryClient
  /** What pools say of themselves; default: there are none. */
  readonly poolOf?: (pool: Address) => PoolTokens | undefined
}

export interface Replay {
  readonly store: TestStore
  readonly status: () => ChainSyncStatus
  /** Lines of the log. */
  readonly lines: ReadonlyArray<string>
  /** Resolves when it is so. */
  readonly until: (condition: (status: ChainSyncStatus) => boolean) => Promise<void>
  readonly stop: () => Promise<void>
}

export const startReplay = async (options: ReplayOptions): Promise<Replay> => {
  const {
    urls,
    settings,
    bloom = true,
    receipts = true,
    callsPerSecond,
    timeoutMs = 250,
    poolOf = () => undefined,
  } = options
  const store = options.store ?? (await openStore(async () => MemoryStore.layer))
  const lines: Array<string> = []
  const watchers = new Set<() => void>()
  const fast = { backoffMs: 2, timeoutMs, attempts: 8 }
  const nodes = nodesOf(urls, { callsPerSecond })
  const tokens = settings?.tokens
  const overHttp = () =>
    sourceOf({
      client: clientOfNodes(nodes, { ...fast, concurrency: 4 }),
      each: nodes.map((node) => clientOfNodes([node], { ...fast, attempts: 4, concurrency: 2 })),
      chain: { chainId, bloom, receipts, swaps: true, ...(tokens && { tokens }) },
    })
  const source = options.source ?? overHttp()
  let status = () => ({}) as ChainSyncStatus
  const watched = Layer.effect(
    SyncStatus,
    SyncStatus.useSync((inner) => {
      status = () => inner.find(chainId)!
      return SyncStatus.of({
        ...inner,
        update: (chain, patch) => {
          inner.update(chain, patch)
          for (const watcher of watchers) watcher()
        },
      })
    }),
  ).pipe(Layer.provide(MemorySyncStatus.layer([{ chainId, startBlock: 0, maxLag: 10, pollMs: 1000 }])))
  const layer = Layer.mergeAll(
    watched,
    Layer.succeed(ChainSource, { of: () => source }),
    Layer.succeed(HistorySource, { of: () => options.history }),
    Layer.succeed(TokenMetadata, {
      describe: (_, addresses) => Effect.succeed(addresses.map(() => ({}))),
      tokenUris: (_, nfts) => Effect.succeed(nfts.map(() => undefined)),
    }),
    Layer.succeed(Pools, {
      describe: (_, pools) => Effect.succeed(pools.map((pool) => poolOf(pool))),
      decimals: (_, tokens) => Effect.succeed(tokens.map(() => 18)),
    }),
    Layer.succeed(ContractOrigins, { find: (_, tokens) => Effect.succeed(tokens.map(() => ({}))) }),
    Logger.layer([Logger.make(({ message }) => void lines.push([message].flat().join(" ")))]),
  )
  let fiber: Fiber.Fiber<void> | undefined
  const running = store.run(
    Effect.gen(function* () {
      fiber = yield* Effect.forkChild(followAndEnrich({ ...defaults, ...settings }))
      return yield* Fiber.await(fiber)
    }).pipe(Effect.provide(layer)),
  )
  return {
    store,
    status: () => status(),
    lines,
    until: (condition) =>
      new Promise((resolve) => {
        const look = () => {
          if (fiber === undefined || !condition(status())) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    stop: async () => {
      if (fiber !== undefined) await Effect.runPromise(Fiber.interrupt(fiber))
      await running
      await store.close()
    },
  }
}

const defaults: FollowSettings = {
  chainId,
  startBlock: 0,
  wrappedNative: [],
  swaps: true,
  poolManagers: [],
  finality: 10,
  pollMs: 50,
  rpcConcurrency: 4,
}
