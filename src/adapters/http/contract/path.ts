/** Paths by their templates, in which `{name}` stands for one segment. */
import { decodeSegment } from "./query.ts"

/** What every path about a chain starts with. */
export const chainPath = "/v2/network/{networkId}/evm/{chainId}"

const isName = (part: string): boolean => part.startsWith("{")

/** The values that a path has where the template has names. Both are compared by position only. */
export const pathParameters = (template: string, path: string): ReadonlyMap<string, string> => {
  const segments = path.split("/")
  const named = new Map<string, string>()
  for (const { index, name } of namesOf(template)) {
    const segment = segments[index]
    if (segment !== undefined) named.set(name, decodeSegment(segment))
  }
  return named
}

interface PathName {
  readonly index: number
  readonly name: string
}

/** Of templates, which are few: those of the endpoints' rows. */
const known = new Map<string, ReadonlyArray<PathName>>()

const namesOf = (template: string): ReadonlyArray<PathName> => {
  const found = known.get(template)
  if (found !== undefined) return found
  const names = template.split("/").flatMap((part, index) => (isName(part) ? [{ index, name: part.slice(1, -1) }] : []))
  known.set(template, names)
  return names
}

/** Whether a path is of the template, or goes on behind one. */
export const isBelow = (template: string, path: string): boolean => {
  const segments = path.split("/")
  return template
    .split("/")
    .every((part, index) => (isName(part) ? Boolean(segments[index]) : segments[index] === part))
}
