/** One budget of memory for the pair caches of all chains: who needs more may have what the others leave. */
import { type Pairs, pairsIn } from "./pairs.ts"

export class CacheBudget {
  private readonly caches = new Set<Pairs>()
  private readonly total: number

  /** `bytes`: of all caches together. */
  constructor(bytes: number) {
    this.total = pairsIn(bytes)
  }

  join(pairs: Pairs): void {
    this.caches.add(pairs)
  }

  leave(pairs: Pairs): void {
    this.caches.delete(pairs)
  }

  /** How many pairs this cache may hold now: what the others leave, and never less than an equal share. */
  allowance(pairs: Pairs): number {
    let others = 0
    for (const cache of this.caches) if (cache !== pairs) others += cache.count
    return Math.max(Math.floor(this.total / Math.max(1, this.caches.size)), this.total - others)
  }
}
