/** What a start begins with: where the log goes, and a database to connect to. It needs a small part of the program only. */
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Context, Effect, Layer, Logger, References } from "effect"
import { defaultDataDir, startEmbedded } from "../adapters/embedded/embedded.ts"
import { colorful, json, logFmt } from "../adapters/terminal/loggers.ts"
import type { Config } from "../config/readConfig.ts"
import { embeddedSettings } from "./connections.ts"

/** The server that answers. The url holds the password: never to be logged. */
export class DatabaseUrl extends Context.Service<DatabaseUrl, { readonly url: string }>()("cowry/app/DatabaseUrl") {}

const checkout = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export const dataDirOf = ({ dataDir }: Config): string => dataDir ?? defaultDataDir(checkout)

/** An image has packed files of a new database beside its program. */
export const packedIn = join(checkout, "dist")

/** The configured server, or an embedded one that lives as long as the layer. `onWait`: called, perhaps often, when it is waited for: time for other work. */
export const databaseUrl = (config: Config, onWait: () => void) =>
  Layer.effect(
    DatabaseUrl,
    Effect.gen(function* () {
      yield* Effect.logDebug("start: the settings are read")
      // A reader has no database of its own.
      const given = config.databaseUrl ?? (config.role === "reader" ? config.readUrls[0] : undefined)
      if (given !== undefined) {
        onWait()
        return { url: given }
      }
      const dataDir = dataDirOf(config)
      return yield* startEmbedded({ dataDir, packedIn, onSpawn: onWait, settings: embeddedSettings(config) })
    }),
  )

export const logOf = (logger: Logger.Logger<unknown, void>, { logLevel }: Config) =>
  Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, logLevel))

/** The log of the service, on standard output. */
export const serviceLog = (config: Config) => logOf(Logger.withConsoleLog(loggerOf(config)), config)

/** How a line is written. */
export const loggerOf = ({ logFormat }: Config): Logger.Logger<unknown, string> =>
  logFormat === "json" ? json : logFormat === "auto" && process.stderr.isTTY ? colorful : logFmt
