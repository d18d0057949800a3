/** A figure that somebody publishes: plain text or JSON, read without losing a digit. */
import { type Decimal, parseDecimal } from "./decimal.ts"

/** `path`: names and places joined by dots; absent = the text is the number, bare or as a JSON text. */
export const readFigure = (text: string, path?: string): Decimal | { readonly problem: string } => {
  const problem = path === undefined ? "it is no number" : `there is no number at ${path}`
  const found = path === undefined ? text.trim().replace(/^"(.*)"$/su, "$1") : valueAt(text, path)
  if (typeof found !== "string") return { problem: found === notJson ? "it is not JSON" : problem }
  return parseDecimal(found.trim()) ?? { problem }
}

const notJson = Symbol("not JSON")

const valueAt = (text: string, path: string): unknown => {
  let value: unknown
  try {
    JSON.parse(text)
    // Numbers become texts of the same digits: as doubles they would lose some.
    value = JSON.parse(
      text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gu, (it) => (it.startsWith('"') ? it : `"${it}"`)),
    )
  } catch {
    return notJson
  }
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
