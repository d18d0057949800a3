/** Which adapter stands behind which port, by the configuration: of the service, and of the commands beside it. */
import { Effect, Layer, Logger } from "effect"
import { joinEmbedded } from "../adapters/embedded/embedded.ts"
import * as ConfiguredTokenLists from "../adapters/lists/ConfiguredTokenLists.ts"
import * as MemorySyncStatus from "../adapters/memory/MemorySyncStatus.ts"
import * as PostgresDatabase from "../adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresStore from "../adapters/postgres/PostgresStore.ts"
import * as RpcChainSource from "../adapters/rpc/chain/RpcChainSource.ts"
import * as RpcAccountCodes from "../adapters/rpc/contracts/RpcAccountCodes.ts"
import * as RpcNativeBalances from "../adapters/rpc/contracts/RpcNativeBalances.ts"
import * as RpcNativeHistories from "../adapters/rpc/contracts/RpcNativeHistories.ts"
import * as RpcTokenMetadata from "../adapters/rpc/contracts/RpcTokenMetadata.ts"
import * as RpcTokenViews from "../adapters/rpc/contracts/RpcTokenViews.ts"
import * as RpcTransactions from "../adapters/rpc/contracts/RpcTransactions.ts"
import * as HistorySources from "../adapters/rpc/history/HistorySources.ts"
import * as RpcContractOrigins from "../adapters/rpc/origins/RpcContractOrigins.ts"
import * as RpcPools from "../adapters/rpc/pools/RpcPools.ts"
import * as ConfiguredSupply from "../adapters/supply/ConfiguredSupply.ts"
import * as FetchDocuments from "../adapters/web/FetchDocuments.ts"
import type { Config } from "../config/readConfig.ts"
import { Networks } from "../ports/Networks.ts"
import { connectionsOf } from "./connections.ts"
import { DatabaseUrl, dataDirOf, loggerOf, logOf, packedIn } from "./databaseUrl.ts"

/** On the server that `databaseUrl` names. */
export const databaseOf = (config: Config) =>
  Layer.unwrap(
    Effect.map(DatabaseUrl, ({ url }) =>
      PostgresDatabase.layer({ url, schema: config.databaseSchema, connections: connectionsOf(config) }),
    ),
  )

/** The configured server, or an embedded one; one that a service runs already is joined, and `onGone` hears when that service ends. */
const joinedDatabaseOf = (config: Config, onGone: (message: string) => void) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const url = config.databaseUrl ?? (yield* joinEmbedded({ dataDir: dataDirOf(config), packedIn, onGone })).url
      return PostgresDatabase.layer({ url, schema: config.databaseSchema })
    }),
  )

export const storeOf = ({ cacheBytes, eventsDays, keptTransactions }: Config) =>
  PostgresStore.layerOn({ cacheBytes, eventsDays, keptTransactions })

export const listsOf = (config: Config) => ConfiguredTokenLists.layer(config).pipe(Layer.provide(FetchDocuments.layer))

export const supplyOf = ({ supplies }: Config) =>
  ConfiguredSupply.layer(supplies).pipe(Layer.provide(FetchDocuments.layer))

/** Nodes and everything that is asked of them; the chains of this process's settings. */
export const nodesOf = ({ chains }: Config) =>
  Layer.mergeAll(
    RpcChainSource.layer(chains),
    RpcTokenMetadata.layer(chains),
    RpcTokenViews.layer(chains),
    RpcNativeBalances.layer(chains),
    RpcNativeHistories.layer(chains),
    RpcAccountCodes.layer(chains),
    RpcTransactions.layer(chains),
    RpcContractOrigins.layer(chains),
    RpcPools.layer(chains),
    HistorySources.layer(chains),
    MemorySyncStatus.layer(chains),
    Layer.succeed(Networks, { chains }),
  )

/** What a command works with: the store with its database, and the nodes. Standard output is the command's own. */
export const commandLayer = (config: Config, onGone: (message: string) => void) =>
  Layer.merge(storeOf(config).pipe(Layer.provideMerge(joinedDatabaseOf(config, onGone))), nodesOf(config)).pipe(
    Layer.provideMerge(logOf(Logger.withConsoleError(loggerOf(config)), config)),
  )

/** The services that a command may ask for. */
export type CommandServices = Layer.Success<ReturnType<typeof commandLayer>>
