/** The liquidity of concentrated pools around their prices: price, bitmap, ticks, asked in three rounds of one state. */
import { Effect } from "effect"
import { type Change, type Curve, nearTicks } from "../../../domain/prices/nearDepth.ts"
import { maxTick, minTick, rootAt } from "../../../domain/prices/ticks.ts"
import type { Address } from "../../../model/primitives.ts"
import type { ViewCall } from "../contracts/multicall.ts"
import type { AskState } from "../contracts/view.ts"
import { abiWord, abiWords, signedOf } from "../wire/abi.ts"
import { type Concentrated, uniswap } from "./poolKinds.ts"

export interface ConcentratedPool {
  readonly pool: Address
  readonly kind: Concentrated
}

/** Ticks that are asked about in one go, and those of one more pool: each says some 600 bytes. */
const ticksAtOnce = 2000
const mostLiquidity = 2n ** 128n

export const liquiditySelector = "0x1a686502"
const ticksSelector = "0xf30dba93"

/** In order; undefined = what the pool says cannot be, "silent" = it says nothing. `ask` asks one state. */
export const curvesOf = Effect.fnUntraced(function* (ask: AskState, pools: ReadonlyArray<ConcentratedPool>) {
  /** What the calls of each pool return, in order. */
  const askEach = Effect.fnUntraced(function* (calls: ReadonlyArray<ReadonlyArray<ViewCall>>) {
    const data = yield* ask(calls.flat())
    let next = 0
    return calls.map(({ length }) => {
      next += length
      return data.slice(next - length, next)
    })
  })
  const said = yield* askEach(
    pools.map(({ pool: to, kind: { dialect } }) => [dialect.state, liquiditySelector].map((data) => ({ to, data }))),
  )
  const prices = said.map(priceOf)
  const rows = pools.map(({ kind }, place) => rowsNear(kind, prices[place]))
  const words = yield* askEach(
    pools.map(({ pool: to, kind }, place) =>
      rows[place]!.map(({ row }) => ({ to, data: kind.dialect.bitmap + abiWord(row) })),
    ),
  )
  const marked = pools.map((_, place) => markedTicks(prices[place], rows[place]!, words[place]!))
  const curves: Array<FoundCurve> = []
  while (curves.length < pools.length) {
    const from = curves.length
    let [to, count] = [from, 0]
    for (; to < pools.length && count < ticksAtOnce; to++) count += marked[to]?.length ?? 0
    const some = pools.slice(from, to)
    const data = yield* askEach(
      some.map(({ pool }, place) =>
        (marked[from + place] ?? []).map((tick) => ({ to: pool, data: ticksSelector + abiWord(tick) })),
      ),
    )
    for (const [place, { kind }] of some.entries()) {
      const [price, ticks] = [prices[from + place], marked[from + place]]
      const changes = ticks && changesOf(kind, ticks, data[place]!)
      const isSilent = said[from + place]!.every((answer) => answer === "0x")
      if (isSilent) curves.push("silent")
      else curves.push(price === undefined || changes === undefined ? undefined : { ...price, changes })
    }
  }
  return curves
})

export type FoundCurve = Curve | "silent" | undefined

type Price = Pick<Curve, "root" | "tick" | "liquidity">

const priceOf = ([state, own]: ReadonlyArray<string>): Price | undefined => {
  const [root, tick] = abiWords(state!)
  const [liquidity] = abiWords(own!)
  if (root === undefined || tick === undefined || liquidity === undefined || liquidity >= mostLiquidity)
    return undefined
  const at = Number(signedOf(tick))
  if (!(at >= minTick && at < maxTick) || root < rootAt(at) || root > rootAt(at + 1)) return undefined
  return { root, tick: at, liquidity }
}

interface Row {
  readonly row: number
  /** Between two ticks that have bits beside each other. */
  readonly step: number
}

/** The words of the bitmap that hold the ticks near the price. */
const rowsNear = ({ dialect, spacing }: Concentrated, price: Price | undefined): ReadonlyArray<Row> => {
  if (price === undefined) return []
  const { lowest, highest } = nearTicks(price.tick)
  return dialect.isSpaced.flatMap((isSpaced) => {
    const step = isSpaced ? spacing : 1
    const first = Math.floor(lowest / step) >> 8
    const last = Math.floor(highest / step) >> 8
    return Array.from({ length: last - first + 1 }, (_, place) => ({ row: first + place, step }))
  })
}

/** Ticks near the price that have a bit, ascending; undefined = the words cannot be. */
const markedTicks = (
  price: Price | undefined,
  rows: ReadonlyArray<Row>,
  words: ReadonlyArray<string>,
): ReadonlyArray<number> | undefined => {
  if (price === undefined) return undefined
  const near = nearTicks(price.tick)
  const found = new Set<number>()
  for (const [place, { row, step }] of rows.entries()) {
    const [bits, ...more] = abiWords(words[place]!)
    if (bits === undefined || more.length > 0) return undefined
    for (let rest = bits, bit = 0; rest > 0n; rest >>= 1n, bit++) {
      const tick = (row * 256 + bit) * step
      if ((rest & 1n) === 1n && tick >= near.lowest && tick <= near.highest) found.add(tick)
    }
  }
  return [...found].sort((a, b) => a - b)
}

/** Undefined = the ticks cannot be. */
const changesOf = (
  { dialect }: Concentrated,
  ticks: ReadonlyArray<number>,
  data: ReadonlyArray<string>,
): ReadonlyArray<Change> | undefined => {
  const changes: Array<Change> = []
  for (const [place, tick] of ticks.entries()) {
    const [gross, net] = abiWords(data[place]!)
    if (gross === undefined || net === undefined) return undefined
    // Where a bit may mean one of two ticks, one of the two is none.
    if (gross === 0n && dialect !== uniswap) continue
    if (gross === 0n) return undefined
    changes.push({ tick, net: signedOf(net) })
  }
  return changes
}
