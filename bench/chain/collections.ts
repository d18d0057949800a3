/** Who owns which collectible: the truth of ERC-721 and ERC-1155 that a ledger is checked against. Everything can be taken back. */
import { zero } from "./population.ts"

/** What the ERC-721 or ERC-1155 logs of one contract have come to. Ids are small numbers. */
export interface Collection {
  /** Logs are one row here, or as many as a batch has. */
  rows: number
  /** Owners by id, of the ids that live. */
  readonly owners: Map<number, number>
  /** Amounts by id × 2³² + account. */
  readonly units: Map<number, bigint>
}

const shift = 2 ** 32

export class Collections {
  /** By token. */
  readonly erc721 = new Map<number, Collection>()
  readonly erc1155 = new Map<number, Collection>()
  logs = 0
  rows = 0
  /** How to take the newest block's changes back, in their order. */
  private undo: Array<() => void> = []

  /** The rule of the ledger: whoever owns the id loses it, whatever the log says. */
  moveId(token: number, to: number, id: number): void {
    const { owners } = this.open(this.erc721, token, 1)
    const owner = owners.get(id)
    if (to === zero) owners.delete(id)
    else owners.set(id, to)
    this.undo.push(() => (owner === undefined ? owners.delete(id) : owners.set(id, owner)))
  }

  /** One unit of each id. */
  moveUnits(token: number, from: number, to: number, ids: ReadonlyArray<number>): void {
    const { units } = this.open(this.erc1155, token, ids.length)
    const change = (account: number, id: number, by: bigint) => {
      const key = id * shift + account
      units.set(key, (units.get(key) ?? 0n) + by)
      this.undo.push(() => units.set(key, units.get(key)! - by))
    }
    for (const id of ids) {
      if (from !== zero) change(from, id, -1n)
      if (from === zero || to !== zero) change(to, id, 1n)
    }
  }

  /** Ends a block: gives what takes it back. */
  close(): () => void {
    const { undo } = this
    this.undo = []
    return () => {
      for (const each of undo.toReversed()) each()
    }
  }

  private open(all: Map<number, Collection>, token: number, rows: number): Collection {
    const collection = all.get(token) ?? { rows: 0, owners: new Map(), units: new Map() }
    all.set(token, collection)
    this.logs++
    this.rows += rows
    collection.rows += rows
    this.undo.push(() => {
      this.logs--
      this.rows -= rows
      collection.rows -= rows
    })
    return collection
  }
}

/** Id and account of a key of `units`. */
export const unitOf = (key: number): readonly [id: number, account: number] => [Math.floor(key / shift), key % shift]
