/** The service over memory adapters, seeded through the Ledger port, asked by `app.fetch`. */
import { createHash } from "node:crypto"
import { Effect, Exit, Layer, Logger, ManagedRuntime, Scope } from "effect"
import { type HttpSettings, makeApp } from "../../src/adapters/http/app.ts"
import type { Ports } from "../../src/adapters/http/contract/ports.ts"
import * as ConfiguredKeys from "../../src/adapters/keys/ConfiguredKeys.ts"
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import * as HttpWebhooks from "../../src/adapters/webhooks/HttpWebhooks.ts"
import * as EventHub from "../../src/domain/events/EventHub.ts"
import { noFaults } from "../../src/model/fault.ts"
import { Address, ChainId } from "../../src/model/primitives.ts"
import type { TokenDescription } from "../../src/model/token.ts"
import { Ledger, type LedgerWriter } from "../../src/ports/Ledger.ts"
import { NativeSupplySource } from "../../src/ports/NativeSupplySource.ts"
import { type Chain, Networks } from "../../src/ports/Networks.ts"
import { type ChainSyncStatus, SyncStatus } from "../../src/ports/SyncStatus.ts"
import { type StorePorts, settingsOf } from "../contracts/store.ts"
import type { TestChain } from "../support/chain/testChain.ts"
import { givenUrl } from "../support/givenDatabase.ts"
import { testSettings } from "../support/givenServer.ts"
import { readerStore, type SplitStore } from "../support/readerStore.ts"
import { layer as noNodes } from "./noNodes.ts"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** What made the pools of an exchange whose name is configured. */
export const exampleFactory = Address.make("0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0")

export const chains: ReadonlyArray<Chain> = [
  { chainId: ChainId.make("1"), network: "mainnet", ecosystems: ["ethereum"] },
  { chainId: ChainId.make("10"), network: "mainnet", ecosystems: ["ethereum", "superchain"] },
  { chainId: ChainId.make("43113"), network: "testnet", ecosystems: ["avalanche"] },
  {
    chainId: ChainId.make("43114"),
    network: "mainnet",
    ecosystems: ["avalanche"],
    factories: new Map([[exampleFactory, { dex: "Example DEX V2", label: "Example DEX" }]]),
  },
]

export const syncStatus = (chainId: string, patch: Partial<ChainSyncStatus> = {}): ChainSyncStatus => ({
  chainId: ChainId.make(chainId),
  phase: "live",
  firstBlock: 0,
  logs: 0,
  logsPerSecond: 0,
  blocksPerSecond: 0,
  skipped: { malformed: 0, unknownPool: 0 },
  reorgs: { count: 0, blocks: 0, deepest: 0 },
  healed: 0,
  faults: noFaults,
  maxLag: 10,
  pollMs: 1000,
  ...patch,
})

/** All but what tells one request from another that asks the same. */
export const comparableHeaders = (response: Response): Array<[string, string]> =>
  [...response.headers].filter(([name]) => name !== "x-request-id")

/** Whatever JSON.parse gives. */
export type Json = ReturnType<typeof JSON.parse>

export interface TestService {
  readonly fetch: (path: string, init?: RequestInit, ip?: string) => Promise<Response>
  /** The same by a service over the same store that keeps no answers. */
  readonly fetchAnew: (path: string, init?: RequestInit) => Promise<Response>
  /** Status and body. */
  readonly get: (path: string, init?: RequestInit, ip?: string) => Promise<{ status: number; body: Json }>
  readonly open: (chainId: string, firstBlock?: number, poolManagers?: ReadonlyArray<Address>) => Promise<LedgerWriter>
  readonly run: <A, E>(effect: Effect.Effect<A, E, Ports | StorePorts>) => Promise<A>
  /** What was logged. */
  readonly logs: Array<string>
  readonly app: ReturnType<typeof makeApp>
  readonly close: () => Promise<void>
}

export interface ServiceOptions extends HttpSettings {
  readonly strictKeys?: boolean
  readonly apiKeysSha256?: ReadonlyArray<string>
  readonly managersSha256?: ReadonlyArray<string>
  /** Whether webhooks may lead to this machine. */
  readonly allowPrivate?: boolean
  /** The adapters of the store; memory by default. */
  readonly storeLayer?: Layer.Layer<StorePorts, unknown>
  /** Instead: written here, read there. */
  readonly split?: SplitStore
  /** Instead of the store's own. */
  readonly replace?: Layer.Layer<never>
  readonly status?: ReadonlyArray<ChainSyncStatus>
  /** When the process has its store; absent = from the beginning. */
  readonly opened?: Promise<void>
  /** Instead of `chains`. */
  readonly chains?: ReadonlyArray<Chain>
}

/** In memory; where a server is given, on that. */
const usualStore = async (): Promise<Layer.Layer<StorePorts, unknown>> =>
  givenUrl === undefined ? MemoryStore.layer : PostgresStore.layer(await testSettings())

/** No chain has a source of its native supply. */
const noSupply = Layer.succeed(NativeSupplySource, { find: () => Effect.succeed(undefined) })

