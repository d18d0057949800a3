/** What missed rows do to balances: which account of which token changes in which block, and by how much. */
import { type Account, mintAccount } from "../../../../model/event.ts"
import type { Change, HealedPair, HealedUnit } from "./versions.ts"

/** Gathers changes by pair and by unit, one a block. */
export class Changes {
  readonly pairs: Array<HealedPair> = []
  readonly units: Array<HealedUnit> = []
  private readonly pairPlaces = new Map<string, number>()
  private readonly unitPlaces = new Map<string, number>()
  private readonly ofPairs = new Map<string, Change>()
  private readonly ofUnits = new Map<string, Change>()

  /** 0 where the block only touches the pair. */
  add(tokenId: number, account: Account, block: number, by: bigint): void {
    gather(this.ofPairs, { place: this.pairOf(tokenId, account), block, by })
  }

  /** The same of an ERC-1155 unit; its holder's pair is touched. */
  addUnit(tokenId: number, holder: Account, nftId: bigint, block: number, by: bigint): void {
    const key = `${tokenId} ${holder} ${nftId}`
    const place = this.unitPlaces.get(key) ?? this.units.length + 1
    const pair = this.pairOf(tokenId, holder)
    if (place > this.units.length) {
      this.unitPlaces.set(key, place)
      this.units.push({ tokenId, holder: holder.slice(2), nftId, pair, mint: this.pairOf(tokenId, mintAccount) })
    }
    gather(this.ofUnits, { place, block, by })
    gather(this.ofPairs, { place: pair, block, by: 0n })
  }

  pairOf(tokenId: number, account: Account): number {
    const key = `${tokenId} ${account}`
    const known = this.pairPlaces.get(key)
    if (known !== undefined) return known
    this.pairs.push({ tokenId, holder: account.slice(2) })
    this.pairPlaces.set(key, this.pairs.length)
    return this.pairs.length
  }

  get pairChanges(): ReadonlyArray<Change> {
    return [...this.ofPairs.values()]
  }

  get unitChanges(): ReadonlyArray<Change> {
    return [...this.ofUnits.values()]
  }
}

const gather = (changes: Map<string, Change>, change: Change): void => {
  const key = `${change.place} ${change.block}`
  const before = changes.get(key)
  changes.set(key, before === undefined ? change : { ...before, by: before.by + change.by })
}
