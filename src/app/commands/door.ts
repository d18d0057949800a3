/** The port of a process that starts: it answers as soon as the program is loaded, whatever the database is at. */
import type { App, makeApp } from "../../adapters/http/app.ts"
import type { SharedRateLimit } from "../../adapters/http/contract/sharedRateLimit.ts"
import type { Server } from "../../adapters/http/server.ts"
import { profileLine } from "../../config/profiles.ts"
import type { Config } from "../../config/readConfig.ts"

type Serving = Pick<typeof import("../serving.ts"), "makeApp" | "makeSharedRateLimit" | "serve">
type Answering = Parameters<typeof makeApp>[0]

export interface Opened {
  readonly app: App
  readonly server: Server
  /** Absent = each process counts for itself. */
  readonly limits?: SharedRateLimit
}

export interface Door {
  /** Opens the port, once. Rejects with a sentence that names the setting when the address cannot be had. */
  readonly open: () => Promise<Opened>
  /** The store is there: whoever waits goes on. */
  readonly letIn: () => void
  /** There will be no store: whoever waits is told so, and the port is closed. */
  readonly close: () => Promise<void>
}

const addressOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** `answering`: what requests work with, asked for once they are let in. */
export const makeDoor = (
  config: Config,
  load: () => Promise<Serving>,
  answering: () => Answering,
  say: (line: string) => void,
): Door => {
  const store = Promise.withResolvers<void>()
  store.promise.catch(() => {})
  const whenLetIn: Answering = {
    context: () => store.promise.then(() => answering().context()),
    runPromiseExit: (effect, options) => store.promise.then(() => answering().runPromiseExit(effect, options)),
  }
  const open = async (): Promise<Opened> => {
    const { makeApp, makeSharedRateLimit, serve } = await load()
    const limits = config.rateLimits === "shared" ? makeSharedRateLimit(config) : undefined
    const preset = profileLine(config.profile)
    if (preset !== undefined) say(preset)
    const app = makeApp(whenLetIn, { ...config, ...(limits && { counter: limits }) })
    const server = await serve(app, { port: config.port, hostname: config.host })
    say(`cowry listens on ${addressOf(config.host, server.port)}`)
    return { app, server, ...(limits && { limits }) }
  }
  let opening: Promise<Opened> | undefined
  return {
    open: () => (opening ??= open()),
    letIn: store.resolve,
    close: async () => {
      store.reject(new Error("the service does not start"))
      const opened = await opening?.catch(() => undefined)
      await opened?.server.stop()
    },
  }
}
