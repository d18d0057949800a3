/** A chain with every demo contract, every strange one and varied traffic, for the service to be judged on. */
import { encode } from "../../../demo/chain/abi.ts"
import { type Address, addressOf } from "../../../demo/chain/address.ts"
import type { Transaction } from "../../../demo/chain/blocks.ts"
import { compile } from "../../../demo/chain/compile.ts"
import { type DemoChain, deployDemoChain } from "../../../demo/chain/deploy.ts"
import { randomOf } from "../../../demo/chain/random.ts"
import { traffic } from "../../../demo/chain/traffic.ts"
import { foldTruth, nobody, type Truth } from "../judge/truth.ts"
import { deployStrangeContracts, type Strange, startAnvil, type TestNode } from "../nodes/anvil.ts"
import { strangeTraffic } from "./strangeTraffic.ts"

export interface Stage {
  readonly node: TestNode
  readonly chain: DemoChain
  readonly strange: Strange
  /** ERC-20 contracts whose events tell the truth. */
  readonly honest: ReadonlyArray<string>
  /** ERC-721 contracts that answer `ownerOf`, those that count in `balanceOf` first. */
  readonly collections: ReadonlyArray<string>
  /** ERC-1155 contracts whose events tell the truth. */
  readonly goods: ReadonlyArray<string>
  /** The transactions of the next block. */
  readonly next: () => ReadonlyArray<Transaction>
  /** Mines that many blocks of traffic, some of them hours after the one before. */
  readonly play: (blocks: number) => Promise<void>
  readonly headHash: () => Promise<string>
  readonly truth: () => Promise<Truth>
  /** Settings that point the service here, at a fresh pace. */
  readonly env: Record<string, string>
}

/** Seconds; the chain's clock is its own. */
const start = 1_750_000_000

export const setStage = async (seed: number): Promise<Stage> => {
  const node = await startAnvil({ args: ["--timestamp", `${start}`] })
  try {
    await Promise.all(["demo/contracts", "test/support/contracts"].map(compile))
    const chain = await deployDemoChain(node.url, start + 10)
    const strange = await deployStrangeContracts(node.url)
    const ordinary = traffic(seed, chain)
    const odd = strangeTraffic(seed, chain, strange)
    const random = randomOf(seed + 2)
    // What chance may leave out of a short chain: an id that its log takes from another than its owner.
    const [first, second, third] = chain.accounts as [Address, Address, Address]
    const claim = (from: Address, to: Address) => ({
      from: first,
      to: chain.collections.careless,
      data: encode("claim", [from, to, 7n]),
    })
    const certain = [claim(addressOf(nobody), first), claim(second, third)]
    const next = () => [...certain.splice(0), ...ordinary.next().value!, ...odd.next().value!]
    const head = () => node.rpc<{ hash: string; timestamp: string }>("eth_getBlockByNumber", ["latest", false])
    const wrapped = chain.tokens.wrapped
    const { cards, members, careless } = chain.collections
    return {
      node,
      chain,
      strange,
      honest: [
        ...Object.values(chain.tokens),
        ...chain.pairs.map(({ address }) => address),
        chain.mixed,
        strange.nameless,
        strange.garbled,
      ],
      collections: [cards, members, careless, strange.collectible, chain.mixed],
      goods: [chain.goods, chain.mixed, strange.items],
      next,
      play: async (blocks) => {
        for (let mined = 0; mined < blocks; mined++) {
          const pause = random.chance(0.15) ? random.below(26 * 3600) : random.below(30)
          await node.mine(next(), Number((await head()).timestamp) + 1 + pause)
        }
      },
      headHash: async () => (await head()).hash,
      truth: () => foldTruth(node.url, wrapped),
      env: { RPC_URL_31337: node.url, WRAPPED_NATIVE_31337: wrapped, POLL_MS_31337: "50", FINALITY_31337: "20" },
    }
  } catch (error) {
    await node.stop()
    throw error
  }
}
