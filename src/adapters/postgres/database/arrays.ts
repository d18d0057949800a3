/** Arrays as PostgreSQL writes them: as the driver takes and gives them, and as text of our own. */

interface Element<Value> {
  readonly serialize: (value: never) => string
  readonly parse: (raw: string) => Value
}

/** How the driver takes and gives arrays of a type: of one dimension, null for null; `array` is the number of their own type. Text is taken as it is. */
export const arrayOf = <Value>(array: number, { serialize, parse }: Element<Value>) => ({
  to: array,
  from: [array],
  serialize: (values: unknown) =>
    Array.isArray(values)
      ? `{${Array.from(values, (value) => (value === null ? "null" : quoted(serialize(present(value) as never)))).join(",")}}`
      : values,
  parse: (raw: string): ReadonlyArray<Value | null> =>
    Array.from(raw.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)"|[^{},]+/gs), ([whole, inner]) =>
      inner === undefined ? (whole === "NULL" ? null : parse(whole)) : parse(inner.replace(/\\(.)/gs, "$1")),
    ),
})
const present = (value: unknown): unknown => {
  if (value === undefined) throw new TypeError("an array for the database has an element that is undefined")
  return value
}
const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`

/** Array parameters as text (`…::text::int4[]`): one cheap string instead of a parameter object an element. */

export const numberArray = (values: Iterable<number | bigint>): string => `{${[...values].join(",")}}`

/** undefined is null. */
export const optionalArray = (values: Iterable<number | bigint | boolean | undefined>): string =>
  `{${[...values].map((value) => value ?? "null").join(",")}}`

/** From `0x…`. */
export const hexArray = (values: ReadonlyArray<string>): string => byteaArray(values.map((value) => value.slice(2)))

/** From `0x…`; undefined is null. */
export const optionalHexArray = (values: ReadonlyArray<string | undefined>): string =>
  `{${values.map((value) => (value === undefined ? "null" : `"\\\\x${value.slice(2)}"`)).join(",")}}`

/** From hex without `0x`. */
export const byteaArray = (values: ReadonlyArray<string>): string =>
  values.length === 0 ? "{}" : `{"\\\\x${values.join('","\\\\x')}"}`
