/** A small chain and a node for the tests of `cowry resync`: what it says by the settings before, and by changed ones. */
import { setTimeout as pause } from "node:timers/promises"
import type { Address } from "../../src/model/primitives.ts"
import { prefix, startService as startReference, store } from "../http/support.ts"
import { address, deposit, TestChain, transfer } from "./chain/testChain.ts"
import { replayOf, withReceipts } from "./nodes/replayChain.ts"
import { startReplayNode } from "./nodes/replayNode.ts"
import type { Service } from "./service.ts"

export const chainId = "43114"
/** Blocks that the node shows at first; there are twice as many. */
export const past = 300
const firstBlock = 100
const [kept, left, weth] = [0x7001, 0x7002, 0x7003].map(address) as [Address, Address, Address]
const person = (n: number) => address(0xa000 + n)

/** In each block a transfer of both tokens, and a deposit. From `forkAt` on it is another fork's. */
const busyChain = (forkAt: number): TestChain => {
  const chain = new TestChain(new Set([weth]))
  for (let block = 0; block < 2 * past; block++) {
    const [from, to] = [person(block % 7), person(block % 11)]
    const events = [
      transfer(kept, block < 20 ? address(0) : from, to, 1000n),
      transfer(left, block % 5 === 0 ? address(0) : from, to, BigInt(block)),
      deposit(weth, to, 10n),
    ]
    chain.block(events, block < forkAt ? {} : { salt: "another fork" })
  }
  return chain
}

/** Settings that make another ledger of the same chain. */
export const changed = {
  [`START_BLOCK_${chainId}`]: `${firstBlock}`,
  [`TOKENS_${chainId}`]: `${kept},${weth}`,
  [`WRAPPED_NATIVE_${chainId}`]: weth,
}
export const unchanged = { [`WRAPPED_NATIVE_${chainId}`]: "none" }

export const paths = [
  "/erc20?count=true",
  "/erc20-transfers?limit=1000&count=true",
  // Walked in a transaction of several statements.
  `/erc20-transfers?address=${person(3)}&limit=100`,
  `/erc20/${kept}/holders?count=true`,
  `/erc20/${weth}/holders?count=true`,
].map((path) => prefix(chainId) + path)

export const answersOf = (service: Pick<Service, "get">): Promise<ReadonlyArray<unknown>> =>
  Promise.all(paths.map((path) => service.get<unknown>(path)))

/** The chain behind a node that shows it up to a block; where `forkAt` is given, another fork of it from there on. */
export const startWorld = (forkAt = Number.POSITIVE_INFINITY) => {
  const chain = busyChain(forkAt)
  // Receipts prove what a block holds: what is read of them must be what is read of its logs.
  const whole = withReceipts(replayOf(chainId, chain))
  let shown = past - 1
  const visible = {
    ...whole,
    get head() {
      return shown
    },
    find: (key: number | string) => {
      const block = whole.find(key)
      return block !== undefined && block.number <= shown ? block : undefined
    },
    withLogs: (from: number, to: number) => whole.withLogs(from, Math.min(to, shown)),
  }
  const node = startReplayNode(visible, { mostBlocks: 20 })
  return {
    node,
    /** Hash of the newest block that is shown. */
    head: () => chain.blocks[shown]!.header.hash,
    show: (blocks: number) => {
      shown = Math.min(shown + blocks, chain.blocks.length - 1)
    },
    settings: (more: Record<string, string>) => ({
      [`RPC_URL_${chainId}`]: node.url,
      [`POLL_MS_${chainId}`]: "50",
      [`FINALITY_${chainId}`]: "20",
      PRICES: "off",
      ...more,
    }),
    /** What is to be answered up to the newest block that is shown, by the changed settings. */
    truth: async () => {
      const part = new TestChain(new Set([weth]), firstBlock)
      for (const block of chain.blocks.slice(firstBlock, shown + 1)) {
        part.blocks.push({ ...block, movements: block.movements.filter(({ token }) => token !== left) })
      }
      const reference = await startReference()
      await store(reference, chainId, part)
      const answers = await Promise.all(paths.map(async (path) => (await reference.get(path)).body))
      await reference.close()
      return answers as ReadonlyArray<unknown>
    },
  }
}

/** Asks again and again; each answer must be one of those that are allowed, whole. */
export const hammer = (service: Service, allowed: ReadonlyArray<ReadonlyArray<unknown>>) => {
  const seen = allowed.map(() => 0)
  let going = true
  const ask = async (path: string, place: number) => {
    while (going) {
      const answer = await service.get<unknown>(path)
      const which = allowed.findIndex((answers) => Bun.deepEquals(answers[place], answer))
      if (which < 0) throw new Error(`${path} answers otherwise: ${JSON.stringify(answer).slice(0, 500)}`)
      seen[which]!++
      await pause(3)
    }
  }
  const all = Promise.all(paths.map(ask))
  return {
    /** Goes on until each path was answered by the last set; rejects where one answer was none of them. */
    end: async (): Promise<void> => {
      const last = allowed.at(-1)!
      for (const [place, path] of paths.entries()) {
        while (!Bun.deepEquals(await service.get<unknown>(path), last[place])) await Promise.race([all, pause(10)])
      }
      going = false
      await all
    },
    /** How often each set came so far. */
    seen,
  }
}

/** How the chain is doing, by `/ready`. */
export const stateOf = async (service: Service) => {
  const response = await fetch(`${service.url}/ready`)
  const body = (await response.json()) as { readonly chains: ReadonlyArray<{ phase: string; problem?: string }> }
  return body.chains[0]!
}

export const untilPhase = async (service: Service, phase: string) => {
  for (;;) {
    const state = await stateOf(service)
    if (state.phase === phase) return state
    await pause(50)
  }
}
