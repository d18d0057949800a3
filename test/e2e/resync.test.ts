/** `cowry resync` and `cowry drop` as an operator runs them: beside services that answer, killed at any instant. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { prefix } from "../http/support.ts"
import { runCommand, startCommand } from "../support/command.ts"
import { testDatabase } from "../support/postgres.ts"
import { replayOf } from "../support/replayChain.ts"
import { type ReplayNode, startReplayNode } from "../support/replayNode.ts"
import { type Service, startService } from "../support/service.ts"
import { address, deposit, TestChain, transfer } from "../support/testChain.ts"

const chainId = "43114"
const past = 300
const [a, b, weth] = [address(0x7001), address(0x7002), address(0x7003)]
const person = (n: number) => address(0xa000 + n)

/** In each block a transfer of both tokens, and a deposit. */
const chain = new TestChain(new Set([weth]))
for (let block = 0; block < 2 * past; block++) {
  const [from, to] = [person(block % 7), person(block % 11)]
  chain.block([
    transfer(a, block < 20 ? address(0) : from, to, 1000n),
    transfer(b, block % 5 === 0 ? address(0) : from, to, BigInt(block)),
    deposit(weth, to, 10n),
  ])
}

/** The node shows the chain up to `shown`. */
let shown = past - 1
let node: ReplayNode
const hashOf = (block: number): string => chain.blocks[block]!.header.hash

beforeAll(() => {
  const whole = replayOf(chainId, chain)
  node = startReplayNode(
    {
      ...whole,
      get head() {
        return shown
      },
      find: (key: number | string) => {
        const block = whole.find(key)
        return block !== undefined && block.number <= shown ? block : undefined
      },
      withLogs: (from: number, to: number) => whole.withLogs(from, Math.min(to, shown)),
    },
    { mostBlocks: 20 },
  )
})
afterAll(() => node.stop())

const settings = (databaseUrl: string | undefined, more: Record<string, string> = {}) => ({
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  [`RPC_URL_${chainId}`]: node.url,
  [`POLL_MS_${chainId}`]: "50",
  [`FINALITY_${chainId}`]: "20",
  PRICES: "off",
  ...more,
})
const changed = {
  [`START_BLOCK_${chainId}`]: "100",
  [`TOKENS_${chainId}`]: `${a},${weth}`,
  [`WRAPPED_NATIVE_${chainId}`]: weth,
}

const paths = [
  "/erc20?count=true",
  "/erc20-transfers?limit=1000&count=true",
  `/erc20-transfers?address=${person(3)}&limit=100`,
  `/erc20/${a}/holders?count=true`,
  `/erc20/${weth}/holders?count=true`,
].map((path) => prefix(chainId) + path)
const answersOf = (service: Service) => Promise.all(paths.map((path) => service.get(path)))

/** Asks again and again; each answer must be one of those that are allowed, whole. Gives how often each came. */
const hammer = (service: Service, allowed: ReadonlyArray<ReadonlyArray<unknown>>) => {
  const texts = allowed.map((answers) => answers.map((answer) => JSON.stringify(answer)))
  const seen = allowed.map(() => 0)
  let going = true
  const ask = async (path: string, place: number) => {
    while (going) {
      const text = JSON.stringify(await service.get(path))
      const which = texts.findIndex((answers) => answers[place] === text)
      if (which < 0) throw new Error(`${path} answers neither as before nor as after: ${text.slice(0, 500)}`)
      seen[which]!++
    }
  }
  const all = Promise.all(paths.map(ask))
  return {
    end: async () => {
      going = false
      await all
      return seen
    },
  }
}

/** What a service says that has built the chain with these settings from nothing. */
const referenceOf = async (more: Record<string, string>, head: number) => {
  const service = await startService(settings(await testDatabase(), more))
  await service.indexed(chainId, hashOf(head))
  const answers = await answersOf(service)
  await service.stop()
  return answers
}

const readyOf = async (service: Service) => {
  const response = await fetch(`${service.url}/ready`)
  const body = (await response.json()) as { chains: Array<{ phase: string; problem?: string }> }
  return body.chains[0]!
}
const untilPhase = async (service: Service, phase: string) => {
  let state = await readyOf(service)
  while (state.phase !== phase) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    state = await readyOf(service)
  }
  return state
}

test("a chain is built anew beside services that answer, old ones wholly until the swap and new ones wholly after it", async () => {
  const url = await testDatabase()
  const older = await startService(settings(url))
  await older.indexed(chainId, hashOf(shown))
  const before = await answersOf(older)
  const after = await referenceOf(changed, shown)
  expect(after).not.toEqual(before)

  const newer = await startService(settings(url, changed))
  const { problem } = await untilPhase(newer, "stopped")
  expect(problem).toContain(`cowry resync ${chainId}`)
  expect(await answersOf(newer)).toEqual(before)

  const readers = [older, newer].map((service) => hammer(service, [before, after]))
  const run = await runCommand(["resync", chainId], settings(url, changed))
  expect(run).toMatchObject({ code: 0, output: expect.stringContaining("done. The new ledger stands at block 299") })
  for (const reader of readers) {
    const [old, now] = await reader.end()
    expect(old).toBeGreaterThan(0)
    expect(now).toBeGreaterThanOrEqual(0)
  }
  expect(await answersOf(older)).toEqual(after)

  // The one that still followed the old ledger must not write to the new one; the other may, and does.
  shown += 20
  expect((await untilPhase(older, "stopped")).problem).toContain("START_BLOCK_43114 was 100, is 0")
  await newer.indexed(chainId, hashOf(shown))
  const grown = await referenceOf(changed, shown)
  expect(await answersOf(newer)).toEqual(grown)
  expect(await answersOf(older)).toEqual(grown)
  await Promise.all([older.stop(), newer.stop()])
}, 60_000)
