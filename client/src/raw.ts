/** Whole numbers beside their texts. */

/** `row` itself, with `raw`: the named fields that it has, as bigint. */
export const withRaw = <T extends object>(row: T, names: ReadonlyArray<string>): T & { readonly raw: never } =>
  Object.defineProperty(row, "raw", {
    configurable: true,
    enumerable: false,
    get() {
      const fields = row as Readonly<Record<string, unknown>>
      const raw = Object.fromEntries(
        names.flatMap((name) => (typeof fields[name] === "string" ? [[name, BigInt(fields[name])]] : [])),
      )
      Object.defineProperty(row, "raw", { value: raw, enumerable: false, configurable: true })
      return raw
    },
  }) as T & { readonly raw: never }
