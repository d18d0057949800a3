/** Whether an answer is what the oracle says; what is learned in the background may be missing until all is settled. */

/** A value that is not known at once. `before`: what stands there until then; absent = nothing does. */
export class Learned {
  constructor(
    readonly value: unknown,
    readonly before?: unknown,
    /** Found sooner or later; false = perhaps never. */
    readonly certain = true,
  ) {}
}

/** Any of these: what the oracle cannot know. */
export class OneOf {
  readonly values: ReadonlyArray<unknown>

  constructor(...values: ReadonlyArray<unknown>) {
    this.values = values
  }
}

/** Where and how they differ; undefined = they do not. `settled`: whatever can be known is. */
export const differenceOf = (wanted: unknown, found: unknown, settled: boolean, path = ""): string | undefined => {
  if (wanted instanceof Learned) {
    if (wanted.value === undefined) return found === wanted.before ? undefined : told(path, wanted.before, found)
    const unknown = found === wanted.before && !(settled && wanted.certain)
    return unknown ? undefined : differenceOf(wanted.value, found, settled, path)
  }
  if (wanted instanceof OneOf) return wanted.values.includes(found) ? undefined : told(path, wanted.values, found)
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found)) return told(path, wanted, found)
    for (const [place, value] of wanted.entries()) {
      const difference = differenceOf(value, found[place], settled, `${path}[${place}]`)
      if (difference !== undefined) return difference
    }
    return found.length === wanted.length ? undefined : `${path}: wanted ${wanted.length} items, got ${found.length}`
  }
  if (typeof wanted === "object" && wanted !== null) {
    if (typeof found !== "object" || found === null) return told(path, wanted, found)
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
      const value = (wanted as Record<string, unknown>)[name]
      const other = (found as Record<string, unknown>)[name]
      const difference = differenceOf(value, other, settled, `${path}.${name}`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  return wanted === found ? undefined : told(path, wanted, found)
}

const told = (path: string, wanted: unknown, found: unknown): string =>
  `${path || "body"}: wanted ${short(wanted)}, got ${short(found)}`

/** On one line, and not too long. */
export const short = (value: unknown, most = 300): string => {
  const text =
    value === undefined
      ? "nothing"
      : JSON.stringify(value, (_, it) => (it instanceof Learned ? it.value : typeof it === "bigint" ? `${it}` : it))
  return text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text
}
