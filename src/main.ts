/** The composition root: settings → database → adapters → ingestion and server, until SIGTERM. */
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Cause, Effect, Exit, Fiber, Layer, Logger, ManagedRuntime, References } from "effect"
import { makeApp } from "./adapters/http/app.ts"
import { serve } from "./adapters/http/server.ts"
import * as ConfiguredKeys from "./adapters/keys/ConfiguredKeys.ts"
import * as ConfiguredTokenLists from "./adapters/lists/ConfiguredTokenLists.ts"
import * as MemorySyncStatus from "./adapters/memory/MemorySyncStatus.ts"
import { defaultDataDir, startEmbedded } from "./adapters/postgres/embedded.ts"
import * as PostgresStore from "./adapters/postgres/PostgresStore.ts"
import * as RpcChainSource from "./adapters/rpc/RpcChainSource.ts"
import * as RpcContractOrigins from "./adapters/rpc/RpcContractOrigins.ts"
import * as RpcNativeBalances from "./adapters/rpc/RpcNativeBalances.ts"
import * as RpcPools from "./adapters/rpc/RpcPools.ts"
import * as RpcTokenMetadata from "./adapters/rpc/RpcTokenMetadata.ts"
import * as ConfiguredSupply from "./adapters/supply/ConfiguredSupply.ts"
import { showProgress } from "./adapters/terminal/progress.ts"
import * as Unconfigured from "./adapters/unconfigured/Unconfigured.ts"
import * as FetchDocuments from "./adapters/web/FetchDocuments.ts"
import { type Config, readConfig } from "./config.ts"
import { givenSettings } from "./configFile.ts"
import { follow } from "./domain/ingest/follow.ts"
import { keepNotes } from "./domain/trust.ts"
import { launcherGone } from "./launchers.ts"
import { Networks } from "./ports/Networks.ts"
import { keepPricesOf, pricesOf } from "./prices.ts"

const checkout = dirname(dirname(fileURLToPath(import.meta.url)))

const readSettings = (): Config => {
  const { given, facts, problems } = givenSettings(process.env)
  const config = readConfig(given, facts)
  const all = [...problems, ...("problems" in config ? config.problems : [])]
  if (all.length === 0 && !("problems" in config)) return config
  console.error(
    `cowry cannot start; ${all.length === 1 ? "one setting needs" : `${all.length} settings need`} attention:`,
  )
  for (const problem of all) console.error(`  ${problem}`)
  console.error("All settings: docs/operations.md")
  process.exit(1)
}

/** The store on the configured server, or on an embedded one that lives as long as the layer. */
const storeOf = (config: Config) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const url =
        config.databaseUrl ?? (yield* startEmbedded({ dataDir: config.dataDir ?? defaultDataDir(checkout) })).url
      return PostgresStore.layer({ url, schema: config.databaseSchema }, { cacheBytes: config.cacheBytes })
    }),
  )

const listsOf = ({ tokenLists, tokenListsInterval, tokenInfo }: Config) =>
  ConfiguredTokenLists.layer({
    places: tokenLists,
    interval: tokenListsInterval,
    ...(tokenInfo === undefined ? {} : { information: tokenInfo }),
  }).pipe(Layer.provide(FetchDocuments.layer))

/** Chains whose native supply is known from somewhere. */
const suppliedOf = ({ chains }: Config) =>
  chains.flatMap(({ chainId, nativeCurrency, facts: { supply: settings } }) =>
    nativeCurrency === undefined || settings === undefined ? [] : [{ chainId, ...nativeCurrency, settings }],
  )

const supplyOf = (config: Config) => {
  const supplied = suppliedOf(config)
  if (supplied.length === 0) return Unconfigured.layer
  const sources = Layer.merge(FetchDocuments.layer, RpcNativeBalances.layer(config.chains))
  return ConfiguredSupply.layer(supplied).pipe(Layer.provide(sources))
}

const layerOf = (config: Config) =>
  Layer.mergeAll(
    Layer.mergeAll(supplyOf(config), listsOf(config), pricesOf(config)).pipe(Layer.provideMerge(storeOf(config))),
    RpcChainSource.layer(config.chains),
    RpcTokenMetadata.layer(config.chains),
    RpcContractOrigins.layer(config.chains),
    RpcPools.layer(config.chains),
    MemorySyncStatus.layer(config.chains),
    ConfiguredKeys.layer({ strict: config.strictKeys, sha256: config.apiKeysSha256 }),
    Layer.succeed(Networks, { chains: config.chains }),
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Logger.layer([process.stderr.isTTY ? Logger.consolePretty({ colors: true }) : Logger.consoleLogFmt]),
        Layer.succeed(References.MinimumLogLevel, config.logLevel),
      ),
    ),
  )

/** Resolves with the first SIGTERM or SIGINT; a second one ends the process at once. */
const stopSignal = new Promise<string>((resolve) => {
  let asked = false
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (asked) process.exit(1)
      asked = true
      resolve(signal)
    })
  }
  // npx dies of SIGTERM without passing it on.
  launcherGone("start").then(() => resolve("its launcher is gone"))
})

const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

const config = readSettings()
const runtime = ManagedRuntime.make(layerOf(config))

const run = async (): Promise<void> => {
  // The database may take long to start: a signal meanwhile ends that too.
  const starting = new AbortController()
  stopSignal.then(() => starting.abort())
  const started = await runtime.runPromiseExit(Effect.void, { signal: starting.signal })
  if (Exit.isFailure(started)) {
    if (starting.signal.aborted) return
    throw Cause.squash(started.cause)
  }
  const server = await serve(makeApp(runtime, config), { port: config.port, hostname: config.host })
  console.log(`cowry listens on ${urlOf(config.host, server.port)}`)
  const chains = config.chains.map((chain) => runtime.runFork(follow(chain)))
  const progress = runtime.runFork(showProgress)
  const notes = runtime.runFork(keepNotes())
  const prices = runtime.runFork(keepPricesOf(config))

  const signal = await stopSignal
  console.log(`cowry stops (${signal}): finishing requests and the append under way`)
  await server.stop()
  await Effect.runPromise(Fiber.interruptAll([...chains, progress, notes, prices]))
}

const exit = await Effect.runPromiseExit(Effect.tryPromise({ try: run, catch: (cause) => cause }))
await runtime.dispose()
if (Exit.isFailure(exit)) {
  const failure = Cause.squash(exit.cause)
  console.error(`cowry cannot start: ${failure instanceof Error ? failure.message : String(failure)}`)
}
process.exit(Exit.isSuccess(exit) ? 0 : 1)
