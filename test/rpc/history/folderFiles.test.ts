/** What a file's name says of its blocks. */
import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileOf, filesIn, spanOf } from "../../../src/adapters/rpc/history/folderFiles.ts"
import { ownFolder } from "../../support/postgres.ts"

const of = (name: string) => {
  const file = fileOf("x", name)
  return file && [file.holds, file.format, file.from, file.to]
}

test("names of cryo, ethereum-etl and others", () => {
  expect(of("ethereum__blocks__00010000_to_00010999.parquet")).toEqual(["blocks", "parquet", 10_000, 10_999])
  expect(of("network_100__logs__00010000_to_00010999.parquet")).toEqual(["logs", "parquet", 10_000, 10_999])
  expect(of("logs/start_block=00000000/end_block=00099999/logs_00000000_00099999.json")).toEqual([
    "logs",
    "lines",
    0,
    99_999,
  ])
  expect(of("portal-5-9.jsonl.gz")).toEqual(["both", "lines", 5, 9])
})

test("what says nothing of its blocks is passed over", () => {
  for (const name of ["readme.md", "logs.json", "blocks_7.json", "blocks_9_to_3.parquet", "blocks_0_9.csv"]) {
    expect(of(name)).toBeUndefined()
  }
})

test("what is hidden, of other data, or no file is passed over", async () => {
  using folder = ownFolder("cowry-files-")
  const at = (name: string) => join(folder.path, name)
  for (const name of ["a", ".cryo/reports"]) mkdirSync(at(name), { recursive: true })
  mkdirSync(at("blocks_40_49.json"))
  for (const name of [
    "a/blocks_10_19.json",
    "logs_10_19.json",
    "._logs_0_9.json",
    ".cryo/reports/2026-11-20_10-20-03.123456.json",
    "ethereum__transactions__00000000_to_00000999.parquet",
    "token_transfers_0_99.json",
  ])
    writeFileSync(at(name), "")
  symlinkSync(at("logs_10_19.json"), at("logs_20_29.json"))
  const found = await filesIn(folder.path)
  expect(found.map(({ path, from }) => [relative(folder.path, path), from]).sort()).toEqual([
    ["a/blocks_10_19.json", 10],
    ["logs_10_19.json", 10],
    ["logs_20_29.json", 20],
  ])
})

test("a folder holds the blocks of which it has headers and logs, up to the first gap", () => {
  const files = (...names: ReadonlyArray<string>) => names.flatMap((name) => fileOf("x", name) ?? [])
  expect(spanOf(files("blocks_10_19.json", "blocks_20_29.json", "logs_10_24.json"))).toEqual({ from: 10, to: 24 })
  expect(spanOf(files("0-9.jsonl", "10-19.jsonl", "30-39.jsonl"))).toEqual({ from: 0, to: 19 })
  expect(spanOf(files("blocks_0_9.json")).to).toBe(-1)
  expect(spanOf([]).to).toBe(-1)
})
