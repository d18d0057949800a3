/** What a process of each role works with: to follow chains, and to answer for them. */
import { Context, Effect, Layer } from "effect"
import * as ConfiguredKeys from "../adapters/keys/ConfiguredKeys.ts"
import { Database } from "../adapters/postgres/database/Database.ts"
import * as PostgresChainRegistry from "../adapters/postgres/registry/PostgresChainRegistry.ts"
import * as PostgresSharedLimits from "../adapters/postgres/registry/PostgresSharedLimits.ts"
import * as KeptWhereWritable from "../adapters/postgres/servers/KeptWhereWritable.ts"
import * as ReaderDatabase from "../adapters/postgres/servers/ReaderDatabase.ts"
import * as RpcChainNode from "../adapters/rpc/passing/RpcChainNode.ts"
import * as RpcLogSearch from "../adapters/rpc/passing/RpcLogSearch.ts"
import * as WhereConfigured from "../adapters/unconfigured/WhereConfigured.ts"
import * as FetchUpstream from "../adapters/web/FetchUpstream.ts"
import * as HttpWebhooks from "../adapters/webhooks/HttpWebhooks.ts"
import type { Config } from "../config/readConfig.ts"
import { upstreamsOf } from "../config/upstreams.ts"
import * as EventHub from "../domain/events/EventHub.ts"
import { learnChains } from "../domain/registry/keepRegistry.ts"
import { type KnownChains, makeKnownChains } from "../domain/registry/knownChains.ts"
import { Networks } from "../ports/Networks.ts"
import { SyncStatus } from "../ports/SyncStatus.ts"
import { DatabaseUrl } from "./databaseUrl.ts"
import { pricesOf } from "./prices.ts"
import { databaseOf, listsOf, nodesOf, storeOf, supplyOf } from "./wiring.ts"

/** The two sides of a process. What both have is made once, where both are built with one memo map. */
export const layersOf = (config: Config) => {
  const primary = databaseOf(config)
  const store = keptOf(config).pipe(Layer.provideMerge(primary))
  const readStore = readStoreOf(config, primary, store)
  const nodes = nodesOf(config)
  const { known, followed } = knownOf(config, readStore, nodes)
  // One for streams and webhooks: what it tells answers have.
  const events = EventHub.layer.pipe(Layer.provide([followed, readStore]))
  const following = Layer.mergeAll(
    Layer.mergeAll(listsOf(config), pricesOf(config)).pipe(Layer.provideMerge(store)),
    events,
    nodes,
    sender(config),
  )
  return { following, answering: answeringOf(config, { store: readStore, nodes, known, events }) }
}

/** What sends to webhooks. */
const sender = ({ webhookAllowPrivate: allowPrivate }: Config) => HttpWebhooks.layer({ allowPrivate })

/** All that lies in a database. */
const keptOf = (config: Config) =>
  Layer.mergeAll(storeOf(config), PostgresChainRegistry.layer, PostgresSharedLimits.layer)

type Primary = ReturnType<typeof databaseOf>
type Kept = ReturnType<typeof keptOf>

/** What answers are read from, and its database. Who answers nothing needs no standby. */
const readStoreOf = (
  config: Config,
  primary: Primary,
  store: Layer.Layer<Layer.Success<Kept> | Database, Layer.Error<Primary>, Layer.Services<Primary>>,
) => {
  const { role, readUrls } = config
  if (role === "writer" || (role === "both" && readUrls.length === 0)) return store
  const database = role === "reader" ? readerDatabaseOf(config) : standbysOf(config).pipe(Layer.provide(primary))
  // A layer is made once, by its name, over whichever database comes first: these are others than those over the primary.
  const kept = Layer.fresh(keptOf(config))
  return KeptWhereWritable.layer.pipe(Layer.provideMerge(kept), Layer.provideMerge(database))
}

/** Of a reader: nothing is made, no lock is taken. */
const readerDatabaseOf = ({ readUrls, databaseUrl, databaseSchema: schema, maxReadLagMs: maxLagMs }: Config) =>
  ReaderDatabase.layer({ readUrls, schema, maxLagMs, ...(databaseUrl !== undefined && { primary: databaseUrl }) })

/** Standbys before the database that is written here. */
const standbysOf = ({ readUrls, databaseSchema: schema, maxReadLagMs: maxLagMs }: Config) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const primary = yield* Database
      const { url: primaryUrl } = yield* DatabaseUrl
      return ReaderDatabase.layer({ readUrls, schema, maxLagMs, primary, primaryUrl })
    }),
  )

class Known extends Context.Service<Known, KnownChains>()("cowry/app/KnownChains") {}

type ReadStore = ReturnType<typeof readStoreOf>
type Nodes = ReturnType<typeof nodesOf>

/** The chains that are answered for, and how they are doing; and those that are told of. */
const knownOf = ({ chains, role }: Config, store: ReadStore, nodes: Nodes) => {
  const known = Layer.effect(
    Known,
    Effect.gen(function* () {
      const made = makeKnownChains({ role, chains, status: yield* SyncStatus })
      yield* learnChains(made)
      return made
    }),
  ).pipe(Layer.provide([store, nodes]))
  const networks = Layer.effect(
    Networks,
    Effect.map(Known, (it) => it.networks),
  )
  const statuses = Layer.effect(
    SyncStatus,
    Effect.map(Known, ({ syncStatus }) => syncStatus),
  )
  const followed = Layer.effect(
    Networks,
    Effect.map(Known, (it) => it.followed),
  )
  return {
    known: Layer.mergeAll(networks, statuses).pipe(Layer.provide(known)),
    followed: followed.pipe(Layer.provide(known)),
  }
}

interface Made {
  readonly store: ReadStore
  readonly nodes: Nodes
  readonly known: ReturnType<typeof knownOf>["known"]
  readonly events: Layer.Layer<EventHub.EventHub, Layer.Error<ReadStore>, Layer.Services<ReadStore>>
}

const answeringOf = (config: Config, { store, nodes, known, events }: Made) => {
  const { chains } = config
  const asked = Layer.mergeAll(nodes, RpcChainNode.layer(chains, config.proxySend), RpcLogSearch.layer(chains))
  const answered = WhereConfigured.layer(chains).pipe(Layer.provide(asked))
  return Layer.mergeAll(
    supplyOf(config).pipe(Layer.provide([known, answered]), Layer.provideMerge(store)),
    answered,
    FetchUpstream.layer(upstreamsOf(config), { callsPerSecond: config.upstreamRate }),
    ConfiguredKeys.layer({
      strict: config.strictKeys,
      sha256: config.apiKeysSha256,
      managersSha256: config.webhookKeysSha256,
      ...(config.apiKeysFile === undefined ? {} : { file: config.apiKeysFile }),
    }),
    sender(config),
    events,
    known,
  )
}
