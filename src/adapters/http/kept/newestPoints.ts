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
  /** How often a ledger went back. What was begun before one of these times may be of what it lost. */
  readonly losses: () => number
}

/** What is asked of the store, and told. */
interface Asked {
  readonly newest: (chainId: ChainId) => Promise<AsOf | undefined>
  /** `shown`: where else it stood, by what was shown since. */
  readonly touched: (since: AsOf, shown: ReadonlyArray<Standing>) => Promise<Touched | undefined>
  /** A ledger was found behind what it had shown, or beside it, as a database is that was restored. Its revisions come again and mean something else. */
  readonly wentBack: (chainId: ChainId) => void
}

/** A database that takes longer is slow to say where its ledgers stand: whoever waits for that has the answer made. */
const patienceMs = 500

/** Behind more blocks than these nobody asks what they moved. */
const mostBlocks = 1000

/** Of so many blocks that were shown it is held against the ledger whether they are its own; with half of them it is looked where that stands. */
const mostUnheld = 16

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
  /** Blocks that were shown since, the oldest first: nobody has held them against the ledger yet. */
  const unheld = new Map<ChainId, Array<Standing>>()
  let losses = 0
  /** How many blocks are not held by now; undefined = it showed nothing new. */
  const see = (point: AsOf): number | undefined => {
    const { chainId, revision } = point
    if (revision <= (standings.get(chainId)?.revision ?? -1)) return undefined
    standings.set(chainId, point)
    const shown = unheld.get(chainId) ?? []
    if (shown.at(-1)?.hash === point.hash) return undefined
    // One that nobody will hold may be lost.
    if (shown.length === mostUnheld) known.delete(chainId)
    return unheld.set(chainId, [...shown.slice(1 - mostUnheld), point]).get(chainId)?.length
  }

  /** `began`: how it stood when the look began. */
  const noted = (chainId: ChainId, began: Stood, point: AsOf | undefined): AsOf | undefined => {
    const now = { seen: standings.get(chainId), read: last.get(chainId) }
    const isLess = (point?.revision ?? -1) < (began.seen?.revision ?? -1)
    const isLost = isBeside(point, began.read) || isBeside(point, began.seen)
    const isBack = isLess || isLost || isElsewhere(point, now.read) || isElsewhere(point, now.seen)
    const newestTold = point ?? now.read
    if (isBack) {
      losses++
      for (const each of [standings, known, unheld]) each.delete(chainId)
      if (newestTold !== undefined) unmoved.wentOn(undefined, newestTold)
      wentBack(chainId)
    }
    if (point === undefined) return undefined
    if (!isBack && now.read !== undefined) {
      if (Equal.equals(now.read, point)) return now.read
      // What was asked meanwhile of what moved has told of a newer one.
      if (now.read.revision > point.revision) return point
    }
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
      const [from, to, shown] = [known.get(chainId), last.get(chainId)!, unheld.get(chainId) ?? []]
      // What was shown while the last question went on is held by one more.
      const isHeld = !shown.some((it) => it.revision <= to.revision && it.hash !== to.hash)
      if (from?.figures === to.figures && from.hash === to.hash && isHeld) {
        known.set(chainId, to)
        learning.delete(chainId)
        return
      }
      unheld.delete(chainId)
      const isNear = from !== undefined && to.blockNumber - from.blockNumber <= mostBlocks
      const isOfBlocks = isNear && from.rewrites === to.rewrites
      const found = isOfBlocks ? await touched(from, shown).catch(() => undefined) : undefined
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
    const began = { seen: standings.get(chainId), read: last.get(chainId) }
    const own = newest(chainId).then(
      (point) => noted(chainId, began, point),
      () => undefined,
    )
    going.set(chainId, own)
    void own.then(() => going.get(chainId) === own && going.delete(chainId))
    return own
  }

  const read = (chainId: ChainId): Promise<AsOf | undefined> => {
    const found = next.get(chainId)
    if (found !== undefined) return found
    const ready = going.get(chainId)?.then(turnOfLoop) ?? turnOfLoop()
    const own = withinPatience(ready.then(() => begin(chainId)))
    next.set(chainId, own)
    return own
  }

  return {
    read,
    see: (point) => {
      if (see(point) === mostUnheld / 2) void read(point.chainId)
    },
    seen: (chainId) => standings.get(chainId),
    isUnmoved: unmoved.isSame,
    learned: (chainId) => learning.get(chainId),
    losses: () => losses,
  }
}

/** The newest that was shown, and the newest that a look at it has told. */
interface Stood {
  readonly seen: Standing | undefined
  readonly read: Standing | undefined
}

/** Whether a ledger that goes on cannot come from the one to the other. */
const isBeside = (point: Standing | undefined, before: Standing | undefined): boolean =>
  point !== undefined && before !== undefined && (isBehind(point, before) || isElsewhere(point, before))

/** Whether one of the counts that only grow is less, or the block is lower and none was taken back. */
const isBehind = (point: Standing, before: Standing): boolean =>
  point.figures < before.figures ||
  point.rewrites < before.rewrites ||
  (point.rewrites === before.rewrites && point.blockNumber < before.blockNumber)

/** Whether a count is the same of something else, whichever of them came first: every move of a block moves both. */
const isElsewhere = (point: Standing | undefined, other: Standing | undefined): boolean =>
  point !== undefined &&
  other !== undefined &&
  ((point.revision === other.revision && point.figures !== other.figures) ||
    ((point.revision === other.revision || point.figures === other.figures) && point.hash !== other.hash))

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
