/** Follows a fake node's chain into a memory ledger, on a clock that the test moves. */
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import * as MemorySyncStatus from "../../src/adapters/memory/MemorySyncStatus.ts"
import { type EnrichSettings, enrich } from "../../src/domain/enrich/enrich.ts"
import { follow } from "../../src/domain/ingest/follow.ts"
import type { FollowSettings } from "../../src/domain/ingest/state/settings.ts"
import { type FollowedLedger, makeFollowed } from "../../src/domain/ingest/status/FollowedLedger.ts"
import { type Address, ChainId } from "../../src/model/primitives.ts"
import type { TokenDescription, TokenOrigin } from "../../src/model/token.ts"
import { ChainSource, type SourceUnavailable } from "../../src/ports/ChainSource.ts"
import { ContractOrigins } from "../../src/ports/ContractOrigins.ts"
import { Ledger, type LedgerWriter, type MintedNft } from "../../src/ports/Ledger.ts"
import { type AskedState, Pools } from "../../src/ports/Pools.ts"
import { type ChainSyncStatus, SyncStatus } from "../../src/ports/SyncStatus.ts"
import { TokenMetadata } from "../../src/ports/TokenMetadata.ts"
import { contentOf } from "../contracts/content.ts"
import { openStore, seed, type TestStore } from "../contracts/store.ts"
import type { TestChain } from "../support/chain/testChain.ts"
import type { FakeNode } from "../support/nodes/fakeNode.ts"

export const chainId = ChainId.make("1")

export interface WorldOptions {
  readonly node: FakeNode
  readonly settings?: Partial<FollowSettings & EnrichSettings>
  /** Default: a fresh one, closed at the end. */
  readonly store?: TestStore
  readonly describe?: (address: Address) => Effect.Effect<TokenDescription, SourceUnavailable>
  readonly tokenUri?: (
    nft: Pick<MintedNft, "token" | "tokenId">,
  ) => Effect.Effect<string | undefined, SourceUnavailable>
  readonly origin?: (token: { readonly address: Address }) => Effect.Effect<TokenOrigin | undefined, SourceUnavailable>
  /** Stands before the true answers of pools, which the chain knows. */
  readonly askPools?: <Answer>(
    addresses: ReadonlyArray<Address>,
    answer: Answer,
    at: AskedState,
  ) => Effect.Effect<Answer, SourceUnavailable>
  /** The ledger that is opened, by the chain id under which the store has it; default: the chain's. */
  readonly ledgerOf?: () => ChainId
  /** Stands between follow and the ledger's writer. */
  readonly wrapWriter?: (writer: LedgerWriter) => LedgerWriter
  /** What else is done beside each ledger that is opened. */
  readonly beside?: (ledger: FollowedLedger) => Effect.Effect<unknown>
  /** Who is told of spans. */
  readonly tracer?: Layer.Layer<never>
}

export interface World {
  readonly status: () => ChainSyncStatus
  /** Moves the clock until it is so; gives up after an hour of it. */
  readonly until: (condition: () => boolean) => Effect.Effect<void>
  /** Until the ledger's newest block is the chain's. */
  readonly caughtUp: (chain: TestChain) => Effect.Effect<void>
  /** Moves the clock by that many seconds. */
  readonly pass: (seconds: number) => Effect.Effect<void>
  /** What has been written: `append 0-9`, `rollback 7`. */
  readonly writes: ReadonlyArray<string>
  readonly stop: Effect.Effect<void>
}

/** Never ends. */
export const followAndEnrich = Effect.fnUntraced(function* (
  settings: FollowSettings & EnrichSettings,
  more: NonNullable<WorldOptions["beside"]> = () => Effect.void,
) {
  const followed = yield* makeFollowed(settings.chainId)
  const beside = [followed.whileOpen((ledger) => enrich(settings, ledger)), followed.whileOpen(more)]
  yield* Effect.all([follow(settings, followed), ...beside], { concurrency: "unbounded", discard: true })
})

