/** Very many runs become fewer and longer ones ahead of their merge: of each run a part lies in memory then, however small. */
import { addInto, loadBigInt, storeBigInt } from "../balances/int128.ts"
import { slicesOfCopy } from "../wire/copy.ts"
import { type Session, transaction } from "../wire/session.ts"
import { type Cursor, Merge } from "./merge.ts"
import { blockAt, RunRows, storeJoined } from "./runs.ts"
import { samePair, side, sideWords, wideBit } from "./sides.ts"
import { type BulkState, storeStage } from "./stage.ts"

/** Makes the tables that the joined runs lie in until all are. */
export const beginJoining = async (session: Session): Promise<void> => {
  for (const [joined, of] of tables) {
    await session.run((sql) =>
      sql.unsafe(`create table ${joined} (like ${of} including all) with (autovacuum_enabled = off)`),
    )
  }
}

const tables = [
  ["bulk_joined", "bulk_run"],
  ["bulk_joined_wide", "bulk_wide"],
] as const

/**
 * Joins the next few runs, neighbours in time, in one transaction: as many as make half of `most` runs of all. Gives where the
 * load stands then. `reader`: another session.
 */
export const joinNext = async (
  session: Session,
  reader: Session,
  state: BulkState,
  most: number,
): Promise<BulkState> => {
  const { joinedTo: from, runs } = state
  if (from === runs) return endJoining(session, state)
  const to = Math.min(runs, from + Math.ceil(runs / Math.max(1, Math.floor(most / 2))))
  const merge = await Merge.open(reader, new Array<number>(to - from).fill(0), from)
  const joined = new RunRows(state.joinedRuns)
  return transaction(session, async () => {
    const open = new OpenSide()
    let flushed: Promise<void> = Promise.resolve()
    while (merge.heap.length > 0) {
      const cursor = merge.heap[0]!
      if (!open.isOf(cursor)) {
        open.end(joined)
        open.begin(cursor)
      } else open.add(cursor)
      if (!merge.advance()) await merge.refill()
      if (joined.rows.slices.length + joined.wide.slices.length < slicesOfCopy) continue
      await flushed
      flushed = storeJoined(session, joined)
      flushed.catch(() => {})
    }
    open.end(joined)
    joined.end()
    await flushed
    await storeJoined(session, joined)
    const next: BulkState = {
      ...state,
      joinedTo: to,
      joinedRuns: state.joinedRuns + 1,
      joinedSides: state.joinedSides + joined.sides,
    }
    await storeStage(session, next)
    return next
  })
}

/** The joined runs take the place of the others, whose room is free then. */
const endJoining = (session: Session, state: BulkState): Promise<BulkState> =>
  transaction(session, async () => {
    for (const [joined, of] of tables) {
      await session.run((sql) => sql.unsafe(`drop table ${of}`))
      await session.run((sql) => sql.unsafe(`alter table ${joined} rename to ${of}`))
    }
    const { joinedRuns: runs, joinedSides: sides } = state
    const positions = new Array<number>(runs).fill(0)
    const next: BulkState = { ...state, stage: "balances", runs, sides, positions, joinedTo: 0, joinedRuns: 0 }
    await storeStage(session, next)
    return next
  })

/** The side that is put together of what runs have of one pair and block: those of a block that two of them share. */
class OpenSide {
  private readonly words = new Int32Array(sideWords)
  private wide: bigint | undefined
  private isOpen = false

  isOf({ words, at }: Cursor): boolean {
    return this.isOpen && samePair(this.words, 0, words, at) && blockAt(this.words, 0) === blockAt(words, at)
  }

  begin(cursor: Cursor): void {
    const { words, at } = cursor
    for (let word = 0; word < sideWords; word++) this.words[word] = words[at + word]!
    this.wide = wideOf(cursor)
    this.isOpen = true
  }

  add(cursor: Cursor): void {
    const { words, at } = cursor
    const amount = wideOf(cursor)
    const isNarrow = this.wide === undefined && amount === undefined
    if (isNarrow && addInto(this.words, side.amount, words, at + side.amount, false)) return
    const sum = (this.wide ?? loadBigInt(this.words, side.amount)) + (amount ?? loadBigInt(words, at + side.amount))
    const fits = storeBigInt(this.words, side.amount, sum)
    this.wide = fits ? undefined : sum
    if (fits) this.words[side.block]! &= ~wideBit
    else this.words[side.block]! |= wideBit
  }

  end(joined: RunRows): void {
    if (this.isOpen) joined.add(this.words, 0, this.wide)
    this.isOpen = false
  }
}

const wideOf = ({ words, at, wide }: Cursor): bigint | undefined =>
  words[at + side.block]! < 0 ? wide[words[at + side.amount]!]! : undefined
