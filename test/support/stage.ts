/** A chain with every demo token, every strange contract and varied traffic, for the service to be judged on. */
import { encodeFunctionData, parseAbi } from "viem"
import { encode } from "../../demo/chain/abi.ts"
import type { Transaction } from "../../demo/chain/blocks.ts"
import { compile } from "../../demo/chain/compile.ts"
import { type DemoChain, deployDemoChain } from "../../demo/chain/deploy.ts"
import { randomOf } from "../../demo/chain/random.ts"
import { traffic } from "../../demo/chain/traffic.ts"
import { deployStrangeContracts, startAnvil, type TestNode } from "./anvil.ts"
import { foldTruth, nobody, type Truth } from "./truth.ts"

export interface Stage {
  readonly node: TestNode
  readonly chain: DemoChain
  readonly strange: Awaited<ReturnType<typeof deployStrangeContracts>>
  /** Tokens whose events tell the truth. */
  readonly honest: ReadonlyArray<string>
  /** The transactions of the next block. */
  readonly next: () => ReadonlyArray<Transaction>
  /** Mines that many blocks of traffic. */
  readonly play: (blocks: number) => Promise<void>
  readonly headHash: () => Promise<string>
  readonly truth: () => Promise<Truth>
  /** Settings that point the service here, at a fresh pace. */
  readonly env: Record<string, string>
}

export const setStage = async (seed: number): Promise<Stage> => {
  const node = await startAnvil()
  try {
    await Promise.all(["demo/contracts", "test/support/contracts"].map(compile))
    const chain = await deployDemoChain(node.url)
    const strange = await deployStrangeContracts(node.url)
    const ordinary = traffic(seed, chain)
    const odd = strangeTraffic(seed, chain, strange)
    const next = () => [...ordinary.next().value!, ...odd.next().value!]
    const wrapped = chain.tokens.wrapped
    return {
      node,
      chain,
      strange,
      honest: [...Object.values(chain.tokens), strange.nameless, strange.garbled],
      next,
      play: async (blocks) => {
        for (let mined = 0; mined < blocks; mined++) await node.mine(next())
      },
      headHash: async () => (await node.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false])).hash,
      truth: () => foldTruth(node.url, wrapped),
      env: { RPC_URL_31337: node.url, WRAPPED_NATIVE_31337: wrapped, POLL_MS_31337: "50", FINALITY_31337: "20" },
    }
  } catch (error) {
    await node.stop()
    throw error
  }
}

const strangeAbi = parseAbi([
  "function pretend(address from, address to, uint256 amount)",
  "function emitAll()",
  "function emitBoth()",
  "function mint(address to)",
])

/** Now and then something that no ordinary token does. */
function* strangeTraffic(
  seed: number,
  chain: DemoChain,
  strange: Stage["strange"],
): Generator<ReadonlyArray<Transaction>> {
  const random = randomOf(seed + 1)
  const data = <Name extends "pretend" | "emitAll" | "emitBoth" | "mint">(functionName: Name, args: unknown[] = []) =>
    encodeFunctionData({ abi: strangeAbi, functionName, args } as never)
  const [first] = chain.accounts
  yield [strange.nameless, strange.garbled].map((to) => ({ from: first!, to, data: encode("mint", [first!, 1000n]) }))
  while (true) {
    const from = random.pick(chain.accounts)
    const to = random.pick(chain.accounts)
    yield random.pick([
      () => [],
      () => [],
      () => [],
      () => [],
      () => [{ from, to: strange.nameless, data: encode("mint", [to, random.amount(100)]) }],
      () => [
        { from, to: strange.garbled, data: encode("mint", [nobodyOr(random.chance(0.3), to), random.amount(100)]) },
      ],
      () => [{ from, to: strange.lying, data: data("pretend", [from, to, random.amount(200)]) }],
      () => [
        { from, to: strange.malformed, data: data("emitAll") },
        { from, to: strange.bank, data: data("emitBoth") },
      ],
      () => [
        { from, to: strange.collectible, data: data("mint", [to]) },
        { from, to: strange.items, data: encode("mint", [to, 3n]) },
      ],
    ])()
  }
}

const nobodyOr = (isNobody: boolean, address: string) => (isNobody ? nobody : address) as `0x${string}`
