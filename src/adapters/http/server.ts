/** Listens on Bun or on Deno, and stops without losing a request. */
import type { App } from "./app.ts"

type Served = Pick<App, "fetch">

export interface Server {
  readonly port: number
  /** Accepts nothing more, lets requests in flight finish (those that take longer than the grace are cut), closes. */
  readonly stop: () => Promise<void>
}

export interface ServerSettings {
  /** 0 = any free one. */
  readonly port: number
  readonly hostname: string
  /** What requests in flight have when the server stops; default 35,000, above a request's own time. */
  readonly graceMs?: number
}

/** What is used of the two runtimes; neither's types are needed to compile. */
interface BunServer {
  readonly port: number
  requestIP(request: Request): { readonly address: string } | null
  stop(closeActiveConnections?: boolean): Promise<void>
}
interface BunRuntime {
  serve(options: {
    readonly port: number
    readonly hostname: string
    readonly idleTimeout: number
    readonly fetch: (request: Request, server: BunServer) => Promise<Response>
  }): BunServer
}
interface DenoRuntime {
  serve(
    options: {
      readonly port: number
      readonly hostname: string
      readonly onListen: () => void
    },
    handler: (request: Request, info: { readonly remoteAddr: { readonly hostname?: string } }) => Promise<Response>,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
}
const { Bun, Deno } = globalThis as { readonly Bun?: BunRuntime; readonly Deno?: DenoRuntime }

/** Rejects with a sentence that names the setting when the address cannot be had. */
export const serve = async (app: Served, settings: ServerSettings): Promise<Server> => {
  const { port, hostname, graceMs = 35_000 } = settings
  try {
    if (Bun !== undefined) return serveOnBun(Bun, app, { port, hostname, graceMs })
    if (Deno !== undefined) return serveOnDeno(Deno, app, { port, hostname, graceMs })
  } catch (cause) {
    throw refused(cause, port, hostname)
  }
  throw new Error("Cowry runs on Bun or on Deno; this runtime is neither")
}

const serveOnBun = (bun: BunRuntime, app: Served, { port, hostname, graceMs }: Required<ServerSettings>): Server => {
  const server = bun.serve({
    port,
    hostname,
    // Bun's own 10 seconds would cut off an answer that is allowed 30.
    idleTimeout: 120,
    fetch: (request, self) => app.fetch(request, self.requestIP(request)?.address),
  })
  return { port: server.port, stop: () => within(graceMs, server.stop(), () => server.stop(true)) }
}

const serveOnDeno = (deno: DenoRuntime, app: Served, { port, hostname, graceMs }: Required<ServerSettings>): Server => {
  const server = deno.serve({ port, hostname, onListen: () => {} }, (request, { remoteAddr }) =>
    app.fetch(request, remoteAddr.hostname),
  )
  // What is left is cut by the end of the process: Deno's own abort fails behind a shutdown, where nobody could catch it.
  return { port: server.addr.port, stop: () => within(graceMs, server.shutdown(), async () => {}) }
}

/** Waits for `work`; after `graceMs` `force` ends it. */
const within = async (graceMs: number, work: Promise<void>, force: () => Promise<void>): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), graceMs)
  })
  const first = await Promise.race([work, late])
  clearTimeout(timer)
  if (first === "late") await force()
}

const refused = (cause: unknown, port: number, hostname: string): Error => {
  const { code, name } = cause as { readonly code?: unknown; readonly name?: unknown }
  const is = (wanted: string, denoName: string) => code === wanted || name === denoName
  if (is("EADDRINUSE", "AddrInUse")) {
    return new Error(`port ${port} is in use: set PORT to a free one (0 = any)`, { cause })
  }
  if (is("EACCES", "PermissionDenied")) {
    return new Error(`port ${port} is not open to this user: set PORT to one from 1024 to 65535`, { cause })
  }
  return new Error(`cannot listen on ${hostname}, port ${port}: check HOST and PORT`, { cause })
}
