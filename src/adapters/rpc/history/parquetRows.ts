/** Rows of a Parquet file, one row group at a time. The reader is loaded with the first file. */
import { open } from "node:fs/promises"
import { basename } from "node:path"
import { Malformed } from "../wire/shapes.ts"
import type { Row } from "./rows.ts"

/** Of a group: more would not fit the memory that a chain may take. */
const mostBytes = 512 * 1024 * 1024

export async function* parquetRows(path: string): AsyncGenerator<ReadonlyArray<Row>> {
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
      const rowEnd = rowStart + Number(group.num_rows)
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
