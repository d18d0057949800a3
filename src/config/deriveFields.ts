/** What a row of `settings.ts` is, and how a table of such rows is read into the fields of the configuration. */
import type { Parse } from "./parseValues.ts"

export interface Setting {
  readonly parse: Parse<unknown>
  /** As it would be written; absent = no value. */
  readonly default?: string
  /** One line of docs/operations.md. */
  readonly meaning: string
  /** Its field in the configuration; absent = the name in camel case. */
  readonly field?: string
  /** Nothing starts without it: the field is always there. */
  readonly required?: true
}

type Table = Readonly<Record<string, Setting>>

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>
type FieldOf<Name, Of extends Setting> = Of extends { readonly field: infer Field extends string }
  ? Field
  : CamelCase<Name & string>
type ValueOf<Of extends Setting> = Extract<ReturnType<Of["parse"]>, { readonly value: unknown }>["value"]
type Sure = { readonly default: string } | { readonly required: true }

/** The fields of a table. One without a default may be absent. */
export type FieldsOf<Settings extends Table> = {
  readonly [Name in keyof Settings as Settings[Name] extends Sure ? FieldOf<Name, Settings[Name]> : never]: ValueOf<
    Settings[Name]
  >
} & {
  readonly [Name in keyof Settings as Settings[Name] extends Sure ? never : FieldOf<Name, Settings[Name]>]?: ValueOf<
    Settings[Name]
  >
}

/** Name → text; a blank one counts as none. */
export type Given = Readonly<Record<string, string | undefined>>

export const isGiven = (written: string | undefined): boolean => Boolean(written?.trim())

const fieldOf = (name: string, { field }: Setting): string =>
  field ?? name.toLowerCase().replaceAll(/_([a-z\d])/gu, (_, letter: string) => letter.toUpperCase())

/**
 * What is given, else what is known, else the default; a value that is refused is a problem and absent. `suffix`: behind
 * each name where it is given.
 */
export const readFields = <const Settings extends Table>(
  settings: Settings,
  given: Given,
  problems: Array<string>,
  { suffix = "", known = {} }: { readonly suffix?: string; readonly known?: Given } = {},
): FieldsOf<Settings> => {
  const fields: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const full = name + suffix
    const written = given[full]?.trim() || known[name] || setting.default
    if (written === undefined) continue
    const isEmptyList = setting.default === "" && (written === "" || written === "none")
    const parsed = isEmptyList ? { value: [] } : setting.parse(written)
    if ("value" in parsed) {
      fields[fieldOf(name, setting)] = parsed.value
      continue
    }
    const orNone = setting.default === "" && /^[\s,]*$/u.test(written) ? ", or none" : ""
    const got = parsed.secret ? "" : `, got ${JSON.stringify(written)}`
    problems.push(`${full}: expected ${parsed.wanted}${orNone}${got}`)
  }
  return fields as FieldsOf<Settings>
}
