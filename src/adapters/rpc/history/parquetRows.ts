/** Rows of a Parquet file, one row group at a time. The reader is loaded with the first file. */
import { open } from "node:fs/promises"
import { totalmem } from "node:os"
import { basename } from "node:path"
import { Malformed } from "../wire/shapes.ts"
import type { Row } from "./rows.ts"

/** Of a group as it is encoded. */
const mostBytes = 512 * 1024 * 1024
/** A group is decoded as a whole. Of a million logs, 158 MB encoded, that took 0.9 GB: of bytes that stand there once only the place is encoded. */
const bytesOfRow = 1000

/** A third of what this process may have of the machine's memory, bytes. A group of blocks and one of logs are read side by side. */
const memoryOfGroup = (): number => {
  const limit = process.constrainedMemory()
  return (limit > 0 ? Math.min(limit, totalmem()) : totalmem()) / 3
}

/** `mostMemory`: of a row group, bytes. */
export async function* parquetRows(path: string, mostMemory = memoryOfGroup()): AsyncGenerator<ReadonlyArray<Row>> {
  const [{ parquetMetadataAsync, parquetReadObjects }, { compressors }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet-compressors"),
  ])
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    const file = {
      byteLength: size,
      slice: async (start: number, end = size): Promise<ArrayBuffer> => {
        const bytes = new Uint8Array(end - start)
        for (let at = 0; at < bytes.length; ) {
          const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at)
          if (bytesRead === 0) throw new Malformed(`${basename(path)} ends early`)
          at += bytesRead
        }
        return bytes.buffer
      },
    }
    const metadata = await parquetMetadataAsync(file)
    let rowStart = 0
    for (const group of metadata.row_groups) {
      if (Number(group.total_byte_size) > mostBytes) throw new Malformed(`${basename(path)}: a row group is too large`)
      const rows = Number(group.num_rows)
      if (rows * bytesOfRow > mostMemory) {
        throw new Malformed(
          `${basename(path)}: a row group of ${rows} rows is too large for the memory here: write groups of ${Math.floor(mostMemory / bytesOfRow)} rows at most`,
        )
      }
      const rowEnd = rowStart + rows
      // Bytes stay bytes; columns that say that they are text are text.
      yield await parquetReadObjects({ file, metadata, compressors, utf8: false, rowStart, rowEnd })
      rowStart = rowEnd
    }
  } catch (cause) {
    if (cause instanceof Malformed) throw cause
    const { code } = Object(cause) as { readonly code?: unknown }
    if (typeof code === "string") throw cause
    throw new Malformed(`${basename(path)} is no Parquet file that can be read`)
  } finally {
    await handle.close()
  }
}
