/** Rows as lines of text: NDJSON, or CSV as RFC 4180 has it, which a spreadsheet may open. */
import { Schema } from "effect"
import { printable } from "../../../model/printable.ts"
import type { MediaType } from "../contract/mediaType.ts"

export interface RowText {
  /** Before the first row. */
  readonly head: string
  readonly textOf: (rows: ReadonlyArray<unknown>) => string
}

export const rowText = (type: Exclude<MediaType, "json">, record: Schema.Top): RowText =>
  type === "ndjson" ? ndjson : csvOf(columnsOf(record))

const ndjson: RowText = { head: "", textOf: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("") }

/** One value of each row. */
interface Column {
  /** The way to it inside a row. */
  readonly path: ReadonlyArray<string>
  /** Whether it is words from outside, such as a name: its schema takes any text. Numbers, addresses and times are none. */
  readonly isFree: boolean
}

const csvOf = (columns: ReadonlyArray<Column>): RowText => ({
  head: `${columns.map(({ path }) => path.join(".")).join(",")}\r\n`,
  textOf: (rows) => rows.map((row) => `${columns.map((column) => fieldOf(row, column)).join(",")}\r\n`).join(""),
})

/** A record's fields in their order; those of a record inside it by `outer.inner`. */
const columnsOf = (record: Schema.Top): ReadonlyArray<Column> => {
  const inner = "schema" in record ? (record.schema as Schema.Top) : record
  if (!("fields" in inner)) return []
  return Object.entries(inner.fields as Readonly<Record<string, Schema.Top>>).flatMap(([name, field]) => {
    const within = columnsOf(field)
    return within.length === 0
      ? [{ path: [name], isFree: Schema.is(field as Schema.Schema<unknown>)("=") }]
      : within.map(({ path, isFree }) => ({ path: [name, ...path], isFree }))
  })
}

const valueAt = (row: unknown, path: Column["path"]): unknown =>
  path.reduce((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], row)

const fieldOf = (row: unknown, { path, isFree }: Column): string =>
  isFree ? freeCell(valueAt(row, path)) : cell(valueAt(row, path))

/** What is absent or null is empty. Integers beyond 2⁵³ are texts in the records: they come out digit by digit. */
const cell = (value: unknown): string => {
  if (typeof value === "number") return `${value}`
  const text = value === undefined || value === null ? "" : String(value)
  return /[",\r\n]/.test(text) ? quoted(text) : text
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** What a spreadsheet would take for a formula, the wide forms of its signs as well, or cut off before one. */
const beginsFormula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u

/** Where lists are separated by semicolons a spreadsheet splits there, and what follows is a beginning of its own, in quotes too. */
const beforeFormula = /;(?=\s*[=+\-@＝＋－＠])/gu

/** What most are: nothing to look for. */
const isPlain = /^(?:\w[ !#-+\--:<-~]*)?$/

/** One line, nothing unseen, and nothing that a spreadsheet would work out: an apostrophe stands before that. */
const freeCell = (value: unknown): string => {
  const text = value === undefined ? "" : String(value)
  if (isPlain.test(text)) return text
  const shown = printable(text).replace(beforeFormula, ";'")
  return beginsFormula.test(text) ? quoted(`'${shown}`) : cell(shown)
}
