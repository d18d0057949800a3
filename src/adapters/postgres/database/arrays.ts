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
