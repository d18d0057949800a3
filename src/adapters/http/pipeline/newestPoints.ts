/** Where a chain's ledger stands, for many who ask at once: who asks while a read goes on shares the next one, which begins after the question. */
import { setImmediate } from "node:timers"
import { Equal } from "effect"
import type { AsOf } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"

/** How far a ledger is with all that answers show, and with figures alone. */
export type Standing = Pick<AsOf, "revision" | "figures">

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
}

/** A database that takes longer is slow to say where its ledgers stand: whoever waits for that has the answer made. */
const patienceMs = 500

/** `wentBack`: a ledger was found behind what it had shown, as a database is that was restored. Its revisions come again and mean something else. */
export const makeNewestPoints = (
  ask: (chainId: ChainId) => Promise<AsOf | undefined>,
  wentBack: (chainId: ChainId) => void = () => {},
): NewestPoints => {
  const going = new Map<ChainId, Promise<unknown>>()
  /** Reads that have not begun, and whoever waits for them. */
  const next = new Map<ChainId, Promise<AsOf | undefined>>()
  const standings = new Map<ChainId, Standing>()
  const last = new Map<ChainId, AsOf>()
  const see = ({ chainId, revision, figures }: AsOf): void => {
    if (revision > (standings.get(chainId)?.revision ?? -1)) standings.set(chainId, { revision, figures })
  }

  const noted = (chainId: ChainId, before: number, point: AsOf | undefined): AsOf | undefined => {
    if ((point?.revision ?? -1) < before) {
      standings.delete(chainId)
      wentBack(chainId)
    }
    if (point === undefined) return undefined
    see(point)
    const known = last.get(chainId)
    if (known !== undefined && Equal.equals(known, point)) return known
    last.set(chainId, point)
    return point
  }

  const begin = (chainId: ChainId): Promise<AsOf | undefined> => {
    next.delete(chainId)
    const before = standings.get(chainId)?.revision ?? -1
    const own = ask(chainId).then(
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
