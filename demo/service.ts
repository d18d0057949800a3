/** The service, started as its operator would: `src/main.ts` with settings in the environment. */
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { findClosedParent, serverAccount } from "../src/adapters/embedded/account.ts"
import { startChild } from "./chain/child.ts"
import type { DemoChain } from "./chain/deploy.ts"
import { configOf } from "./config.ts"
import { tokenListOf } from "./tokenList.ts"

const root = fileURLToPath(new URL("../", import.meta.url))

export interface DemoService {
  readonly url: string
  /** Resolves with what it printed last, if it ends without being asked. */
  readonly ended: Promise<string>
  readonly stop: () => Promise<unknown>
}

/** Starts it on the local chain, with the embedded database in a temporary folder, and returns when it has caught up. */
export const startDemoService = async (chain: DemoChain, host: string, port: number): Promise<DemoService> => {
  const folder = openTemporaryFolder()
  const config = join(folder, "cowry.json")
  const tokenList = join(folder, "tokens.json")
  writeFileSync(config, configOf(chain))
  writeFileSync(tokenList, tokenListOf(chain))
  const { process: child, stop } = startChild(process.execPath, ["src/main.ts"], {
    cwd: root,
    // Nothing of the caller's settings but who may manage webhooks: this is about the local chain only.
    env: {
      PATH: process.env.PATH,
      HOST: host,
      PORT: `${port}`,
      COWRY_CONFIG: config,
      DATA_DIR: join(folder, "data"),
      RPC_URL_31337: chain.url,
      WRAPPED_NATIVE_31337: chain.tokens.wrapped,
      ECOSYSTEMS_31337: "demo",
      POLL_MS_31337: "250",
      TOKEN_LISTS: tokenList,
      // Its pools are small.
      PRICE_MIN_DEPTH: "1000",
      PRICE_SECONDS: "1",
      WEBHOOK_KEYS_SHA256: process.env.WEBHOOK_KEYS_SHA256,
    },
    folder,
  })
  let said = ""
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk) => {
      said = (said + chunk).slice(-4000)
    })
  const ended = new Promise<string>((resolve) => child.once("exit", () => resolve(said.trim())))
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host
  const url = `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
  const ready = async () => {
    while ((await fetch(`${url}/ready`).catch(() => undefined))?.status !== 200) await pause(100)
  }
  const failure = await Promise.race([ready(), ended])
  if (failure !== undefined) {
    await stop()
    throw new Error(`The service ended:\n${failure}`)
  }
  return { url, ended, stop }
}

/** Open to the user that the database runs as, whatever TMPDIR says. */
const openTemporaryFolder = (): string => {
  const account = serverAccount()
  const parent = [tmpdir(), "/tmp", "/var/tmp"].find((it) => account === undefined || !findClosedParent(it, account))
  if (parent === undefined)
    throw new Error("No temporary folder is open to the user nobody: set TMPDIR to one that is.")
  const folder = mkdtempSync(join(parent, "cowry-demo-"))
  chmodSync(folder, 0o711)
  return folder
}

/** Whether the service could listen there now. */
export const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    )
    probe.listen({ port, host }, () => probe.close(() => resolve(true)))
  })
