/** A statement of fragments put together once: its text and its values, as the driver would send them. */

/** A statement as the driver holds it: texts and what stands between them. */
interface Parts {
  readonly strings?: ReadonlyArray<string>
  readonly args?: ReadonlyArray<unknown>
  /** Of a name. */
  readonly value?: unknown
}

export interface Rendered {
  readonly text: string
  readonly values: Array<unknown>
}

/** Fragments, lists of them, names, and plain values; nothing else that the driver would take. The statement is never sent. */
export const rendered = (statement: object): Rendered => {
  const values: Array<unknown> = []
  const text = ({ strings = [], args = [] }: Parts): string => {
    let all = strings[0] ?? ""
    for (let index = 0; index < args.length; index++) all += part(args[index]) + (strings[index + 1] ?? "")
    return all
  }
  const part = (value: unknown): string => {
    if (Array.isArray(value) && isFragment(value[0])) return value.map((it) => text(it as Parts)).join(" ")
    if (isFragment(value)) return text(value)
    if (isName(value)) return value.value
    return `$${values.push(value)}`
  }
  return { text: text(statement as Parts), values }
}

const isFragment = (value: unknown): value is Parts => Object(value).strings !== undefined
/** By its shape: a parameter of the driver's has a type as well, and its class may bear another name in a bundle. */
export const isName = (value: unknown): value is { readonly value: string } =>
  typeof (value as Parts | null)?.value === "string" && !("type" in (value as object))
