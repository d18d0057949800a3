/** What an address held of each ERC-20 token day by day, and what that was worth: how it opened, closed, and was at most and at least. */
import { Effect } from "effect"
import type { ChainState } from "../../model/audit.ts"
import type { AsOf } from "../../model/block.ts"
import { InvalidCursor } from "../../model/errors.ts"
import type { Usd } from "../../model/price.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import { type Series, TokenHistories } from "../../ports/TokenHistories.ts"
import { suspectAt, worstByChain } from "../audit/doubts.ts"
import { usdOf } from "../prices/worth.ts"
import { beginAnew } from "../reads/beginAnew.ts"
import { checkPin } from "../reads/history.ts"
import { findBeginning } from "./beginning.ts"

const daySeconds = 86_400
const hourSeconds = 3600
/** Days that one statement reads. */
const daysAtOnce = 31

/** At one moment. `value`: absent = no price or no decimals are known, or nobody knows what was held. */
export interface HeldPoint {
  readonly balance: bigint
  /** By its events it was less than nothing, so they are not all, or not true. */
  readonly isBelowZero?: true
  readonly price?: bigint
  readonly value?: Usd
}

/** `high`, `low`: by value; where it never has one, by balance. */
export interface HeldDay {
  /** Its beginning, UTC, seconds. */
  readonly time: number
  readonly open: HeldPoint
  readonly high: HeldPoint
  readonly low: HeldPoint
  readonly close: HeldPoint
}

type Facts = Omit<Series["tokens"][number], "versions" | "prices" | "doubt">

export interface DailyToken extends Facts {
  /** Newest first; the same days of every token. */
  readonly days: ReadonlyArray<HeldDay>
}

interface Asked {
  readonly chainId: ChainId
  readonly holder: Address
  /** Up to that of the newest block, which is one of them. The oldest may begin with the indexed history; those before it are left out. */
  readonly days: number
}

/**
 * Tokens of which anything was held at the beginning of an hour of these days. A day has the beginnings of its hours and of
 * the next day, the newest one the newest block instead. `suspects`: the worst state in which one of them is in doubt.
 */
export const listDailyTokens = (asked: Asked) => beginAnew(readDays(asked))

const readDays = Effect.fnUntraced(function* ({ chainId, holder, days }: Asked) {
  const { asOf, head, begin, rollbacks } = yield* findBeginning(chainId)
  if (head === undefined)
    return { asOf, tokens: [] as ReadonlyArray<DailyToken>, suspects: [] as ReadonlyArray<ChainState> }
  const histories = yield* TokenHistories
  const starts = dayStarts(head, days).filter((start) => start + daySeconds > begin)
  const found = new Map<Address, { readonly facts: Facts; readonly days: Map<number, HeldDay> }>()
  const suspects: Array<ChainState> = []
  for (let at = 0; at < starts.length; at += daysAtOnce) {
    const part = starts.slice(at, at + daysAtOnce)
    const times = momentsOf(part, begin, head.time)
    const read = yield* histories.series({
      chainId,
      holder,
      onlyTrusted: false,
      // Blocks of its own second may have come since.
      moments: { times, upTo: head.blockNumber },
      page: { rollbacks, key: { blockNumber: head.blockNumber } },
    })
    yield* checkPin(read.value.pin)
    // On another server, which is behind.
    if ((read.asOf[0]?.blockNumber ?? -1) < head.blockNumber) return yield* another
    for (const { versions, prices, doubt, ...facts } of read.value.tokens) {
      const token = found.get(facts.tokenAddress) ?? { facts, days: new Map<number, HeldDay>() }
      found.set(facts.tokenAddress, token)
      const points = pointsOf({ versions, prices, ...facts }, read.value.points)
      for (const [index, { balance, isBelowZero }] of points.entries()) {
        const state =
          balance > 0n || isBelowZero === true ? suspectAt(doubt, read.value.points[index]!.blockNumber) : undefined
        if (state !== undefined) suspects.push({ chainId, state })
      }
      for (const time of part) {
        const isWithin = (moment: number) => moment >= time && moment <= time + daySeconds
        token.days.set(
          time,
          dayOf(
            time,
            points.filter((_, index) => isWithin(times[index]!)),
          ),
        )
      }
    }
  }
  const tokens = yield* Effect.forEach(
    found.values(),
    Effect.fnUntraced(function* ({ facts, days: known }) {
      const unread = starts.filter((time) => !known.has(time))
      const nothing = yield* nothingOf(chainId, facts.tokenAddress, known, unread, head.time)
      const days = starts.map((time) => known.get(time) ?? dayOf(time, [nothing(time)]))
      return { ...facts, days } satisfies DailyToken
    }),
    { concurrency: 4 },
  )
  tokens.sort((a, b) => (a.tokenAddress < b.tokenAddress ? -1 : 1))
  return { asOf, tokens, suspects: worstByChain(suspects) }
})

