/** A real EVM node for tests: mines on demand, forgets on demand, and stops without a trace. */

import type { Address } from "../../../demo/chain/address.ts"
import { startAnvilNode } from "../../../demo/chain/anvil.ts"
import { mineBlock, type Transaction } from "../../../demo/chain/blocks.ts"
import { compile } from "../../../demo/chain/compile.ts"
import { createContracts } from "../../../demo/chain/deploy.ts"
import type { Rpc } from "../../../demo/chain/rpc.ts"

export interface TestNode {
  readonly url: string
  readonly rpc: Rpc
  /** Mines one block holding `transactions`; `time` in seconds. */
  readonly mine: (transactions?: ReadonlyArray<Transaction>, time?: number) => Promise<void>
  /** Mines `count` empty blocks. */
  readonly mineEmpty: (count: number) => Promise<void>
  readonly head: () => Promise<number>
  /** Remembers the chain as it is; `revert` goes back there, once. */
  readonly snapshot: () => Promise<string>
  readonly revert: (snapshot: string) => Promise<void>
  /** Replaces the newest `depth` blocks by as many others, the first of which holds `transactions`. */
  readonly reorg: (depth: number, transactions?: ReadonlyArray<Transaction>) => Promise<void>
  readonly stop: () => Promise<unknown>
}

/** Chain id 31337. `args` are more of anvil's own arguments. */
export const startAnvil = async (options: { readonly args?: ReadonlyArray<string> } = {}): Promise<TestNode> => {
  const { url, rpc, stop } = await startAnvilNode(options.args)
  return {
    url,
    rpc,
    stop,
    mine: async (transactions = [], time) => {
      await mineBlock(url, transactions, time)
    },
    mineEmpty: async (count) => {
      await rpc("anvil_mine", [`0x${count.toString(16)}`])
    },
    head: async () => Number(await rpc("eth_blockNumber")),
    snapshot: () => rpc("evm_snapshot"),
    revert: async (snapshot) => {
      if (!(await rpc<boolean>("evm_revert", [snapshot]))) throw new Error(`There is no snapshot ${snapshot}.`)
    },
    reorg: async (depth, transactions = []) => {
      const pairs = transactions.map(({ from, to, data = "0x", value = 0n }) => [
        { from, ...(to === undefined ? {} : { to }), data, value: `0x${value.toString(16)}`, gas: "0x7a1200" },
        0,
      ])
      await rpc("anvil_reorg", [depth, pairs])
    },
  }
}

export type Strange = Awaited<ReturnType<typeof deployStrangeContracts>>

/** Contracts that misbehave (`contracts/Strange.sol`), all made in one block. */
export const deployStrangeContracts = async (url: string) => {
  const contracts = await compile("test/support/contracts")
  const names = [
    "NamelessToken",
    "GarbledToken",
    "LyingToken",
    "MalformedToken",
    "Bank",
    "Collectible",
    "Items",
    "Census",
    "Parrot",
  ]
  const created = await createContracts(
    url,
    contracts,
    names.map((name) => ({ name })),
  )
  const [nameless, garbled, lying, malformed, bank, collectible, items, census, parrot] = created as [
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
  ]
  return { nameless, garbled, lying, malformed, bank, collectible, items, census, parrot }
}
