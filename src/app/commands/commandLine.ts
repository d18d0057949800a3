/** The words after `cowry` → which command, with what; or what is wrong with them in one sentence. Pure. */
import { parseArgs } from "node:util"
import type { Command, Typed } from "./command.ts"

/** What to do: print a text, run the service, run a command, or refuse. */
export type Line =
  | { readonly kind: "help" | "version" | "start" }
  | { readonly kind: "command"; readonly command: Command; readonly typed: Typed }
  | { readonly kind: "misused"; readonly message: string }

export const readLine = (words: ReadonlyArray<string>, commands: ReadonlyArray<Command>): Line => {
  const [first, ...rest] = words
  if (first === "--help" || first === "-h" || first === "help") return { kind: "help" }
  if (first === "--version" || first === "-v") return { kind: "version" }
  if (first === undefined || first === "start") {
    return rest.length === 0 ? { kind: "start" } : misused(`start takes nothing, got ${JSON.stringify(rest[0])}`)
  }
  const command = commands.find(({ name }) => name === first)
  if (command === undefined) {
    const names = ["start", ...commands.map(({ name }) => name)].join(", ")
    return misused(`there is no command ${JSON.stringify(first)}: expected one of ${names}`)
  }
  if (rest.includes("--help") || rest.includes("-h")) return { kind: "help" }
  return readCommand(command, rest)
}

const misused = (message: string): Line => ({ kind: "misused", message })

const readCommand = (command: Command, words: ReadonlyArray<string>): Line => {
  const { name, takes, options } = command
  const wanted = Object.fromEntries(
    Object.entries(options).map(([option, { value }]) => [
      option,
      { type: value === true ? ("boolean" as const) : ("string" as const) },
    ]),
  )
  const usage = `expected: cowry ${usageOf(command)}`
  try {
    const parsed = parseArgs({ args: [...words], options: wanted, allowPositionals: true, tokens: true })
    const { values, positionals } = parsed
    const given = parsed.tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []))
    // Only the last one would count, and what was named before it would seem done.
    const twice = given.find((option, place) => given.indexOf(option) !== place)
    if (twice !== undefined) return misused(`${name}: --${twice} is given twice${severalOf(command, twice)}; ${usage}`)
    const least = takes.filter((it) => !it.startsWith("[")).length
    if (positionals.length < least) return misused(`${name} needs ${takes[positionals.length]}; ${usage}`)
    if (positionals.length > takes.length) {
      return misused(`${name} does not take ${JSON.stringify(positionals[takes.length])}; ${usage}`)
    }
    return { kind: "command", command, typed: { words: positionals, options: values as Typed["options"] } }
  } catch (cause) {
    // The platform's own words differ from one runtime to the other.
    const unknown = words.find((word) => word.startsWith("-") && !Object.hasOwn(options, nameOf(word)))
    const option = unknown ?? words.find((word) => word.startsWith("-"))
    if (option === undefined) throw cause
    return misused(
      unknown === undefined
        ? `${name}: option ${option} is not written as it should be; ${usage}`
        : `${name} has no option ${unknown}; ${usage}`,
    )
  }
}

/** How several are named, where an option takes them. */
const severalOf = ({ options }: Command, option: string): string => {
  const value = options[option]?.value
  return typeof value === "string" && value.endsWith(",…") ? `: name several as --${option}=${value}` : ""
}

const nameOf = (word: string): string => word.replace(/^--?/u, "").replace(/=.*$/su, "")

/** `audit [<chainId>,…] [--all]` */
const usageOf = ({ name, takes, options }: Command): string =>
  [name, ...takes, ...Object.entries(options).map((option) => `[${optionOf(option)}]`)].join(" ")

const optionOf = ([name, { value }]: readonly [string, Command["options"][string]]): string =>
  value === true ? `--${name}` : `--${name}=${value}`

/** What `cowry --help` prints. */
export const helpOf = (commands: ReadonlyArray<Command>): string => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["start", "run the service (also without any command)"],
    ...commands.flatMap(
      (command): Array<readonly [string, string]> => [
        [usageOf(command), command.meaning],
        ...Object.entries(command.options).map((option) => [`  ${optionOf(option)}`, option[1].meaning] as const),
      ],
    ),
    ["--help", "this text"],
    ["--version", "the version"],
  ]
  const width = Math.max(...rows.map(([left]) => left.length))
  return [
    "usage: cowry [command]",
    "",
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    "",
    "Settings come from the environment or the file of COWRY_CONFIG, as for the service: docs/operations.md",
    "Exit codes: 0 done, 1 not done or not well, 2 misused, 130 ended by SIGINT, 143 ended by SIGTERM.",
  ].join("\n")
}
