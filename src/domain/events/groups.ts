/** Consumers who stand at the head: those with one filter are one group, and groups are found by contract and by address. */
import type { Delivery, LedgerEvent } from "../../model/events/event.ts"
import { type EventFilter, filterKey, passes } from "../../model/events/filter.ts"
import type { Change } from "./advance.ts"
import { deliveryOf } from "./deliveries.ts"

/** The same for all of a group: what is made of it once serves all. */
export interface Batch {
  readonly deliveries: ReadonlyArray<Delivery>
  /** What a way of delivery has made of them. */
  bytes?: Uint8Array
}

export interface Consumer {
  /** Called in order; must not wait. False = there is no room for it, and nothing of it was taken. */
  readonly push: (batch: Batch) => boolean
}

interface Group {
  readonly filter: EventFilter
  readonly consumers: Set<Consumer>
  /** The lowest and highest block of which rows were told and not yet called final; absent = there are none. */
  awaited?: BlockRange
}

/** Both are in it. */
export type BlockRange = readonly [low: number, high: number]

const joined = (one: BlockRange | undefined, [low, high]: BlockRange): BlockRange =>
  one === undefined ? [low, high] : [Math.min(one[0], low), Math.max(one[1], high)]

/** Whoever is first is told milliseconds before whoever is last: nobody is always either, and turns in a row lie far apart. */
const goldenRatio = (Math.sqrt(5) - 1) / 2
const turnedBy = <One>(share: number, all: ReadonlyArray<One>): ReadonlyArray<One> => {
  const first = Math.floor(share * all.length)
  return first === 0 ? all : [...all.slice(first), ...all.slice(0, first)]
}

export class Groups {
  private readonly byKey = new Map<string, Group>()
  private readonly byToken = new Map<string, Set<Group>>()
  private readonly byAddress = new Map<string, Set<Group>>()
  /** Of every contract and every address: they are few, and follow the chain itself. */
  private readonly others = new Set<Group>()
  /** Those of a contract or an address that have rows not yet called final: to all others it is nothing that a block is. */
  private readonly awaiting = new Set<Group>()
  private turns = 0

  /** `awaited`: blocks of which the consumer may have rows that it was not told to be final. */
  add(filter: EventFilter, consumer: Consumer, awaited?: BlockRange): void {
    const key = filterKey(filter)
    let group = this.byKey.get(key)
    if (group === undefined) {
      group = { filter, consumers: new Set() }
      this.byKey.set(key, group)
      for (const set of this.placesOf(filter, true)) set.add(group)
    }
    group.consumers.add(consumer)
    if (awaited !== undefined) this.await(group, awaited)
  }

  remove(filter: EventFilter, consumer: Consumer): void {
    const key = filterKey(filter)
    const group = this.byKey.get(key)
    if (group === undefined || !group.consumers.delete(consumer) || group.consumers.size > 0) return
    this.byKey.delete(key)
    this.awaiting.delete(group)
    for (const set of this.placesOf(filter, false)) set.delete(group)
    for (const [index, values] of this.indexesOf(filter))
      for (const value of values) if (index.get(value)?.size === 0) index.delete(value)
  }

  /**
   * Each change is made ready once; each group gets what passes its filter as one batch. Which blocks are final is told
   * to those of a contract or an address where they have rows of them: to tell all of them at each block costs more than
   * all else. Gives who had no room.
   */
  fanOut(changes: ReadonlyArray<Change>): ReadonlyArray<Consumer> {
    const wanted = new Map<Group, Array<Delivery>>()
    for (const change of changes) {
      const groups = change.type === "finalized" ? [...this.others, ...this.awaiting] : this.candidates(change.event)
      let delivery: Delivery | undefined
      for (const group of groups) {
        if (!this.isFor(group, change)) continue
        delivery ??= deliveryOf(change)
        const list = wanted.get(group)
        if (list === undefined) wanted.set(group, [delivery])
        else list.push(delivery)
      }
    }
    const share = (this.turns++ * goldenRatio) % 1
    return turnedBy(share, [...wanted]).flatMap(([{ consumers }, deliveries]) => {
      const batch: Batch = { deliveries }
      return turnedBy(share, [...consumers]).filter((consumer) => !consumer.push(batch))
    })
  }

  /** Notes what the group has rows of from now on. */
  private isFor(group: Group, change: Change): boolean {
    if (change.type === "finalized") {
      const block = change.mark.finalizedBlock
      if (this.others.has(group)) return true
      const { awaited } = group
      if (awaited === undefined || awaited[0] > block) return false
      if (awaited[1] > block) group.awaited = [block + 1, awaited[1]]
      else {
        delete group.awaited
        this.awaiting.delete(group)
      }
      return true
    }
    if (!passes(group.filter, change.event)) return false
    const { block } = change.event.at
    if (change.type === "added") this.await(group, [block, block])
    return true
  }

  private await(group: Group, blocks: BlockRange): void {
    if (this.others.has(group)) return
    group.awaited = joined(group.awaited, blocks)
    this.awaiting.add(group)
  }

  private candidates({ tokens, from, to }: LedgerEvent): Iterable<Group> {
    const found = new Set(this.others)
    for (const token of tokens) for (const group of this.byToken.get(token) ?? []) found.add(group)
    for (const address of [from, to])
      if (address !== undefined) for (const group of this.byAddress.get(address) ?? []) found.add(group)
    return found
  }

  /** By the narrowest: one index is enough to find it. */
  private indexesOf({ tokenAddress, address, from, to }: EventFilter) {
    const parties = address ?? from ?? to
    if (parties !== undefined) return [[this.byAddress, parties]] as const
    return tokenAddress === undefined ? [] : ([[this.byToken, tokenAddress]] as const)
  }

  private placesOf(filter: EventFilter, makes: boolean): ReadonlyArray<Set<Group>> {
    const indexes = this.indexesOf(filter)
    if (indexes.length === 0) return [this.others]
    return indexes.flatMap(([index, values]) =>
      values.flatMap((value) => {
        const set = index.get(value) ?? (makes ? new Set<Group>() : undefined)
        if (set !== undefined && makes) index.set(value, set)
        return set ?? []
      }),
    )
  }
}
