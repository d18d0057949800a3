/** Uniswap V2, as its authors publish it: the factory's code, and the pairs it makes. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { encode } from "./abi.ts"
import { type Address, addressOf } from "./address.ts"
import { mineBlock } from "./blocks.ts"
import { callBatch } from "./rpc.ts"

/** An ERC-20 contract itself: its tokens are shares of the pool. */
export interface Pair {
  readonly address: Address
  readonly tokens: readonly [Address, Address]
}

/** Creation bytecode. The contracts were compiled for an older EVM, whose code today's still runs. */
export const factoryBytecode = (): `0x${string}` => {
  const path = createRequire(import.meta.url).resolve("@uniswap/v2-core/build/UniswapV2Factory.json")
  return `0x${(JSON.parse(readFileSync(path, "utf8")) as { bytecode: string }).bytecode}`
}

const pairCreated = "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9"

/** Has the factory make a pair of each two tokens, in one block (at `time`, seconds); in order. */
export const createPairs = async (
  url: string,
  from: string,
  factory: Address,
  tokens: ReadonlyArray<readonly [Address, Address]>,
  time?: number,
): Promise<ReadonlyArray<Pair>> => {
  const creations = tokens.map((both) => ({ from, to: factory, data: encode("createPair", both) }))
  const hashes = await mineBlock(url, creations, time)
  const receipts = await callBatch<{ logs: ReadonlyArray<{ topics: ReadonlyArray<string>; data: string }> }>(
    url,
    hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
  )
  return receipts.map(({ logs }, index) => {
    const created = logs.find(({ topics }) => topics[0] === pairCreated)
    if (created === undefined) throw new Error("A pair could not be created.")
    return { address: addressOf(`0x${created.data.slice(26, 66)}`), tokens: tokens[index]! }
  })
}
