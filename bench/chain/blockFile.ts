/** The logs of blocks in a file that nobody else sees and that goes with the process: some 90 bytes a log. */
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Block } from "./Chain.ts"
import type { Run } from "./renderer.ts"

/** Bytes that are written together. */
const batchBytes = 4 * 1024 * 1024

interface Place {
  readonly start: number
  readonly bytes: number
  /** Of these when they are read: those of the listed logs, which come first. */
  readonly listedBytes: number
  readonly listed: number
  readonly others: number
}

export class BlockFile {
  private readonly file = openUnnamed()
  private readonly places: Array<Place> = []
  private size = 0
  private waiting: Array<Uint8Array> = []
  private waitingBytes = 0

  /** The next block. */
  append({ listed, others }: Pick<Block, "listed" | "others">): void {
    const bytes = Bun.zstdCompressSync(Buffer.concat([bytesOf(listed), bytesOf(others)]), { level: 1 })
    const start = this.size + this.waitingBytes
    const listedBytes = listed.end - listed.start
    this.places.push({ start, bytes: bytes.length, listedBytes, listed: listed.logs, others: others.logs })
    this.waiting.push(bytes)
    this.waitingBytes += bytes.length
    if (this.waitingBytes >= batchBytes) this.flush()
  }

  read(number: number): Pick<Block, "listed" | "others"> {
    const { start, bytes, listedBytes, listed, others } = this.places[number]!
    if (start + bytes > this.size) this.flush()
    const packed = Buffer.allocUnsafe(bytes)
    for (let at = 0; at < bytes; ) at += readSync(this.file, packed, at, bytes - at, start + at)
    const slab = Bun.zstdDecompressSync(packed)
    return {
      listed: { slab, start: 0, end: listedBytes, logs: listed },
      others: { slab, start: listedBytes, end: slab.length, logs: others },
    }
  }

  private flush(): void {
    const all = Buffer.concat(this.waiting)
    for (let at = 0; at < all.length; ) at += writeSync(this.file, all, at, all.length - at, this.size + at)
    this.size += all.length
    this.waiting = []
    this.waitingBytes = 0
  }
}

const bytesOf = ({ slab, start, end }: Run): Uint8Array => slab.subarray(start, end)

const openUnnamed = (): number => {
  const folder = mkdtempSync(join(tmpdir(), "cowry-bench-blocks-"))
  try {
    return openSync(join(folder, "blocks"), "w+")
  } finally {
    rmSync(folder, { recursive: true })
  }
}
