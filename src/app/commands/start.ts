/** `cowry start`: the service. Settings → database → adapters → ingestion and server, until SIGTERM. */
import { Cause, Effect, Exit, Fiber, Layer, ManagedRuntime } from "effect"
import { complain, say } from "../../adapters/terminal/print.ts"
import type { Config } from "../../config/readConfig.ts"
import { databaseUrl, serviceLog } from "../databaseUrl.ts"
import { stopSignal } from "./stopSignal.ts"

const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

const load = () => import("../serving.ts")

/** The database first, and the larger part of the program while its programs run. */
const layerOf = (config: Config) =>
  Layer.unwrap(Effect.map(Effect.promise(load), ({ serviceLayer }) => serviceLayer(config))).pipe(
    Layer.provide(databaseUrl(config, () => void load().catch(() => {}))),
    Layer.provideMerge(serviceLog(config)),
  )

/** Resolves with the exit code once everything has ended. */
export const start = async (config: Config): Promise<number> => {
  const stopping = stopSignal()
  const runtime = ManagedRuntime.make(layerOf(config))

  const run = async (): Promise<void> => {
    // The database may take long to start: a signal meanwhile ends that too.
    const starting = new AbortController()
    stopping.then(() => starting.abort())
    const started = await runtime.runPromiseExit(Effect.void, { signal: starting.signal })
    if (Exit.isFailure(started)) {
      if (starting.signal.aborted) return
      throw Cause.squash(started.cause)
    }
    const { makeApp, serve, showProgress, keepLedger, keepNotes, keepPricesOf, keepWebhooks } = await load()
    const app = makeApp(runtime, config)
    const server = await serve(app, { port: config.port, hostname: config.host })
    say(`cowry listens on ${urlOf(config.host, server.port)}`)
    const chains = config.chains.map((chain) => runtime.runFork(keepLedger(chain)))
    const progress = runtime.runFork(showProgress)
    const notes = runtime.runFork(keepNotes())
    const prices = runtime.runFork(keepPricesOf(config))
    const webhooks = runtime.runFork(keepWebhooks())

    const signal = await stopping
    say(`cowry stops (${signal}): finishing requests and the append under way`)
    app.endStreams()
    await server.stop()
    await Effect.runPromise(Fiber.interruptAll([...chains, progress, notes, prices, webhooks]))
  }

  const exit = await Effect.runPromiseExit(Effect.tryPromise({ try: run, catch: (cause) => cause }))
  await runtime.dispose()
  if (Exit.isSuccess(exit)) return 0
  const failure = Cause.squash(exit.cause)
  complain(`cowry cannot start: ${failure instanceof Error ? failure.message : String(failure)}`)
  return 1
}
