/** Points of a portfolio: which of them a page has, and the sums over an address's tokens at each. */
import { type AuditState, type ChainState, worstState } from "../../model/audit.ts"
import type { PageRequest } from "../../model/page.ts"
import type { Usd } from "../../model/price.ts"
import type { ChainId } from "../../model/primitives.ts"
import type { PointKey } from "../../model/wallet/histories.ts"
import type { Series } from "../../ports/TokenHistories.ts"
import type { BalanceSource } from "../audit/askNode.ts"
import { suspectAt } from "../audit/doubts.ts"
import { usdText, worthOf } from "../prices/worth.ts"

export interface PointSums {
  readonly tokens: number
  readonly priced: number
  readonly value: Usd
  /** Where the native currency is asked: whether the node told it. */
  readonly source?: BalanceSource
  /** How many of the tokens are suspect, and the worst state that one of these is in; absent = none is. */
  readonly suspect?: number
  readonly worst?: AuditState
}

/** In order of the points. Versions come newest first, so points are gone through from the last on. */
export const sumsOf = ({ points, tokens }: Series): ReadonlyArray<PointSums> => {
  const sums = points.map((): Counted => ({ tokens: 0, priced: 0, value: 0n }))
  for (const { decimals, versions, prices, doubt } of tokens) {
    let place = -1
    let balance = 0n
    let worth: (price: Usd) => Usd = () => 0n
    for (let index = points.length - 1; index >= 0; index--) {
      const { blockNumber } = points[index]!
      const before = place
      while (place < versions.length && (place < 0 || versions[place]![0] > blockNumber)) place++
      if (place === versions.length) break
      if (place !== before) {
        balance = BigInt(versions[place]![1])
        worth = worthOf(balance, decimals ?? 0)
      }
      if (balance <= 0n) continue
      const sum = sums[index]!
      sum.tokens++
      const state = suspectAt(doubt, blockNumber)
      if (state !== undefined) {
        sum.suspect = (sum.suspect ?? 0) + 1
        sum.worst = worstState([state, sum.worst ?? state])!
      }
      const price = prices[index]
      if (price === null || price === undefined || decimals === undefined) continue
      sum.priced++
      sum.value += worth(BigInt(price))
    }
  }
  return sums
}

type Counted = { -readonly [Name in keyof PointSums]: PointSums[Name] }

/** Of one that is not told the whole is not. */
export const addSums = (a: PointSums, b: PointSums): PointSums => {
  const source = a.source === "ledger" || b.source === "ledger" ? "ledger" : (a.source ?? b.source)
  const suspect = (a.suspect ?? 0) + (b.suspect ?? 0)
  const worst = worstState([a, b].flatMap((it) => it.worst ?? []))
  return {
    tokens: a.tokens + b.tokens,
    priced: a.priced + b.priced,
    value: a.value + b.value,
    ...(source === undefined ? {} : { source }),
    ...(suspect === 0 ? {} : { suspect }),
    ...(worst === undefined ? {} : { worst }),
  }
}

/** The states of a chain's points, where tokens in doubt are counted. */
export const suspectsOfPoints = (chainId: ChainId, sums: ReadonlyArray<PointSums>): ReadonlyArray<ChainState> => {
  const state = worstState(sums.flatMap(({ worst }) => worst ?? []))
  return state === undefined ? [] : [{ chainId, state }]
}

/** The same of whole pages: of no point = not all are told by the node. */
export const sourceOfAll = (sums: ReadonlyArray<PointSums>): { readonly source?: BalanceSource } => {
  const sources = sums.flatMap(({ source }) => source ?? [])
  if (sources.length === 0) return {}
  return { source: sources.every((it) => it === "node") ? "node" : "ledger" }
}

/** Of tokens of which none has a value the sum is not known: it is not 0. */
export const shownSums = ({ tokens, priced, value, source, suspect }: PointSums) => ({
  ...(priced > 0 || tokens === 0 ? { valueUsd: usdText(value) } : {}),
  tokens,
  priced,
  unpriced: tokens - priced,
  ...(source === undefined ? {} : { source }),
  ...(suspect === undefined ? {} : { suspect }),
})

/** Times that are multiples of `seconds`, from `first` to `last` of them. */
interface Times {
  readonly first: number
  readonly last: number
  readonly seconds: number
  readonly direction: "asc" | "desc"
  readonly page: PageRequest<PointKey>
}

/** Those of a page; `left`: how many there are from its start on, `way`: in which direction it is read. */
export const windowOf = ({ first, last, seconds, direction, page }: Times) => {
  const place = page.after ?? page.before
  const isForward = page.before === undefined
  const way = (direction === "asc") === isForward ? 1 : -1
  const start = place === undefined ? (way === 1 ? first : last) : place.time / seconds + way
  const left = Math.max(0, way === 1 ? last - Math.max(start, first) + 1 : Math.min(start, last) - first + 1)
  const from = way === 1 ? Math.max(start, first) : Math.min(start, last)
  const here = Array.from({ length: Math.min(left, page.limit) }, (_, index) => (from + way * index) * seconds)
  return { ascending: here.toSorted((a, b) => a - b), left, way } as const
}