const another = new InvalidCursor({ message: "the ledger is behind the block that this was begun with" })

/** Newest first. */
const dayStarts = (head: AsOf, days: number): ReadonlyArray<number> => {
  const newest = Math.floor(head.time / daySeconds) * daySeconds
  return Array.from({ length: days }, (_, index) => newest - index * daySeconds)
}

/** Ascending, each once: the hours of these days, from the oldest known block on and up to the next day's beginning or the newest block. */
const momentsOf = (starts: ReadonlyArray<number>, begin: number, newest: number): ReadonlyArray<number> => {
  const first = starts.at(-1)!
  const end = starts[0]! + daySeconds
  const hours = Array.from({ length: (end - first) / hourSeconds + 1 }, (_, index) => first + index * hourSeconds)
  const [oldest, last] = [Math.max(begin, first), Math.min(newest, end)]
  return [...new Set([oldest, ...hours.filter((time) => time > oldest && time < last), last])]
}

/**
 * What a token was on days whose part had nothing of it: those were not read. Nothing is worth nothing where the token has a price
 * on a day that was. Of such a token alone the prices at the ends of the others are asked for: most that a wallet was sent never had one.
 */
const nothingOf = Effect.fnUntraced(function* (
  chainId: ChainId,
  token: Address,
  known: ReadonlyMap<number, HeldDay>,
  unread: ReadonlyArray<number>,
  newest: number,
) {
  const isPriced = known.values().some(({ high }) => high.value !== undefined)
  if (!isPriced || unread.length === 0) return (): HeldPoint => ({ balance: 0n })
  const histories = yield* TokenHistories
  const hours = unread.map((time) => Math.floor(Math.min(time + daySeconds, newest) / hourSeconds))
  const { prices } = yield* histories.pricesAt(chainId, token, hours)
  const byDay = new Map(unread.map((time, index) => [time, prices[index]]))
  return (time: number): HeldPoint => {
    const text = byDay.get(time)
    return { balance: 0n, value: 0n, ...(typeof text === "string" ? { price: BigInt(text) } : {}) }
  }
})

/** In order of the points. Versions come newest first. */
const pointsOf = (
  { versions, prices, decimals }: Series["tokens"][number],
  points: Series["points"],
): ReadonlyArray<HeldPoint> => {
  const held: Array<HeldPoint> = []
  let place = 0
  for (let index = points.length - 1; index >= 0; index--) {
    while (place < versions.length && versions[place]![0] > points[index]!.blockNumber) place++
    const told = BigInt(versions[place]?.[1] ?? 0)
    const isBelowZero = told < 0n
    const balance = isBelowZero ? 0n : told
    const text = prices[index]
    const price = typeof text === "string" ? BigInt(text) : undefined
    const isValued = price !== undefined && decimals !== undefined && !isBelowZero
    held.push({
      balance,
      ...(isBelowZero ? { isBelowZero } : {}),
      ...(price === undefined ? {} : { price }),
      ...(isValued ? { value: usdOf(balance, decimals, price) } : {}),
    })
  }
  return held.reverse()
}

const dayOf = (time: number, points: ReadonlyArray<HeldPoint>): HeldDay => {
  const valued = points.filter(({ value }) => value !== undefined)
  const compared = valued.length > 0 ? valued : points
  const figure = ({ value, balance }: HeldPoint) => value ?? balance
  return {
    time,
    open: points[0]!,
    high: compared.reduce((best, point) => (figure(point) > figure(best) ? point : best)),
    low: compared.reduce((best, point) => (figure(point) < figure(best) ? point : best)),
    close: points.at(-1)!,
  }
}
