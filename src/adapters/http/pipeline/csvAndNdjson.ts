/** Rows as lines of text: NDJSON, or CSV as RFC 4180 has it. */
import type { Schema } from "effect"
import type { MediaType } from "../contract/mediaType.ts"

export interface RowText {
  /** Before the first row. */
  readonly head: string
  readonly textOf: (rows: ReadonlyArray<unknown>) => string
}

export const rowText = (type: Exclude<MediaType, "json">, record: Schema.Top): RowText =>
  type === "ndjson" ? ndjson : csvOf(columnsOf(record))

const ndjson: RowText = { head: "", textOf: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("") }

/** The way to a value inside a row. */
type Column = ReadonlyArray<string>

const csvOf = (columns: ReadonlyArray<Column>): RowText => ({
  head: `${columns.map((column) => cell(column.join("."))).join(",")}\r\n`,
  textOf: (rows) => rows.map((row) => `${columns.map((column) => cell(valueAt(row, column))).join(",")}\r\n`).join(""),
})

/** A record's fields in their order; those of a record inside it by `outer.inner`. */
const columnsOf = (record: Schema.Top): ReadonlyArray<Column> => {
  const inner = "schema" in record ? (record.schema as Schema.Top) : record
  if (!("fields" in inner)) return []
  return Object.entries(inner.fields as Readonly<Record<string, Schema.Top>>).flatMap(([name, field]) => {
    const within = columnsOf(field)
    return within.length === 0 ? [[name]] : within.map((column) => [name, ...column])
  })
}

const valueAt = (row: unknown, column: Column): unknown =>
  column.reduce((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], row)

/** What is absent is empty. Integers beyond 2⁵³ are texts in the records: they come out digit by digit. */
const cell = (value: unknown): string => {
  const text = value === undefined ? "" : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
