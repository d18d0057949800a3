/** Times in parameters: ISO 8601 with a zone, or seconds since 1970. */
import { Result } from "effect"
import { costlyWhenGiven } from "../../contract/cost.ts"
import { firstValue } from "../../contract/query.ts"
import { invalidParameter } from "../../contract/statuses.ts"
import type { NativeParameter } from "../parameters.ts"

/** The last second that a date of four digits can show. */
const latest = 253_402_300_799
const isoPattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/u

/** Whole seconds, parts of one left out; undefined for what is no time. */
export const secondsOf = (text: string): number | undefined => {
  if (/^\d{1,12}$/u.test(text)) return Number(text) <= latest ? Number(text) : undefined
  // A plus that nobody has escaped is a blank in a query.
  const iso = text.replace(/ (?=\d{2}:\d{2}$)/u, "+")
  if (!isoPattern.test(iso)) return undefined
  const seconds = Math.floor(Date.parse(iso) / 1000)
  // 31 February is no day, though it is parsed as one.
  const day = iso.slice(0, 10)
  const isDay = new Date(`${day}T00:00:00Z`).toISOString?.().startsWith(day) ?? false
  return Number.isNaN(seconds) || !isDay || seconds < 0 || seconds > latest ? undefined : seconds
}

const wanted = "a time: ISO 8601 as 2026-01-02T03:04:05Z, or seconds since 1970"

/** undefined when it is not given. */
export const timeParameter = (description: string): NativeParameter<number | undefined> => ({
  bound: "given",
  doc: {
    description: `${description}: ISO 8601 (a day alone begins at 00:00 UTC) or seconds since 1970`,
    schema: { type: "string", maxLength: 40 },
    example: "2026-01-02T03:04:05Z",
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    const seconds = secondsOf(text)
    return seconds === undefined ? Result.fail(invalidParameter(name, text, wanted)) : Result.succeed(seconds)
  },
})

/** The time that a list is of. */
export const pointInTime: NativeParameter<number | undefined> = {
  ...timeParameter("As it was after the last block at or before this time; not beside `blockNumber`"),
  isCostly: costlyWhenGiven,
  faults: ["HistoryNotAvailable"],
}
