/** Whole lists as NDJSON and CSV: every row, in its order, as it would stand in a page. */
import { differenceOf, Learned, OneOf } from "../compare.ts"
import type { Row } from "../records.ts"

export type StreamType = "application/x-ndjson" | "text/csv"

export const streamDifference = (
  type: StreamType,
  rows: ReadonlyArray<Row>,
  text: string,
  settled: boolean,
): string | undefined => {
  const wanted = rows.map(({ item }) => item())
  if (type === "text/csv") return differenceOf(wanted.map(flat), recordsOf(text), settled, "csv")
  const lines = text.split("\n").filter((line) => line !== "")
  return differenceOf(
    wanted,
    lines.map((line) => JSON.parse(line)),
    settled,
    "lines",
  )
}

/** As CSV can say it: texts, without the absent ones, fields inside a field by both names. */
const flat = (value: unknown): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  for (const [name, each] of Object.entries(value as Record<string, unknown>)) {
    if (each instanceof OneOf) fields[name] = each
    else if (Array.isArray(each)) fields[name] = each.length === 0 ? undefined : each.join(",")
    else if (each instanceof Learned && isRecord(each.value)) {
      for (const [inner, one] of Object.entries(each.value)) fields[`${name}.${inner}`] = new Learned(`${one}`)
    } else if (each instanceof Learned)
      fields[name] = new Learned(each.value === undefined ? undefined : `${each.value}`, each.before, each.certain)
    else if (isRecord(each)) for (const [inner, one] of Object.entries(each)) fields[`${name}.${inner}`] = `${one}`
    else if (each !== undefined) fields[name] = `${each}`
  }
  return fields
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** RFC 4180: a line of names, then the records; empty fields are absent. */
const recordsOf = (text: string): ReadonlyArray<Record<string, string>> => {
  const [names = [], ...lines] = linesOf(text)
  return lines.map((fields) =>
    Object.fromEntries(fields.flatMap((field, place) => (field === "" ? [] : [[names[place]!, field]]))),
  )
}

const linesOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\r\n")
    .filter((line) => line !== "")
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
      ),
    )
