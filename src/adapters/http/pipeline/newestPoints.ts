/** Where a chain's ledger stands, for many who ask at once: who asks while a read goes on shares the next one, which begins after the question. */
import type { AsOf } from "../../../model/block.ts"
import type { ChainId } from "../../../model/primitives.ts"

export interface NewestPoints {
  /** By a read that begins after the call; undefined = it cannot be told. Never rejects. */
  readonly read: (chainId: ChainId) => Promise<AsOf | undefined>
  /** The newest revision that anything has shown so far. */
  readonly seen: (chainId: ChainId) => number | undefined
  /** Something showed this one. */
  readonly see: (point: AsOf) => void
}

interface Reads {
  readonly going: Promise<AsOf | undefined>
  next?: Promise<AsOf | undefined>
}

/** `wentBack`: a ledger was found behind what it had shown, as a database is that was restored. Its revisions come again and mean something else. */
export const makeNewestPoints = (
  ask: (chainId: ChainId) => Promise<AsOf | undefined>,
  wentBack: (chainId: ChainId) => void = () => {},
): NewestPoints => {
  const reads = new Map<ChainId, Reads>()
  const revisions = new Map<ChainId, number>()
  const see = ({ chainId, revision }: AsOf): void => {
    if (revision > (revisions.get(chainId) ?? -1)) revisions.set(chainId, revision)
  }

  const begin = (chainId: ChainId): Promise<AsOf | undefined> => {
    const before = revisions.get(chainId) ?? -1
    const going = ask(chainId).then(
      (point) => {
        if ((point?.revision ?? -1) < before) {
          revisions.delete(chainId)
          wentBack(chainId)
        }
        if (point !== undefined) see(point)
        return point
      },
      () => undefined,
    )
    const own: Reads = { going }
    reads.set(chainId, own)
    void going.then(() => own.next === undefined && reads.delete(chainId))
    return going
  }

  return {
    see,
    seen: (chainId) => revisions.get(chainId),
    read: (chainId) => {
      const found = reads.get(chainId)
      if (found === undefined) return begin(chainId)
      found.next ??= found.going.then(() => begin(chainId))
      return found.next
    },
  }
}