/** Runs `story` beside `follow`; then stops following. */
export const inWorld = async <Value>(
  options: WorldOptions,
  story: (world: World) => Effect.Effect<Value>,
): Promise<Value> => {
  const { node, settings, describe = () => Effect.succeed({}), wrapWriter = (writer) => writer } = options
  const { ledgerOf = () => chainId } = options
  const { tokenUri = () => Effect.undefined, origin = () => Effect.succeed({}) } = options
  const { askPools = (_, answer) => Effect.succeed(answer) } = options
  const store = options.store ?? (await openStore(async () => MemoryStore.layer))
  const writes: Array<string> = []
  let headHash: string | undefined
  /** Blocks of the open append. */
  let open: { readonly from: number; readonly to: number } | undefined
  const watched = (writer: LedgerWriter): LedgerWriter => ({
    ...writer,
    extend: ({ fromBlock, toBlock, ...segment }) =>
      Effect.tap(writer.extend({ fromBlock, toBlock, ...segment }), () =>
        Effect.sync(() => {
          open = { from: open?.from ?? fromBlock, to: toBlock }
        }),
      ),
    commit: Effect.tap(writer.commit, ({ head }) =>
      Effect.sync(() => {
        if (open !== undefined) writes.push(`append ${open.from}-${open.to}`)
        open = undefined
        headHash = head?.hash
      }),
    ),
    discard: Effect.tap(writer.discard, () =>
      Effect.sync(() => {
        open = undefined
      }),
    ),
    append: (segment) =>
      Effect.tap(writer.append(segment), ({ checkpoint }) =>
        Effect.sync(() => {
          writes.push(`append ${segment.fromBlock}-${segment.toBlock}`)
          headHash = checkpoint.head?.hash
        }),
      ),
    rollback: (fromBlock) =>
      Effect.tap(writer.rollback(fromBlock), ({ head }) =>
        Effect.sync(() => {
          writes.push(`rollback ${fromBlock}`)
          headHash = head?.hash
        }),
      ),
  })
  const ledger = Layer.effect(
    Ledger,
    Ledger.use((inner) =>
      Effect.succeed({
        genesis: () => Effect.suspend(() => inner.genesis(ledgerOf())),
        open: (given) =>
          inner.open({ ...given, chainId: ledgerOf() }).pipe(
            Effect.tap((writer) =>
              Effect.tap(writer.checkpoint, ({ head }) =>
                Effect.sync(() => {
                  headHash = head?.hash
                  open = undefined
                }),
              ),
            ),
            Effect.map((writer) => wrapWriter(watched(writer))),
          ),
      }),
    ),
  )
  const layer = Layer.mergeAll(
    ledger,
    Layer.succeed(ChainSource, { of: () => node }),
    Layer.succeed(TokenMetadata, {
      describe: (_, addresses) => Effect.forEach(addresses, (address) => describe(address)),
      tokenUris: (_, nfts) => Effect.forEach(nfts, (nft) => tokenUri(nft)),
    }),
    Layer.succeed(Pools, {
      describe: (_, pools, at) =>
        askPools(
          pools,
          pools.map((pool) => node.chain.pools.get(pool)),
          at,
        ),
      decimals: (_, tokens, at) =>
        askPools(
          tokens,
          tokens.map((token) => node.chain.decimalsOf(token)),
          at,
        ),
    }),
    Layer.succeed(ContractOrigins, { find: (_, tokens) => Effect.forEach(tokens, (token) => origin(token)) }),
    MemorySyncStatus.layer([{ chainId, startBlock: settings?.startBlock ?? 0, maxLag: 10, pollMs: 1000 }]),
    TestClock.layer(),
    Logger.layer([]),
    options.tracer ?? Layer.empty,
  )
  const program = Effect.gen(function* () {
    const { find } = yield* SyncStatus
    const fiber = yield* Effect.forkChild(followAndEnrich({ ...defaults, ...settings }, options.beside))
    const status = () => find(chainId)!
    const until = Effect.fnUntraced(function* (condition: () => boolean) {
      for (let waited = 0; !condition(); waited++) {
        if (waited > 36_000)
          throw new Error(`not within an hour: ${condition}\n${JSON.stringify(status())}\n${writes.join("\n")}`)
        yield* TestClock.adjust(100)
      }
    })
    const world: World = {
      status,
      until,
      caughtUp: (chain) => until(() => headHash === chain.blocks.at(-1)!.header.hash),
      pass: (seconds) => Effect.repeat(TestClock.adjust(100), { times: seconds * 10 - 1 }).pipe(Effect.asVoid),
      writes,
      stop: Fiber.interrupt(fiber),
    }
    const value = yield* story(world)
    yield* Fiber.interrupt(fiber)
    return value
  })
  try {
    return await store.run(program.pipe(Effect.provide(layer)))
  } finally {
    if (options.store === undefined) await store.close()
  }
}

const defaults: FollowSettings = {
  chainId,
  startBlock: 0,
  wrappedNative: [],
  swaps: true,
  poolManagers: [],
  finality: 10,
  pollMs: 1000,
  rpcConcurrency: 4,
}

/** What a store says after one append of the whole chain: what every way of following must come to. */
export const truthOf = async (chain: TestChain) => {
  const store = await openStore(async () => MemoryStore.layer)
  await seed(store, chain, chainId)
  const content = await contentOf(store, chainId, chain)
  await store.close()
  return comparable(content)
}

/** Finality depends on when a block was read, not on what it holds. */
export const comparable = ({ asOf, ...content }: Awaited<ReturnType<typeof contentOf>>) => ({
  ...content,
  asOf: { ...asOf, finality: undefined },
})
