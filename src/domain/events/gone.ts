/** Of a position in several chains one chain's is gone: which, and where the others stand, is part of what is said. */
import { EventsGone } from "../../model/errors.ts"
import type { ChainId } from "../../model/primitives.ts"

/** `texts`: the positions of all chains, as far as they have one. Without its own the chain begins anew, and without them they do. */
export const goneAmong = (
  { reason, after, block }: EventsGone,
  chainId: ChainId,
  texts: ReadonlyMap<ChainId, string>,
): EventsGone => {
  const all = new Map(texts)
  if (after === undefined) all.delete(chainId)
  else all.set(chainId, after)
  return new EventsGone({
    reason: `chain ${chainId}: ${reason}`,
    ...(all.size > 0 && { after: [...all.values()].join("~") }),
    ...(block !== undefined && { block }),
  })
}
