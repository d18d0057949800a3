/** Paths by their templates, in which `{name}` stands for one segment. */
import { decodeSegment } from "./query.ts"

/** What every path about a chain starts with. */
export const chainPath = "/v2/network/{networkId}/evm/{chainId}"

const isName = (part: string): boolean => part.startsWith("{")

/** The values that a path has where the template has names. Both are compared by position only. */
export const pathParameters = (template: string, path: string): ReadonlyMap<string, string> => {
  const segments = path.split("/")
  const named = template.split("/").flatMap((part, index): ReadonlyArray<[string, string]> => {
    const segment = segments[index]
    return isName(part) && segment !== undefined ? [[part.slice(1, -1), decodeSegment(segment)]] : []
  })
  return new Map(named)
}

/** Whether a path is of the template, or goes on behind one. */
export const isBelow = (template: string, path: string): boolean => {
  const segments = path.split("/")
  return template
    .split("/")
    .every((part, index) => (isName(part) ? Boolean(segments[index]) : segments[index] === part))
}
