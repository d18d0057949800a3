/** The demo: a local chain with steady token traffic, the service that indexes and serves it, and some calls to try. */
import { setTimeout as pause } from "node:timers/promises"
import { launcherGone } from "../src/app/launchers.ts"
import { startAnvilNode } from "./chain/anvil.ts"
import { mineBlock, type Transaction } from "./chain/blocks.ts"
import { stopChildren } from "./chain/child.ts"
import { deployDemoChain } from "./chain/deploy.ts"
import { traffic } from "./chain/traffic.ts"
import { invitation } from "./invitation.ts"
import { type DemoService, isFree, startDemoService } from "./service.ts"

/** Blocks that are there before the service starts, spread over the days before now; and the pace afterwards. */
const pastBlocks = 300
const pastSeconds = 4 * 24 * 3600
const secondsPerBlock = 2
const secondsPerStatus = process.stdout.isTTY ? 2 : 60

// Not open to the network unless asked.
const host = process.env.HOST || "127.0.0.1"
const port = Number(process.env.PORT || 3000)
const isPort = Number.isInteger(port) && port > 0 && port < 65_536

let ending: Promise<void> | undefined

/** Stops all that was started, then this process. */
const end = (code: number): void => {
  ending ??= stopChildren().then(() => process.exit(code))
}

const main = async () => {
  if (!isPort) throw new Error(`PORT is "${process.env.PORT}": a number from 1 to 65535 is wanted.`)
  if (!(await isFree(host, port)))
    throw new Error(`Port ${port} is taken. Set PORT to another one, such as PORT=${port + 1}, and start again.`)
  console.log("Starting a local chain, compiling and deploying the contracts …")
  // Without base fees nothing is burnt on the way: the native supply is what the accounts began with.
  const fees = ["--block-base-fee-per-gas", "0"]
  const { url } = await startAnvilNode(["--timestamp", `${now() - pastSeconds}`, ...fees])
  const chain = await deployDemoChain(url, now() - pastSeconds + 1)
  console.log(`Mining ${pastBlocks} blocks of traffic, starting the service and its database …`)
  const blocks = traffic(now(), chain)
  const [service] = await Promise.all([startDemoService(chain, host, port), minePast(url, blocks)])
  console.log(invitation(service.url, chain, pastBlocks / 2))
  await Promise.race([keepMining(url, blocks), keepTelling(service), failWhenEnded(service)])
}

type Blocks = Iterator<ReadonlyArray<Transaction>>

const now = () => Math.floor(Date.now() / 1000)

/** Seconds before now of the block with which so many are left: the nearer to now, the denser. */
const agoOf = (left: number) => Math.floor(pastSeconds * (left / (pastBlocks + 1)) ** 1.5)

const minePast = async (url: string, blocks: Blocks) => {
  for (let left = pastBlocks; left > 0; left--) await mineBlock(url, blocks.next().value!, now() - agoOf(left))
}

const keepMining = async (url: string, blocks: Blocks) => {
  for (let time = now(); ; time = Math.max(time + 1, now())) {
    await mineBlock(url, blocks.next().value!, time)
    await pause(secondsPerBlock * 1000)
  }
}

/** One line: rewritten on a terminal, a new one now and then elsewhere. */
const keepTelling = async ({ url }: DemoService) => {
  while (true) {
    await pause(secondsPerStatus * 1000)
    const response = await fetch(`${url}/v2/network/mainnet/evm/31337/erc20-transfers?limit=1&count=true`)
    if (!response.ok) continue
    const { count } = (await response.json()) as { count: number }
    const block = response.headers.get("x-as-of-block")?.split(":")[1]
    const line = `${new Date().toLocaleTimeString("en-GB")}  block ${block}, ${count} transfers indexed`
    process.stdout.write(process.stdout.isTTY ? `\r${line}` : `${line}\n`)
  }
}

const failWhenEnded = async ({ ended }: DemoService) => {
  throw new Error(`The service ended:\n${await ended}`)
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => end(0))
launcherGone("demo").then(() => end(0))
main().catch((error) => {
  // What was under way when the end came fails, and that is no news.
  if (ending === undefined)
    console.error(`${process.stdout.isTTY ? "\n" : ""}${error instanceof Error ? error.message : error}`)
  end(1)
})
