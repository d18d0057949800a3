/** Command-line flags: `--name value`, each with a default that also says its type. */

type Values<Defaults> = {
  [Name in keyof Defaults]: Defaults[Name] extends boolean ? boolean : Defaults[Name] extends number ? number : string
}

/** Ends the process with the list of flags: at `--help`, and as a failure at one that is unknown or no such value. `--name` alone switches on, `--no-name` off. */
export const readFlags = <Defaults extends Readonly<Record<string, number | string | boolean>>>(
  defaults: Defaults,
  given: ReadonlyArray<string>,
): Values<Defaults> => {
  const values: Record<string, number | string | boolean> = { ...defaults }
  const usage = (problem?: string): never => {
    const all = Object.entries(defaults).map(([name, value]) => `  --${kebab(name)} ${value}`)
    const text = ["flags, and what they are without being given:", ...all].join("\n")
    if (problem === undefined) console.log(text)
    else console.error(`${problem}\n${text}`)
    process.exit(problem === undefined ? 0 : 1)
  }
  for (let at = 0; at < given.length; at++) {
    const [flag, inline] = given[at]!.split(/=(.*)/s) as [string, string | undefined]
    if (flag === "--help") usage()
    const off = flag.startsWith("--no-")
    const name = camel(flag.replace(off ? "--no-" : "--", ""))
    const initial = defaults[name]
    if (!flag.startsWith("--") || initial === undefined) return usage(`${flag} is no flag`)
    if (typeof initial === "boolean") {
      if (inline !== undefined) return usage(`${flag} takes no value: --${kebab(name)} or --no-${kebab(name)}`)
      values[name] = !off
      continue
    }
    const value = inline ?? given[++at]
    if (value === undefined) return usage(`${flag} wants a value`)
    values[name] = typeof initial === "number" ? Number(value.replaceAll("_", "")) : value
    if (Number.isNaN(values[name])) return usage(`${flag}: expected a number, got ${value}`)
  }
  return values as Values<Defaults>
}

/** The same as arguments for another program. */
export const flagsOf = (values: Readonly<Record<string, number | string | boolean>>): ReadonlyArray<string> =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === "boolean"
      ? [value ? `--${kebab(name)}` : `--no-${kebab(name)}`]
      : [`--${kebab(name)}`, `${value}`],
  )

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const camel = (name: string): string => name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
