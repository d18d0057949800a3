/** Rows of a Parquet file, and what of it is too much for the memory. */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parquetWriteBuffer } from "hyparquet-writer"
import { parquetRows } from "../../../src/adapters/rpc/history/parquetRows.ts"
import type { Row } from "../../../src/adapters/rpc/history/rows.ts"
import { failureOf } from "../../support/failure.ts"
import { ownFolder } from "../../support/postgres.ts"

const data = Array.from({ length: 250 }, (_, at) => at)

const read = async (path: string, mostMemory?: number) => {
  const groups: Array<ReadonlyArray<Row>> = []
  for await (const rows of parquetRows(path, mostMemory)) groups.push(rows)
  return groups
}

test("rows come group by group, and a group is refused that takes more memory than it may", async () => {
  using folder = ownFolder("cowry-parquet-")
  const path = join(folder.path, "logs_0_249.parquet")
  const columnData = [{ name: "block_number", type: "INT32", data }] as const
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ rowGroupSize: 100, columnData: [...columnData] })))
  for (const mostMemory of [undefined, 100_000]) {
    const groups = await read(path, mostMemory)
    expect(groups.map((rows) => rows.length)).toEqual([100, 100, 50])
    expect(groups.flat().map((row) => row.block_number)).toEqual(data)
  }
  expect(await failureOf(read(path, 99_000))).toMatchObject({
    message: expect.stringContaining("logs_0_249.parquet: a row group of 100 rows is too large for the memory here"),
  })
})
