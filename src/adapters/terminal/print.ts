/** What the program says itself: a line on standard output, or on standard error. Words from outside may stand in it. */
import { printable } from "../../model/printable.ts"
import { jsonLine } from "./loggers.ts"

export const say = (line: string): void => console.log(printable(line))

export const complain = (line: string): void => console.error(printable(line))

/** The same as the log is written: a JSON object a line where that is asked for. */
export const voiceOf = (format: string) =>
  format === "json"
    ? {
        say: (line: string): void => console.log(jsonLine(line)),
        warn: (line: string): void => console.error(jsonLine(line, "WARN")),
        complain: (line: string): void => console.error(jsonLine(line, "ERROR")),
      }
    : { say, warn: complain, complain }
