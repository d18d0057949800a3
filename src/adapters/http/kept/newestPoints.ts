/** Where a chain's ledger stands, for many who ask at once: who asks while a read goes on shares the next one, which begins after the question. */
import { setImmediate } from "node:timers"
import { Equal } from "effect"
import type { AsOf } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { Touched } from "../../../ports/Freshness.ts"
import { makeUnmoved, type Places } from "./unmoved.ts"

/** How far a ledger is with all that answers show, with figures alone, and with what is no block, and at which block: counts that lost their last moves come to the same numbers again, of others. */
export type Standing = Pick<AsOf, "revision" | "figures" | "rewrites" | "blockNumber" | "hash">

export interface NewestPoints {
  /**
   * By a read that begins after the call; undefined = it cannot be told, or not soon enough. Never rejects. As long as
   * nothing changes it is the very same object.
   */
  readonly read: (chainId: ChainId) => Promise<AsOf | undefined>
  /** The newest that anything has shown so far. */
  readonly seen: (chainId: ChainId) => Standing | undefined
  /** Something showed this one. */
  readonly see: (point: AsOf) => void
  /** Until it is known what moved up to the newest that was read, or that takes too long; undefined = it is known. Never rejects. */
  readonly learned: (chainId: ChainId) => Promise<void> | undefined
  /** Whether these figures at a point are those of a newer one; false = they may be others, or it is not learned yet. */
  readonly isUnmoved: (figures: Places, point: AsOf, newer: AsOf) => boolean
}

/** What is asked of the store, and told. */
interface Asked {
  readonly newest: (chainId: ChainId) => Promise<AsOf | undefined>
  /** `shown`: where it stood later still. */
  readonly touched: (since: AsOf, shown: Standing) => Promise<Touched | undefined>
  /** A ledger was found behind what it had shown, or beside it, as a database is that was restored. Its revisions come again and mean something else. */
  readonly wentBack: (chainId: ChainId) => void
}

/** A database that takes longer is slow to say where its ledgers stand: whoever waits for that has the answer made. */
const patienceMs = 500

/** Behind more blocks than these nobody asks what they moved. */
const mostBlocks = 1000

export const makeNewestPoints = ({ newest, touched, wentBack }: Asked): NewestPoints => {
  const unmoved = makeUnmoved()
  const going = new Map<ChainId, Promise<unknown>>()
  /** Reads that have not begun, and whoever waits for them. */
  const next = new Map<ChainId, Promise<AsOf | undefined>>()
  const standings = new Map<ChainId, Standing>()
  const last = new Map<ChainId, AsOf>()
  /** Up to where it is known what moved, and who learns more of it. */
  const known = new Map<ChainId, AsOf>()
  const learning = new Map<ChainId, Promise<void>>()
  /** Answers showed it, and no read: nobody has held its block against the ledger yet. */
  const unread = new Map<ChainId, Standing>()
  const see = (point: AsOf): void => {
    const { chainId, revision } = point
    if (revision > (standings.get(chainId)?.revision ?? -1)) standings.set(chainId, point)
  }

  const noted = (chainId: ChainId, seen: Standing | undefined, point: AsOf | undefined): AsOf | undefined => {
    const before = last.get(chainId)
    const isBack = (point?.revision ?? -1) < (seen?.revision ?? -1) || isBeside(point, before) || isBeside(point, seen)
    const newestTold = point ?? before
    if (isBack) {
      for (const each of [standings, known, unread]) each.delete(chainId)
      if (newestTold !== undefined) unmoved.wentOn(undefined, newestTold)
      wentBack(chainId)
    }
    if (point === undefined) return undefined
    if (!isBack && before !== undefined && Equal.equals(before, point)) return before
    const shown = standings.get(chainId)
    if (shown !== undefined && shown.revision > (before?.revision ?? -1)) unread.set(chainId, shown)
    stands(point)
    if (!learning.has(chainId)) beginToLearn(chainId)
    return point
  }

  const stands = (point: AsOf): void => {
    see(point)
    last.set(point.chainId, point)
  }

  const beginToLearn = (chainId: ChainId): void => {
    const { promise, resolve } = Promise.withResolvers<void>()
    learning.set(chainId, withinPatience(promise))
    void learn(chainId).then(resolve)
  }

  /** What moved up to the newest that was read; of those that are read meanwhile as well. */
  const learn = async (chainId: ChainId): Promise<void> => {
    for (;;) {
      const [from, to, shown] = [known.get(chainId), last.get(chainId)!, unread.get(chainId)]
      unread.delete(chainId)
      if (from?.figures === to.figures && from.hash === to.hash) {
        known.set(chainId, to)
        learning.delete(chainId)
        return
      }
      const isNear = from !== undefined && to.blockNumber - from.blockNumber <= mostBlocks
      const isOfBlocks = isNear && from.rewrites === to.rewrites
      const found = isOfBlocks ? await touched(from, newerOf(from, shown)).catch(() => undefined) : undefined
      // The ledger was found behind what it had shown meanwhile.
      if (known.get(chainId) !== from) continue
      const { point, tokens }: Partial<Touched> =
        found !== undefined && found.point.revision >= to.revision && !isBeside(found.point, to) ? found : {}
      unmoved.wentOn(from, point ?? to, tokens)
      known.set(chainId, point ?? to)
      if (point !== undefined && point.revision > last.get(chainId)!.revision) stands(point)
    }
  }

  const begin = (chainId: ChainId): Promise<AsOf | undefined> => {
    next.delete(chainId)
    const before = standings.get(chainId)
    const own = newest(chainId).then(
      (point) => noted(chainId, before, point),
      () => undefined,
    )
    going.set(chainId, own)
    void own.then(() => going.get(chainId) === own && going.delete(chainId))
    return own
  }

  return {
    see,
    seen: (chainId) => standings.get(chainId),
    isUnmoved: unmoved.isSame,
    learned: (chainId) => learning.get(chainId),
    read: (chainId) => {
      const found = next.get(chainId)
      if (found !== undefined) return found
      const ready = going.get(chainId)?.then(turnOfLoop) ?? turnOfLoop()
      const own = withinPatience(ready.then(() => begin(chainId)))
      next.set(chainId, own)
      return own
    },
  }
}

const newerOf = (from: Standing, shown: Standing | undefined): Standing =>
  shown !== undefined && shown.revision > from.revision ? shown : from

/** Whether a ledger that goes on cannot come from the one to the other. */
const isBeside = (point: Standing | undefined, before: Standing | undefined): boolean =>
  point !== undefined && before !== undefined && (isBehind(point, before) || isElsewhere(point, before))

/** Whether one of the counts that only grow is less, or the block is lower and none was taken back. */
const isBehind = (point: Standing, before: Standing): boolean =>
  point.figures < before.figures ||
  point.rewrites < before.rewrites ||
  (point.rewrites === before.rewrites && point.blockNumber < before.blockNumber)

/** Whether a count is the same of something else: every move of a block moves both. */
const isElsewhere = (point: Standing, before: Standing): boolean =>
  (point.revision === before.revision && point.figures !== before.figures) ||
  ((point.revision === before.revision || point.figures === before.figures) && point.hash !== before.hash)

/** All that comes in the same turn of the event loop is one group: nobody waits who is alone. */
const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const withinPatience = <A>(read: Promise<A>): Promise<A | undefined> =>
  new Promise((resolve) => {
    const late = setTimeout(resolve, patienceMs, undefined)
    void read.then((found) => {
      clearTimeout(late)
      resolve(found)
    })
  })
