/** `cowry start`: the service. Settings → database → adapters → ingestion and server, until SIGTERM. */
import { Cause, Effect, Exit, Fiber, Layer, ManagedRuntime } from "effect"
import { voiceOf } from "../../adapters/terminal/print.ts"
import { profileLine } from "../../config/profiles.ts"
import type { Config } from "../../config/readConfig.ts"
import { databaseUrl, serviceLog } from "../databaseUrl.ts"
import { load as loadTelemetry, telemetryOf, telemetrySettings } from "../telemetry.ts"
import { stopSignal } from "./stopSignal.ts"

const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

const load = () => import("../serving.ts")

/**
 * The two sides of the process: what follows chains, and what answers. The database first, and the larger part of the
 * program while its programs run.
 */
const sidesOf = (config: Config) => {
  const ground = Layer.mergeAll(
    // What the embedded server says goes where everything goes.
    databaseUrl(config, () => void load().catch(() => {})).pipe(Layer.provideMerge(serviceLog(config))),
    telemetryOf(config),
  )
  let made: ReturnType<Awaited<ReturnType<typeof load>>["layersOf"]> | undefined
  const sides = Effect.map(Effect.promise(load), ({ layersOf }) => {
    made ??= layersOf(config)
    return made
  })
  const following = Layer.unwrap(Effect.map(sides, (it) => it.following)).pipe(Layer.provideMerge(ground))
  const answering = Layer.unwrap(Effect.map(sides, (it) => it.answering)).pipe(Layer.provideMerge(ground))
  return { following, answering }
}

/** A connection without an end, a node without an answer: what the last resort of stopping waits. */
const mostStopMs = 50_000

/** Resolves with the exit code once everything has ended. */
export const start = async (config: Config): Promise<number> => {
  const stopping = stopSignal()
  const sides = sidesOf(config)
  const runtime = ManagedRuntime.make(sides.following)
  const answering = ManagedRuntime.make(sides.answering, { memoMap: runtime.memoMap })
  const { say, complain } = voiceOf(config.logFormat)
  const isReader = config.role === "reader"

  const run = async (): Promise<void> => {
    // The database may take long to start: a signal meanwhile ends that too.
    const starting = new AbortController()
    stopping.then(() => starting.abort())
    // A reader follows nothing: of that side not even the database is opened.
    for (const side of isReader ? [answering] : [runtime, answering]) {
      const started = await side.runPromiseExit(Effect.void, { signal: starting.signal })
      if (Exit.isSuccess(started)) continue
      if (starting.signal.aborted) return
      throw Cause.squash(started.cause)
    }
    const loaded = await load()
    const { makeApp, serve, showProgressAs, keepLedgers, keepWebhooks } = loaded
    const limits = config.rateLimits === "shared" ? loaded.makeSharedRateLimit(config) : undefined
    const preset = profileLine(config.profile)
    if (preset !== undefined) say(preset)
    const app = makeApp(answering, { ...config, ...(limits && { counter: limits }) })
    const server = await serve(app, { port: config.port, hostname: config.host })
    say(`cowry listens on ${urlOf(config.host, server.port)}`)
    const work = isReader
      ? []
      : [
          runtime.runFork(keepLedgers(config)),
          runtime.runFork(showProgressAs(config.logFormat)),
          runtime.runFork(keepWebhooks()),
        ]

    if (limits !== undefined) work.push(answering.runFork(loaded.shareLimits(limits)))
    const telemetry = telemetrySettings(config)
    if (telemetry !== undefined) {
      const { metricsTo } = await loadTelemetry()
      work.push(answering.runFork(metricsTo(telemetry, app.metrics)))
    }

    const signal = await stopping
    say(`cowry stops (${signal}): finishing requests and the append under way`)
    const late = setTimeout(() => {
      complain(`cowry ends: something has not stopped for ${mostStopMs / 1000} s; of the ledger nothing is lost`)
      process.exit(1)
    }, mostStopMs)
    late.unref()
    app.endStreams()
    await server.stop()
    await Effect.runPromise(Fiber.interruptAll(work))
  }

  const exit = await Effect.runPromiseExit(Effect.tryPromise({ try: run, catch: (cause) => cause }))
  await answering.dispose()
  await runtime.dispose()
  if (Exit.isSuccess(exit)) return 0
  const failure = Cause.squash(exit.cause)
  complain(`cowry cannot start: ${failure instanceof Error ? failure.message : String(failure)}`)
  return 1
}
