/** Starts a local EVM node (Foundry's anvil) on a free port, and stops it without leaving a file behind. */
import type { ChildProcess } from "node:child_process"
import { mkdtemp } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { startChild } from "./child.ts"
import { type Rpc, rpcOf } from "./rpc.ts"

export interface Anvil {
  readonly url: string
  readonly pid: number
  readonly rpc: Rpc
  /** Returns when the node is gone. Safe to call twice. */
  readonly stop: () => Promise<unknown>
}

/**
 * A node with chain id 31337 that mines only when told to (`evm_mine`), transactions in the order they came.
 * `args` are more of anvil's own arguments. Old states go to a folder of its own, which `stop` removes.
 */
export const startAnvilNode = async (args: ReadonlyArray<string> = []): Promise<Anvil> => {
  const program = programPath()
  const folder = await mkdtemp(join(tmpdir(), "cowry-anvil-"))
  const { process: child, stop } = startChild(
    program,
    ["--host", "127.0.0.1", "--port", "0", "--no-mining", "--order", "fifo", "--disable-block-gas-limit"].concat(args),
    { cwd: folder, env: { HOME: folder }, folder },
  )
  try {
    const url = `http://${await listeningAddress(child)}`
    const rpc = rpcOf(url)
    // Else it prints a line for every call.
    await rpc("anvil_setLoggingEnabled", [false])
    return { url, pid: child.pid!, rpc, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The program inside the platform's own package; the package `@foundry-rs/anvil` itself only holds a launcher that needs an install script. */
const programPath = (): string => {
  const architecture = process.arch === "x64" ? "amd64" : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`
  try {
    // An optional dependency of the launcher: where packages are not hoisted, only the launcher sees it.
    const require = createRequire(createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json"))
    return join(dirname(require.resolve(`${name}/package.json`)), "bin", "anvil")
  } catch {
    throw new Error(`No local node for this machine: the package ${name} is not installed.`)
  }
}

/** anvil prints `Listening on <host>:<port>` once it answers. */
const listeningAddress = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let complaint = ""
    child.stderr!.on("data", (chunk) => {
      complaint += chunk
    })
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const address = line.match(/^Listening on (\S+)$/)?.[1]
      if (address !== undefined) resolve(address)
    })
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`anvil ended with ${code}: ${complaint.trim()}`)))
  })
