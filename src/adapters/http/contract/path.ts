/** Paths by their templates, in which `{name}` stands for one segment. */
import { percentDecoded } from "../../../model/outside/percentDecoded.ts"

/** What every path about a chain starts with. */
export const chainPath = "/v2/network/{networkId}/evm/{chainId}"

const isName = (part: string): boolean => part.startsWith("{")

/** The values that a path has where the template has names. Both are compared by position only. */
export const pathParameters = (template: string, path: string): ReadonlyMap<string, string> => {
  const of = templateOf(template)
  if (of.path === path) return of.values
  const segments = path.split("/")
  const values = new Map<string, string>()
  for (const { index, name } of of.names) {
    const segment = segments[index]
    if (segment !== undefined) values.set(name, percentDecoded(segment))
  }
  Object.assign(of, { path, values })
  return values
}

interface Template {
  readonly names: ReadonlyArray<{ readonly index: number; readonly name: string }>
  /** The path that was read last, which a request reads several times and many requests share, and its values. */
  readonly path?: string
  readonly values: ReadonlyMap<string, string>
}

/** Of templates, which are few: those of the endpoints' rows. */
const known = new Map<string, Template>()

const templateOf = (template: string): Template => {
  const found = known.get(template)
  if (found !== undefined) return found
  const names = template.split("/").flatMap((part, index) => (isName(part) ? [{ index, name: part.slice(1, -1) }] : []))
  const made: Template = { names, values: new Map() }
  known.set(template, made)
  return made
}

/** Whether a path is of the template, or goes on behind one. */
export const isBelow = (template: string, path: string): boolean => {
  const segments = path.split("/")
  return template
    .split("/")
    .every((part, index) => (isName(part) ? Boolean(segments[index]) : segments[index] === part))
}
