/** COPY in binary: rows encoded into slices of memory, and the stream that carries them to the server. */
import type { Writable } from "node:stream"
import { wordAt } from "./hex.ts"
import { writeBigNumeric, writeNumeric } from "./numeric.ts"
import type { Session } from "./session.ts"

const sliceSize = 32 * 1024
/** So many slices, 2 MB, are worth a COPY: each waits twice for its turn of the process (decision 234). */
export const slicesOfCopy = 64
/** Room for any row: a slice is closed when less is left. */
const rowRoom = 2048
/** Slices that were sent, for use again: a chain in backfill fills thousands a minute. */
const spare: Array<Buffer<ArrayBuffer>> = []
const mostSpare = 320
const header = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1")

/** Rows of one table, column by column in the table's order as the COPY names it. */
export class CopyRows {
  readonly slices: Array<Uint8Array> = []
  rows = 0
  private memory = Buffer.alloc(0)
  private view = new DataView(new ArrayBuffer(0))
  private at = 0

  constructor(private readonly columns: number) {}

  /** `room`: the most bytes that the row may take, where that is more than usual. */
  row(room = rowRoom): void {
    if (this.at + room > this.memory.length) this.nextSlice()
    this.rows++
    this.view.setInt16(this.at, this.columns)
    this.at += 2
  }

  int2(value: number): void {
    this.view.setInt32(this.at, 2)
    this.view.setInt16(this.at + 4, value)
    this.at += 6
  }

  int4(value: number): void {
    this.view.setInt32(this.at, 4)
    this.view.setInt32(this.at + 4, value)
    this.at += 8
  }

  /** Up to 2⁵³. */
  int8(value: number): void {
    this.wide8(Math.floor(value / 4294967296), value)
  }

  /** block << 24 | logIndex */
  pos(block: number, logIndex: number): void {
    this.wide8(block >>> 8, (block << 24) | logIndex)
  }

  optionalInt4(value: number | undefined): void {
    if (value === undefined) this.none()
    else this.int4(value)
  }

  boolean(value: boolean): void {
    this.view.setInt32(this.at, 1)
    this.view.setInt8(this.at + 4, value ? 1 : 0)
    this.at += 5
  }

  none(): void {
    this.view.setInt32(this.at, -1)
    this.at += 4
  }

  /** `length` bytes of `0x…`. */
  bytea(hex: string, length: number): void {
    this.view.setInt32(this.at, length)
    this.at += 4
    for (let byte = 0; byte < length; byte += 4, this.at += 4) this.view.setInt32(this.at, wordAt(hex, 2 + byte * 2))
  }

  /** A bytea as it is. */
  bytes(value: Uint8Array): void {
    this.view.setInt32(this.at, value.length)
    this.memory.set(value, this.at + 4)
    this.at += 4 + value.length
  }

  /** The row's last column: bytes in hex, `0x…` or nothing, of any length. */
  lastBytes(hex: string): void {
    const value = Buffer.from(hex.slice(2), "hex")
    this.view.setInt32(this.at, value.length)
    this.at += 4
    for (let from = 0; from < value.length; ) {
      if (this.at === this.memory.length) this.nextSlice()
      const copied = value.copy(this.memory, this.at, from)
      this.at += copied
      from += copied
    }
  }

  /** Words that are bytes already, most significant first. */
  byteaOfWords(words: Int32Array, from: number, count: number): void {
    this.view.setInt32(this.at, count * 4)
    this.at += 4
    for (let word = 0; word < count; word++, this.at += 4) this.view.setInt32(this.at, words[from + word]!)
  }

  /** The reserved accounts: no byte, or one zero byte. */
  zeros(length: 0 | 1): void {
    this.view.setInt32(this.at, length)
    this.at += 4
    if (length === 1) this.view.setInt8(this.at++, 0)
  }

  numeric(words: Int32Array, from: number): void {
    const end = writeNumeric(this.view, this.at + 4, words, from)
    this.view.setInt32(this.at, end - this.at - 4)
    this.at = end
  }

  bigNumeric(value: bigint): void {
    const end = writeBigNumeric(this.view, this.at + 4, value)
    this.view.setInt32(this.at, end - this.at - 4)
    this.at = end
  }

  /** All slices, the trailer included; the rows start anew. */
  take(): Array<Uint8Array> {
    if (this.at + 2 > this.memory.length) this.nextSlice()
    this.view.setInt16(this.at, -1)
    this.at += 2
    this.closeSlice()
    this.memory = Buffer.alloc(0)
    this.rows = 0
    return this.slices.splice(0)
  }

  private wide8(high: number, low: number): void {
    this.view.setInt32(this.at, 8)
    this.view.setInt32(this.at + 4, high)
    this.view.setInt32(this.at + 8, low)
    this.at += 12
  }

  private closeSlice(): void {
    if (this.at > 0) this.slices.push(this.memory.subarray(0, this.at))
    this.at = 0
  }

  private nextSlice(): void {
    const first = this.memory.length === 0 && this.slices.length === 0
    this.closeSlice()
    this.memory = spare.pop() ?? Buffer.allocUnsafeSlow(sliceSize)
    this.view = new DataView(this.memory.buffer, this.memory.byteOffset, sliceSize)
    if (first) this.at = header.copy(this.memory)
  }
}

/**
 * Sends rows as `copy <target> from stdin (format binary)`. A refusal by the server (a violated key, a full disk) comes
 * back as its own error: the driver drops it once the COPY has begun, and the stream would wait for ever.
 */
export const copyIn = (session: Session, target: string, slices: Iterable<Uint8Array>): Promise<void> =>
  session.guard(
    new Promise((resolve, reject) => {
      const statement = session.sql.unsafe(`copy ${target} from stdin (format binary)`)
      const query = statement as unknown as { reject: (error: unknown) => void }
      const rejectStart = query.reject
      query.reject = (error) => {
        rejectStart(error)
        reject(error)
      }
      statement.writable().then((stream) => {
        stream.on("error", reject)
        write(session, stream, slices).then(resolve, reject)
      }, reject)
    }),
  )

// By the write callback: "drain" never comes when the server has reported an error.
const write = async (session: Session, stream: Writable, slices: Iterable<Uint8Array>): Promise<void> => {
  for (const slice of slices) {
    // Guarded one by one: each that goes out is a sign that the connection lives.
    await session.guard(
      new Promise<void>((resolve, reject) => stream.write(slice, (error) => (error ? reject(error) : resolve()))),
    )
    // The driver has copied it into its message.
    if (spare.length < mostSpare) spare.push(Buffer.from(slice.buffer as ArrayBuffer))
  }
  await new Promise<void>((resolve) => stream.end(resolve))
}
