/** `cowry start`: the service. Settings → database → adapters → ingestion and server, until SIGTERM. */
import { Cause, Effect, Exit, Fiber, ManagedRuntime } from "effect"
import { serve } from "../../adapters/http/server.ts"
import { complain, say } from "../../adapters/terminal/print.ts"
import { showProgress } from "../../adapters/terminal/progress.ts"
import type { Config } from "../../config/readConfig.ts"
import { keepNotes } from "../../domain/enrich/trust.ts"
import { keepLedger } from "../ledgers.ts"
import { keepPricesOf } from "../prices.ts"
import { serviceLayer } from "../wiring.ts"
import { stopSignal } from "./stopSignal.ts"

const urlOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** A quarter of the program, and nothing asks it anything before the database is open: loaded while that one's programs run. */
const loadHttp = () => import("../../adapters/http/app.ts")

/** Resolves with the exit code once everything has ended. */
export const start = async (config: Config): Promise<number> => {
  const stopping = stopSignal()
  const runtime = ManagedRuntime.make(serviceLayer(config, () => void loadHttp().catch(() => {})))

  const run = async (): Promise<void> => {
    // The database may take long to start: a signal meanwhile ends that too.
    const starting = new AbortController()
    stopping.then(() => starting.abort())
    const started = await runtime.runPromiseExit(Effect.void, { signal: starting.signal })
    if (Exit.isFailure(started)) {
      if (starting.signal.aborted) return
      throw Cause.squash(started.cause)
    }
    const { makeApp } = await loadHttp()
    const server = await serve(makeApp(runtime, config), { port: config.port, hostname: config.host })
    say(`cowry listens on ${urlOf(config.host, server.port)}`)
    const chains = config.chains.map((chain) => runtime.runFork(keepLedger(chain)))
    const progress = runtime.runFork(showProgress)
    const notes = runtime.runFork(keepNotes())
    const prices = runtime.runFork(keepPricesOf(config))

    const signal = await stopping
    say(`cowry stops (${signal}): finishing requests and the append under way`)
    await server.stop()
    await Effect.runPromise(Fiber.interruptAll([...chains, progress, notes, prices]))
  }

  const exit = await Effect.runPromiseExit(Effect.tryPromise({ try: run, catch: (cause) => cause }))
  await runtime.dispose()
  if (Exit.isSuccess(exit)) return 0
  const failure = Cause.squash(exit.cause)
  complain(`cowry cannot start: ${failure instanceof Error ? failure.message : String(failure)}`)
  return 1
}
