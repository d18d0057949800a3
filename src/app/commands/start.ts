/** `cowry start`: the service. Settings → database → adapters → ingestion and server, until SIGTERM. */
import { Cause, Effect, Exit, Fiber, Layer, ManagedRuntime } from "effect"
import { voiceOf } from "../../adapters/terminal/print.ts"
import type { Config } from "../../config/readConfig.ts"
import { messageOf } from "../../model/outside/cause.ts"
import { keepGoing } from "../../model/time/survive.ts"
import { databaseUrl, serviceLog } from "../databaseUrl.ts"
import { load as loadTelemetry, telemetryOf, telemetrySettings } from "../telemetry.ts"
import { makeDoor, type Opened } from "./door.ts"
import { endOf } from "./endOf.ts"
import { stopSignal } from "./stopSignal.ts"

const load = () => import("../serving.ts")

/**
 * The two sides of the process: what follows chains, and what answers. The database first; `onWait` hears when it is
 * waited for, and then is the time for the larger part of the program.
 */
const sidesOf = (config: Config, onWait: () => void) => {
  const ground = Layer.mergeAll(
    // What the embedded server says goes where everything goes.
    databaseUrl(config, onWait).pipe(Layer.provideMerge(serviceLog(config))),
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
  const { say, complain } = voiceOf(config.logFormat)
  const isReader = config.role === "reader"
  // A signal ends a start, however long the database takes, and so does a port that cannot be had.
  const starting = new AbortController()
  let refused: { readonly cause: unknown } | undefined
  const door = makeDoor(config, load, () => answering, say)
  const openDoor = () => {
    door.open().catch((cause) => {
      refused ??= { cause }
      starting.abort()
    })
  }
  const sides = sidesOf(config, openDoor)
  const runtime = ManagedRuntime.make(sides.following)
  const answering = ManagedRuntime.make(sides.answering, { memoMap: runtime.memoMap })

  /** undefined = a signal came first. */
  const openSides = async () => {
    stopping.then(() => starting.abort())
    // A reader follows nothing: of that side not even the database is opened.
    for (const side of isReader ? [answering] : [runtime, answering]) {
      const started = await side.runPromiseExit(Effect.void, { signal: starting.signal })
      if (refused !== undefined) throw refused.cause
      if (starting.signal.aborted) return undefined
      if (Exit.isFailure(started)) throw Cause.squash(started.cause)
    }
    const opened = await door.open()
    door.letIn()
    return opened
  }

  /** The exit code. */
  const run = async (): Promise<number> => {
    let opened: Opened | undefined
    try {
      opened = await openSides()
    } finally {
      if (opened === undefined) await door.close()
    }
    if (opened === undefined) return 0
    const { app, server, limits } = opened
    const { showProgressAs, keepLedgers, keepWebhooks, shareLimits } = await load()
    const work = isReader
      ? []
      : [
          runtime.runFork(keepLedgers(config)),
          runtime.runFork(keepGoing("progress", showProgressAs(config.logFormat))),
          runtime.runFork(keepWebhooks()),
        ]

    if (limits !== undefined) work.push(answering.runFork(keepGoing("limits", shareLimits(limits))))
    const telemetry = telemetrySettings(config)
    if (telemetry !== undefined) {
      const { metricsTo } = await loadTelemetry()
      work.push(answering.runFork(keepGoing("metrics", metricsTo(telemetry, app.metrics))))
    }

    const broken = endOf(work).then((cause) => ({ cause }))
    const end = await Promise.race([stopping, broken])
    if (typeof end === "string") say(`cowry stops (${end}): finishing requests and the append under way`)
    // Whatever supervises it starts it anew. Going on, it would answer from what nobody follows any more.
    else complain(`cowry ends: a bug was met: ${messageOf(end.cause)}`)
    const late = setTimeout(() => {
      complain(`cowry ends: something has not stopped for ${mostStopMs / 1000} s; of the ledger nothing is lost`)
      process.exit(1)
    }, mostStopMs)
    late.unref()
    app.endStreams()
    await server.stop()
    await Effect.runPromise(Fiber.interruptAll(work))
    return typeof end === "string" ? 0 : 1
  }

  const exit = await Effect.runPromiseExit(Effect.tryPromise({ try: run, catch: (cause) => cause }))
  await answering.dispose()
  await runtime.dispose()
  if (Exit.isSuccess(exit)) return exit.value
  complain(`cowry cannot start: ${messageOf(Cause.squash(exit.cause))}`)
  return 1
}
