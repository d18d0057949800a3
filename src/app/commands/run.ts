/** Runs one command to its end, or until a signal: opens what it works with, closes it again, gives the exit code. */
import { Cause, Effect, Exit, ManagedRuntime, Result } from "effect"
import { holdsDatabase } from "../../adapters/embedded/embedded.ts"
import { complain } from "../../adapters/terminal/print.ts"
import type { Config } from "../../config/readConfig.ts"
import { dataDirOf } from "../databaseUrl.ts"
import { commandLayer } from "../wiring.ts"
import { type Command, failureText, Misused, type Typed } from "./command.ts"
import { readSettings } from "./configured.ts"
import { exitCodes, stopSignal } from "./stopSignal.ts"

export const runCommand = async (command: Command, typed: Typed): Promise<number> => {
  const config = readSettings(command.name, { withoutNodes: command.withoutNodes === true, isCommand: true })
  if (config === undefined) return 2
  const misused = command.check && Effect.runSync(Effect.result(command.check(typed, config)))
  if (misused !== undefined && Result.isFailure(misused)) {
    complain(`cowry ${command.name}: ${misused.failure.message}`)
    return 2
  }
  const lacking = databaseLacking(command, config)
  if (lacking !== undefined) {
    complain(`cowry ${command.name}: ${lacking}`)
    return 2
  }
  const { failureCode = 1 } = command
  const stopped = new AbortController()
  let signal: string | undefined
  stopSignal().then((it) => {
    signal = it
    stopped.abort()
  })
  /** Why the database went away under the command. */
  let gone: string | undefined
  const runtime = ManagedRuntime.make(
    commandLayer(config, (message) => {
      gone = message
      stopped.abort()
    }),
  )
  /** The command is done; what becomes of what it leaves. */
  let left: string | undefined
  const work = command.run(typed, config, (it) => {
    left = it
  })
  const exit = await runtime.runPromiseExit(Effect.scoped(work), { signal: stopped.signal })
  await runtime.dispose()
  if (Exit.isSuccess(exit)) return exit.value
  if (left !== undefined) {
    complain(`cowry ${command.name}: ${left}`)
    return 0
  }
  if (gone !== undefined) {
    complain(`cowry ${command.name}: ${gone}`)
    return failureCode
  }
  if (signal !== undefined) {
    complain(`cowry ${command.name}: ended (${signal})`)
    return exitCodes[signal] ?? failureCode
  }
  const failure = Cause.squash(exit.cause)
  complain(`cowry ${command.name}: ${failureText(failure)}`)
  return failure instanceof Misused ? 2 : failureCode
}

/** Another user's default folder is another one: an empty database there would be taken for the service's. */
const databaseLacking = (command: Command, config: Config): string | undefined => {
  const mayMake = command.makesDatabase === true && config.dataDir !== undefined
  const dataDir = dataDirOf(config)
  if (config.databaseUrl !== undefined || mayMake || holdsDatabase(dataDir)) return undefined
  return `DATA_DIR ${dataDir} holds no database: set DATA_DIR or DATABASE_URL to the service's, or run the command as the service's user`
}