export const startService = async (options: ServiceOptions = {}): Promise<TestService> => {
  const logs: Array<string> = []
  const statuses = new Map((options.status ?? []).map((status) => [status.chainId, status]))
  const eventHub = EventHub.layer.pipe(Layer.provide(Layer.succeed(Networks, { chains: options.chains ?? chains })))
  const split = options.split ?? (options.storeLayer === undefined ? await readerStore() : undefined)
  const layerOver = (store: Layer.Layer<StorePorts, unknown>) =>
    Layer.mergeAll(
      Layer.merge(noSupply, eventHub).pipe(Layer.provideMerge(store)),
      noNodes,
      Layer.succeed(Networks, { chains: options.chains ?? chains }),
      Layer.succeed(SyncStatus, {
        list: () => [...statuses.values()],
        find: (chainId) => statuses.get(chainId),
        update: () => {},
      }),
      ConfiguredKeys.layer({
        strict: options.strictKeys ?? false,
        sha256: options.apiKeysSha256 ?? [],
        managersSha256: options.managersSha256 ?? [],
      }),
      HttpWebhooks.layer({ allowPrivate: options.allowPrivate ?? false }),
      Logger.layer([Logger.make((entry) => logs.push(Logger.formatLogFmt.log(entry)))]),
    )
  const approvals = (chainId: string) =>
    (options.chains ?? chains).some((chain) => chain.chainId === chainId && chain.approvals === true)
  const runtimeOver = (store: Layer.Layer<StorePorts, unknown>) => {
    const layer = layerOver(store)
    return ManagedRuntime.make(options.replace === undefined ? layer : Layer.merge(layer, options.replace))
  }
  const runtime = runtimeOver(split?.writing ?? options.storeLayer ?? (await usualStore()))
  const answering = split === undefined ? runtime : runtimeOver(split.reading)
  const scope = Effect.runSync(Scope.make())
  // Made before anything is read of it, and before anybody asks.
  for (const side of [runtime, answering]) await side.runPromiseExit(Effect.void)
  const opened = options.opened ?? Promise.resolve()
  const opening: Pick<typeof answering, "context" | "runPromiseExit"> = {
    context: () => opened.then(() => answering.context()),
    runPromiseExit: (effect, settings) => opened.then(() => answering.runPromiseExit(effect, settings)),
  }
  const app = makeApp(options.opened === undefined ? answering : opening, {
    answerCacheBytes: 32 * 1024 * 1024,
    ...options,
  })
  const forgetful = makeApp(answering, { ...options, answerCacheBytes: 0 })
  const fetch: TestService["fetch"] = (path, init, ip = "192.0.2.1") =>
    app.fetch(new Request(`http://cowry.test${path}`, init), ip)
  return {
    app,
    fetch,
    fetchAnew: (path, init) => forgetful.fetch(new Request(`http://cowry.test${path}`, init), "192.0.2.1"),
    logs,
    get: async (path, init, ip) => {
      const response = await fetch(path, init, ip)
      return { status: response.status, body: await response.json() }
    },
    run: (effect) => runtime.runPromise(effect),
    open: (chainId, firstBlock = 0, poolManagers = []) =>
      runtime.runPromise(
        Ledger.use((ledger) =>
          ledger.open(
            settingsOf({
              chainId: ChainId.make(chainId),
              firstBlock,
              poolManagers,
              ...(approvals(chainId) && { approvals: true }),
            }),
          ),
        ).pipe(Effect.provideService(Scope.Scope, scope)),
      ),
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      if (split !== undefined) await answering.dispose()
      await runtime.dispose()
    },
  }
}

/** Stores a whole test chain, and what its tokens say of themselves. */
export const store = async (
  service: TestService,
  chainId: string,
  chain: TestChain,
  descriptions: Readonly<Record<string, TokenDescription>> = {},
  finalizedBlock = -1,
): Promise<LedgerWriter> => {
  const writer = await service.open(chainId, chain.firstBlock)
  await service.run(writer.append(chain.segment(chain.firstBlock, undefined, { finalizedBlock })))
  const undescribed = await service.run(writer.listUndescribedTokens(1000))
  const described = undescribed.map((token) => ({ token, description: descriptions[token.address] ?? {} }))
  await service.run(writer.describeTokens(described))
  return writer
}

export const prefix = (chainId: string, network = "mainnet"): string => `/v2/network/${network}/evm/${chainId}`

/** The six, with their values. */
export const rateHeadersOf = (response: Response): Readonly<Record<string, string | null>> =>
  Object.fromEntries(rateHeaderNames.map((name) => [name, response.headers.get(name)]))

export const rateHeaderNames = ["rpm", "rpd"].flatMap((window) =>
  ["limit", "remaining", "reset"].map((part) => `x-ratelimit-${window}-${part}`),
)

/** What every answer carries whatever it says: whole numbers in the six rate headers, CORS, nosniff. Throws if it does not. */
export const checkCommonHeaders = (response: Response): void => {
  for (const name of rateHeaderNames) {
    const value = response.headers.get(name)
    if (value === null || !/^\d+$/.test(value)) throw new Error(`${name}: expected a whole number, got ${value}`)
  }
  if (response.headers.get("access-control-allow-origin") !== "*") throw new Error("no CORS header")
  if (response.headers.get("x-content-type-options") !== "nosniff") throw new Error("its type may be guessed")
}
