/** Runs: sorted sides in a table, 184 a row of one page, appended once and read in order. */
import { CopyRows, copyIn } from "../wire/copy.ts"
import type { Session } from "../wire/session.ts"
import { type Sides, samePair, side, sideWords } from "./sides.ts"
import { sortSides } from "./sortSides.ts"

/** As many as fit in a page with its row's header. */
export const sidesInPart = 184
const partWords = sidesInPart * sideWords

/** Sides in their order as the rows of a run: they are sent as they fill, `rows` ahead of `wide`. */
export class RunRows {
  readonly rows = new CopyRows(3)
  /** Amounts that need more than 128 bits, in the order of their sides: so a part's own lie side by side. */
  readonly wide = new CopyRows(3)
  sides = 0
  private wides = 0
  private readonly part = new Int32Array(partWords)
  private readonly bytes = new Uint8Array(this.part.buffer)
  private inPart = 0

  constructor(private readonly run: number) {}

  /** The side at `from`; `amount` where it needs more than 128 bits. */
  add(words: Int32Array, from: number, amount: bigint | undefined): void {
    const { part, wide } = this
    const to = this.inPart * sideWords
    for (let word = 0; word < sideWords; word++) part[to + word] = words[from + word]!
    if (amount !== undefined) {
      part[to + side.amount] = this.wides
      wide.row()
      wide.int4(this.run)
      wide.int4(this.wides++)
      wide.bigNumeric(amount)
    }
    if (++this.inPart === sidesInPart) this.closePart()
  }

  /** The last part, which may not be full. */
  end(): void {
    if (this.inPart > 0) this.closePart()
  }

  private closePart(): void {
    const { rows, inPart } = this
    rows.row(partWords * 4 + 64)
    rows.int4(this.run)
    rows.int4(Math.floor(this.sides / sidesInPart))
    rows.bytes(this.bytes.subarray(0, inPart * sideWords * 4))
    this.sides += inPart
    this.inPart = 0
  }
}

const runColumns = "(run_no, part_no, data)"
const wideColumns = "(run_no, place, amount)"

/** Stores the sides as run `run`, those of one pair and block added up; gives how many are left. They are cleared. */
export const storeRun = async (session: Session, run: number, sides: Sides): Promise<number> => {
  const stored = new RunRows(run)
  await copyIn(session, `bulk_run ${runColumns}`, encode(stored, sides))
  if (stored.wide.rows > 0) await copyIn(session, `bulk_wide ${wideColumns}`, stored.wide.take())
  sides.clear()
  return stored.sides
}

/** Sends what is gathered of a run that is joined of others. */
export const storeJoined = async (session: Session, { rows, wide }: RunRows): Promise<void> => {
  const [parts, amounts] = [rows.rows > 0 ? rows.take() : [], wide.rows > 0 ? wide.take() : []]
  if (parts.length > 0) await copyIn(session, `bulk_joined ${runColumns}`, parts)
  if (amounts.length > 0) await copyIn(session, `bulk_joined_wide ${wideColumns}`, amounts)
}

/** Slice by slice, as they are sent. */
function* encode(stored: RunRows, sides: Sides): Iterable<Uint8Array> {
  const { rows } = stored
  const order = sortSides(sides)
  const { words } = sides
  for (let at = 0; at < order.length; ) {
    const from = order[at]! * sideWords
    const block = blockAt(words, from)
    for (at++; at < order.length; at++) {
      const next = order[at]! * sideWords
      if (blockAt(words, next) !== block || !samePair(words, from, words, next)) break
      sides.addTo(from, next)
    }
    stored.add(words, from, sides.wideAt(from))
    if (rows.slices.length > 0) yield* rows.slices.splice(0)
  }
  stored.end()
  yield* rows.take()
}

export const blockAt = (words: Int32Array, at: number): number => words[at + side.block]! & 0x7fffffff

/** Sides as they were read: where the amount needs more than 128 bits, its first word is its place in `wide`. */
export interface Chunk {
  readonly words: Int32Array
  readonly wide: ReadonlyArray<bigint>
}

/** Sides of a run from part `part` on, of so many parts; shorter where the run ends. The bytes are of this machine's order. */
export const loadParts = async (session: Session, run: number, part: number, parts: number): Promise<Chunk> => {
  const rows = (await session.run((sql) =>
    sql`
      select data from bulk_run where run_no = ${run} and part_no >= ${part} and part_no < ${part + parts}
      order by part_no`.raw(),
  )) as unknown as ReadonlyArray<readonly [Buffer]>
  const bytes = Buffer.allocUnsafeSlow(rows.reduce((sum, [text]) => sum + (text.length - 2) / 2, 0))
  let at = 0
  for (const [text] of rows) at += bytes.write(text.toString("latin1", 2), at, "hex")
  const words = new Int32Array(bytes.buffer, 0, bytes.length / 4)
  return { words, wide: await loadWide(session, run, words) }
}

/** The amounts that these sides are too narrow for; their places become those in the list. */
const loadWide = async (session: Session, run: number, words: Int32Array): Promise<ReadonlyArray<bigint>> => {
  let [first, last] = [Number.POSITIVE_INFINITY, -1]
  for (let at = 0; at < words.length; at += sideWords) {
    if (words[at + side.block]! >= 0) continue
    first = Math.min(first, words[at + side.amount]!)
    last = Math.max(last, words[at + side.amount]!)
  }
  if (last < 0) return noAmounts
  for (let at = 0; at < words.length; at += sideWords)
    if (words[at + side.block]! < 0) words[at + side.amount]! -= first
  const rows = await session.run(
    (sql) => sql<Array<{ amount: string }>>`
      select amount from bulk_wide where run_no = ${run} and place between ${first} and ${last} order by place`,
  )
  return rows.map(({ amount }) => BigInt(amount))
}

const noAmounts: ReadonlyArray<bigint> = []
