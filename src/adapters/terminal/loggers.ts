/** How the log is written: for people on a terminal, as logfmt elsewhere. What nodes, contracts and callers said is made printable here. */
import { Cause, Formatter, Logger } from "effect"
import { printable } from "../../model/printable.ts"

/** A line an entry. */
export const logFmt: Logger.Logger<unknown, string> = Logger.map(Logger.formatLogFmt, printable)

/** A JSON object an entry: `time`, `level`, `message`, what is said of where it was (`requestId`), and `cause` with its stacks. */
export const json: Logger.Logger<unknown, string> = Logger.make((entry) => {
  const { message, level, timestamp, cause, annotations } = Logger.formatStructured.log(entry)
  const said = Array.isArray(message) ? message.map(textOf).join(" ") : textOf(message)
  return jsonEntry(timestamp, level, said, annotations, cause)
})

/** What the program says itself, as such an entry. */
export const jsonLine = (message: string, level: "INFO" | "WARN" | "ERROR" = "INFO"): string =>
  jsonEntry(new Date().toISOString(), level, message)

const jsonEntry = (time: string, level: string, message: string, more: object = {}, cause?: string): string =>
  printable(JSON.stringify({ ...more, time, level, message, ...(cause === undefined ? {} : { cause }) }))

const levelColors: Readonly<Record<string, string>> = {
  Debug: "34",
  Info: "32",
  Warn: "33",
  Error: "31",
  Fatal: "101;30",
}

const colored = (text: string, codes: string): string => `\x1b[${codes}m${text}\x1b[0m`

/** A line an entry, and below it the stacks of what caused it. */
export const colorful: Logger.Logger<unknown, string> = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const [first, ...more] = Array.isArray(message) ? message : [message]
  const time = colored(`[${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}]`, "37")
  const level = colored(logLevel.toUpperCase(), levelColors[logLevel] ?? "90")
  const head = `${time} ${level} (#${fiber.id}): ${colored(printable(textOf(first)), "1;36")}`
  const errors = [...Cause.prettyErrors(cause), ...more.filter((each) => each instanceof Error)]
  const others = more.filter((each) => !(each instanceof Error)).map((each) => printable(textOf(each)))
  return [head, ...others, ...errors.flatMap((error) => errorLines(error))].join("\n")
})

const textOf = (value: unknown): string => {
  if (value instanceof Error) return `${value.name}: ${value.message}`
  return typeof value === "string" ? value : Formatter.format(value)
}

/** The message on one line, whatever is in it; then the places, then the same of its cause. */
export const errorLines = (error: unknown, depth = 0): ReadonlyArray<string> => {
  const indent = "  ".repeat(depth)
  if (!(error instanceof Error)) return [`${indent}${printable(textOf(error))}`]
  const { message, stack = "", cause } = error
  const said = message.split("\n")
  const places = stack.split("\n").filter((line) => /^\s+at /.test(line) && !said.includes(line))
  return [
    `${indent}${printable(textOf(error))}`,
    ...places.map((place) => indent + printable(place)),
    ...(cause === undefined || depth === 8 ? [] : errorLines(cause, depth + 1)),
  ]
}
