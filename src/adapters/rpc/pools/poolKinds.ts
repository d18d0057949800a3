/** Of what kind a pool is, by the functions that it has. Pure. */
import { addressAt } from "../../../domain/ingest/decode/abi.ts"
import type { Address } from "../../../model/primitives.ts"
import type { ViewCall } from "../contracts/multicall.ts"
import { abiWords, signedOf } from "../wire/abi.ts"

/** `held`: of Uniswap V2 kind. */
export type PoolKind = "held" | Concentrated

/** How the pools of one kind are asked; all else is the same in Uniswap's V3 and what was made after it. */
export interface Dialect {
  /** `slot0()`, `globalState()`: the price and the tick come first. */
  readonly state: string
  /** `tickBitmap(int16)`, `tickTable(int16)` */
  readonly bitmap: string
  /** A bit for each tick that the spacing allows, a bit for each tick; Algebra has had both. */
  readonly isSpaced: ReadonlyArray<boolean>
}

export interface Concentrated {
  readonly dialect: Dialect
  readonly token0: Address
  readonly token1: Address
  /** Liquidity begins and ends at multiples of it alone. */
  readonly spacing: number
}

/** Uniswap V3, and those of PancakeSwap, SushiSwap and Velodrome. */
export const uniswap: Dialect = { state: "0x3850c7bd", bitmap: "0x5339c296", isSpaced: [true] }
const algebra: Dialect = { state: "0xe76c01e4", bitmap: "0xc677e3e0", isSpaced: [true, false] }

const selectors = {
  token0: "0x0dfe1681",
  token1: "0xd21220a7",
  spacing: "0xd0c93a7c",
  reserves: "0x0902f1ac",
  stable: "0x22be3de1",
}
const mostSpacing = 32_767n

/** What is asked of a pool to know its kind. */
export const kindCalls = (to: Address): ReadonlyArray<ViewCall> =>
  [
    uniswap.state,
    algebra.state,
    selectors.reserves,
    selectors.token0,
    selectors.token1,
    selectors.spacing,
    selectors.stable,
  ].map((data) => ({ to, data }))

/** Whether a function answers that tells the price or the reserves: of a pool of any kind that we know one does. */
export const saysState = (data: ReadonlyArray<string>): boolean => data.slice(0, 3).some((answer) => answer !== "0x")

/** `data`: answers to `kindCalls`. Undefined = none that we know; "silent" = no function answers, not even those that each has. */
export const kindOf = (data: ReadonlyArray<string>): PoolKind | "silent" | undefined => {
  if (data.every((answer) => answer === "0x")) return "silent"
  const [slot0, globalState, reserves, token0, token1, spacing, stable] = data as Answers
  const has = (answer: string) => abiWords(answer).length >= 2
  const dialect = has(slot0) ? uniswap : has(globalState) ? algebra : undefined
  // Algebra has getReserves too, of two words.
  if (dialect === undefined) {
    // Solidly's pools for stable pairs look the same, but their price is not the ratio of what they hold.
    const isProduct = (abiWords(stable)[0] ?? 0n) === 0n
    return isProduct && abiWords(reserves).length === 3 ? "held" : undefined
  }
  const tokens = [addressAt(token0), addressAt(token1)]
  const [step = 0n] = abiWords(spacing).map(signedOf)
  if (tokens[0] === undefined || tokens[1] === undefined || step < 1n || step > mostSpacing) return undefined
  return { dialect, token0: tokens[0], token1: tokens[1], spacing: Number(step) }
}

type Answers = readonly [string, string, string, string, string, string, string]
