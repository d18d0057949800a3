/** Command-line flags: `--name value`, each with a default that also says its type. */

type Values<Defaults> = {
  [Name in keyof Defaults]: Defaults[Name] extends boolean ? boolean : Defaults[Name] extends number ? number : string
}

/** Throws with the list of flags at one that is unknown or no number. `--name` alone switches on, `--no-name` off. */
export const readFlags = <Defaults extends Readonly<Record<string, number | string | boolean>>>(
  defaults: Defaults,
  given: ReadonlyArray<string>,
): Values<Defaults> => {
  const values: Record<string, number | string | boolean> = { ...defaults }
  const usage = () =>
    new Error(
      `flags: ${Object.entries(defaults)
        .map(([name, value]) => `--${kebab(name)} (${value})`)
        .join(", ")}`,
    )
  for (let at = 0; at < given.length; at++) {
    const [flag, inline] = given[at]!.split("=") as [string, string | undefined]
    const off = flag.startsWith("--no-")
    const name = camel(flag.replace(off ? "--no-" : "--", ""))
    const initial = defaults[name]
    if (!flag.startsWith("--") || initial === undefined) throw usage()
    if (typeof initial === "boolean") {
      values[name] = !off
      continue
    }
    const value = inline ?? given[++at]
    if (value === undefined) throw usage()
    values[name] = typeof initial === "number" ? Number(value.replaceAll("_", "")) : value
    if (Number.isNaN(values[name])) throw usage()
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
