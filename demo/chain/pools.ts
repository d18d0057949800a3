/** Uniswap V3, as its authors publish it: the factory's code, and a pool that it makes. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { encode } from "./abi.ts"
import { type Address, addressOf } from "./address.ts"
import { createdContracts, mineBlock } from "./blocks.ts"
import { callBatch } from "./rpc.ts"

/** No ERC-20: who provides has a position, not shares. */
export interface Pool {
  readonly address: Address
  /** In the pool's own order. */
  readonly tokens: readonly [Address, Address]
}

const factoryBytecode = (): `0x${string}` => {
  const path = createRequire(import.meta.url).resolve(
    "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
  )
  return (JSON.parse(readFileSync(path, "utf8")) as { bytecode: `0x${string}` }).bytecode
}

/** Creates the factory in a block of its own (at `time`, seconds). */
export const createPoolFactory = async (url: string, from: string, time?: number): Promise<Address> => {
  const created = await createdContracts(url, await mineBlock(url, [{ from, data: factoryBytecode() }], time))
  return addressOf(created[0]!)
}

const poolCreated = "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118"

/** Has the factory make a pool of two tokens with a fee in millionths (0.3 %), in one block (at `time`, seconds). It has no price yet. */
export const createPool = async (
  url: string,
  from: string,
  factory: Address,
  [one, other]: readonly [Address, Address],
  time?: number,
  fee = 3000,
): Promise<Pool> => {
  const hashes = await mineBlock(url, [{ from, to: factory, data: encode("createPool", [one, other, fee]) }], time)
  const [receipt] = await callBatch<{ logs: ReadonlyArray<{ topics: ReadonlyArray<string>; data: string }> }>(url, [
    { method: "eth_getTransactionReceipt", params: [hashes[0]] },
  ])
  const created = receipt!.logs.find(({ topics }) => topics[0] === poolCreated)
  if (created === undefined) throw new Error("A pool could not be created.")
  return { address: addressOf(`0x${created.data.slice(90, 130)}`), tokens: one < other ? [one, other] : [other, one] }
}

/** The widest range of prices that a fee of 0.3 % allows. */
export const widest = [-887_220, 887_220] as const

/** The price at which so much of token1 is worth so much of token0, as the pool writes it: √(token1 / token0) · 2⁹⁶. */
export const rootPrice = (amount0: bigint, amount1: bigint): bigint => root((amount1 << 192n) / amount0)

/** The liquidity of the widest range that holds so much of both. */
export const liquidityOf = (amount0: bigint, amount1: bigint): bigint => root(amount0 * amount1)

/** The whole part of the square root. */
const root = (square: bigint): bigint => {
  let found = 1n << BigInt(Math.ceil(square.toString(2).length / 2))
  while (found * found > square) found = (found + square / found) / 2n
  return found
}
