/** Runs: sorted sides in a table, 184 a row of one page, appended once and read in order. */
import { CopyRows, copyIn } from "../wire/copy.ts"
import type { Session } from "../wire/session.ts"
import { type Sides, samePair, side, sideWords } from "./sides.ts"
import { sortSides } from "./sortSides.ts"

/** As many as fit in a page with its row's header. */
export const sidesInPart = 184
export const partWords = sidesInPart * sideWords

/** Stores the sides as run `run`, those of one pair and block added up; gives how many are left. They are cleared. */
export const storeRun = async (session: Session, run: number, sides: Sides): Promise<number> => {
  const counted = { sides: 0 }
  await copyIn(session, "bulk_run (run_no, part_no, data)", encode(run, sides, counted))
  if (sides.wide.length > 0) await copyIn(session, "bulk_wide (run_no, place, amount)", encodeWide(run, sides.wide))
  sides.clear()
  return counted.sides
}

/** Slice by slice, as they are sent. */
function* encode(run: number, sides: Sides, counted: { sides: number }): Iterable<Uint8Array> {
  const rows = new CopyRows(3)
  const order = sortSides(sides)
  const { words } = sides
  const part = new Int32Array(partWords)
  const bytes = new Uint8Array(part.buffer)
  let inPart = 0
  const close = () => {
    rows.row(partWords * 4 + 64)
    rows.int4(run)
    rows.int4(Math.floor(counted.sides / sidesInPart))
    rows.bytes(bytes.subarray(0, inPart * sideWords * 4))
    counted.sides += inPart
    inPart = 0
  }
  for (let at = 0; at < order.length; ) {
    const from = order[at]! * sideWords
    const block = blockAt(words, from)
    for (at++; at < order.length; at++) {
      const next = order[at]! * sideWords
      if (blockAt(words, next) !== block || !samePair(words, from, words, next)) break
      sides.addTo(from, next)
    }
    const to = inPart * sideWords
    for (let word = 0; word < sideWords; word++) part[to + word] = words[from + word]!
    if (++inPart === sidesInPart) close()
    if (rows.slices.length > 0) yield* rows.slices.splice(0)
  }
  if (inPart > 0) close()
  yield* rows.take()
}

function* encodeWide(run: number, amounts: ReadonlyArray<bigint>): Iterable<Uint8Array> {
  const rows = new CopyRows(3)
  for (const [place, amount] of amounts.entries()) {
    rows.row()
    rows.int4(run)
    rows.int4(place)
    rows.bigNumeric(amount)
    if (rows.slices.length > 0) yield* rows.slices.splice(0)
  }
  yield* rows.take()
}

export const blockAt = (words: Int32Array, at: number): number => words[at + side.block]! & 0x7fffffff

/** Sides of a run from part `part` on, of so many parts; shorter where the run ends. The bytes are of this machine's order. */
export const loadParts = async (session: Session, run: number, part: number, parts: number): Promise<Int32Array> => {
  const rows = (await session.run((sql) =>
    sql`
      select data from bulk_run where run_no = ${run} and part_no >= ${part} and part_no < ${part + parts}
      order by part_no`.raw(),
  )) as unknown as ReadonlyArray<readonly [Buffer]>
  const bytes = Buffer.allocUnsafeSlow(rows.reduce((sum, [text]) => sum + (text.length - 2) / 2, 0))
  let at = 0
  for (const [text] of rows) at += bytes.write(text.toString("latin1", 2), at, "hex")
  return new Int32Array(bytes.buffer, 0, bytes.length / 4)
}

/** The amounts of a run that need more than 128 bits, in their places. */
export const loadWide = async (session: Session, run: number): Promise<ReadonlyArray<bigint>> => {
  const rows = await session.run(
    (sql) => sql<Array<{ amount: string }>>`
      select amount from bulk_wide where run_no = ${run} order by place`,
  )
  return rows.map(({ amount }) => BigInt(amount))
}
