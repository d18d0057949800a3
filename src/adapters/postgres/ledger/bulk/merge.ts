/** The runs as one: sides of all of them in the order of pairs and blocks, read part by part. */
import type { Session } from "../wire/session.ts"
import { type Chunk, loadParts, sidesInPart } from "./runs.ts"
import { comparePairs, side, sideWords } from "./sides.ts"

/** Memory for parts that were read and parts that are on their way, of all runs together. */
const memoryBytes = 48 * 1024 * 1024
const mostParts = 64

/** A run as far as it is read: the side at `at` of `words` is its next. */
export interface Cursor {
  readonly run: number
  words: Int32Array
  at: number
  wide: ReadonlyArray<bigint>
  /** Sides that came before `words`. */
  before: number
  /** Its pair's first 53 bits. */
  key: number
  next: Promise<Chunk>
}

export class Merge {
  /** A heap: the first cursor has the next side. */
  readonly heap: Array<Cursor> = []
  private readonly ended: Array<number> = []
  private readonly parts: number

  private constructor(
    private readonly session: Session,
    runs: number,
  ) {
    this.parts = Math.max(1, Math.min(mostParts, Math.floor(memoryBytes / 2 / 8192 / Math.max(1, runs))))
  }

  /** `positions`: of each run from `first` on, how many sides are done with. */
  static async open(session: Session, positions: ReadonlyArray<number>, first = 0): Promise<Merge> {
    const merge = new Merge(session, positions.length)
    for (const [run, position] of positions.entries()) await merge.openRun(first + run, position)
    return merge
  }

  /** Of each run, how many sides are done with. */
  get positions(): ReadonlyArray<number> {
    const positions = [...this.ended]
    for (const { run, before, at } of this.heap) positions[run] = before + at / sideWords
    return positions
  }

  /** The first cursor's side is done with: true where the next one is there, else `refill` must be awaited. */
  advance(): boolean {
    const cursor = this.heap[0]!
    cursor.at += sideWords
    if (cursor.at >= cursor.words.length) return false
    const { words, at } = cursor
    // Most often the same pair's: then nothing moves.
    const key = keyAt(words, at)
    if (key === cursor.key && comparePairs(words, at, words, at - sideWords, 1) === 0) return true
    cursor.key = key
    this.sink(0)
    return true
  }

  /** Reads on where the first cursor has come to its end. */
  async refill(): Promise<void> {
    const cursor = this.heap[0]!
    cursor.before += cursor.words.length / sideWords
    const { words, wide } = await cursor.next
    cursor.words = words
    cursor.wide = wide
    cursor.at = 0
    if (cursor.words.length === 0) {
      this.ended[cursor.run] = cursor.before
      const last = this.heap.pop()!
      if (this.heap.length > 0) this.heap[0] = last
    } else {
      this.readAhead(cursor)
      cursor.key = keyAt(cursor.words, 0)
    }
    this.sink(0)
  }

  private async openRun(run: number, position: number): Promise<void> {
    const { session } = this
    const part = Math.floor(position / sidesInPart)
    const { words, wide } = await loadParts(session, run, part, this.parts)
    const at = (position - part * sidesInPart) * sideWords
    if (at >= words.length) {
      this.ended[run] = position
      return
    }
    this.ended[run] = 0
    const cursor: Cursor = {
      run,
      words,
      at,
      wide,
      before: part * sidesInPart,
      key: keyAt(words, at),
      next: noMore,
    }
    this.readAhead(cursor)
    this.heap.push(cursor)
    this.rise(this.heap.length - 1)
  }

  /** A part that is not full is the run's last: there may be nothing behind it. */
  private readAhead(cursor: Cursor): void {
    const from = (cursor.before + cursor.words.length / sideWords) / sidesInPart
    cursor.next = Number.isInteger(from) ? loadParts(this.session, cursor.run, from, this.parts) : noMore
    cursor.next.catch(() => {})
  }

  private rise(place: number): void {
    const { heap } = this
    const cursor = heap[place]!
    while (place > 0) {
      const above = (place - 1) >> 1
      if (!isBefore(cursor, heap[above]!)) break
      heap[place] = heap[above]!
      place = above
    }
    heap[place] = cursor
  }

  private sink(place: number): void {
    const { heap } = this
    const cursor = heap[place]
    if (cursor === undefined) return
    for (;;) {
      let below = 2 * place + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++
      if (!isBefore(heap[below]!, cursor)) break
      heap[place] = heap[below]!
      place = below
    }
    heap[place] = cursor
  }
}

const noMore = Promise.resolve<Chunk>({ words: new Int32Array(0), wide: [] })

/** Of one pair the older run comes first: its blocks are older, or the same. */
const isBefore = (a: Cursor, b: Cursor): boolean => {
  if (a.key !== b.key) return a.key < b.key
  const order = comparePairs(a.words, a.at, b.words, b.at, 1)
  return order === 0 ? a.run < b.run : order < 0
}

/** 32 bits of the pair's first word, 21 of its second: a number that is exact. */
const keyAt = (words: Int32Array, at: number): number =>
  (words[at + side.pair]! >>> 0) * 2097152 + (words[at + side.pair + 1]! >>> 11)
