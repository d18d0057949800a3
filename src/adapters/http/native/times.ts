/** Times in queries: ISO 8601 or seconds since 1970. Blocks have whole seconds, so a range is narrowed to those inside it. */
import { Result } from "effect"
import { costlyWhenCounted } from "../contract/cost.ts"
import type { FaultKind } from "../contract/faults.ts"
import type { IsCostly, ParameterDoc } from "../contract/parameter.ts"
import { firstValue } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import type { NativeParameter } from "./parameters.ts"

/** Beyond it a number is one of milliseconds: as seconds it would be of the year 5138. */
const mostSeconds = 99_999_999_999

const shape = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[ +-]\d\d:\d\d)?)?$/iu

/** Seconds since 1970, with a fraction of whole milliseconds: one that is less is a millisecond. Undefined for what is no time. Without a zone it is UTC. */
export const secondsOf = (text: string): number | undefined => {
  if (/^\d+$/.test(text)) return Number(text) <= mostSeconds ? Number(text) : undefined
  const [, day, time = "00:00", zone = "Z"] = shape.exec(text) ?? []
  if (day === undefined) return undefined
  const [clock, fraction = ""] = time.split(".")
  // What runtimes make of more than three digits differs, and may be the second before or the one behind.
  const shown = /[1-9]/.test(fraction) && /^0{3}/.test(fraction) ? ".001" : fraction && `.${fraction.slice(0, 3)}`
  // A plus sign is a blank in a query that is not escaped.
  const seconds = Date.parse(`${day}T${clock}${shown}${zone.replace(" ", "+").toUpperCase()}`) / 1000
  // The 30th of February is none.
  const isDay = Number.isFinite(seconds) && new Date(Date.parse(`${day}T00:00Z`)).toISOString().startsWith(day)
  return isDay && seconds >= 0 ? seconds : undefined
}

/** Whole seconds; undefined when it is not given. */
export const decodeTime =
  (round: (seconds: number) => number): NativeParameter<number | undefined>["decode"] =>
  (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    const seconds = secondsOf(text)
    return seconds === undefined ? Result.fail(invalidParameter(name, text, timeWords)) : Result.succeed(round(seconds))
  }

/**
 * The same of a range's beginning. Both ends are compared as they were sent: narrowed to whole seconds, a range inside one second begins
 * behind its end, and is empty.
 */
export const decodeBegin =
  (round: (seconds: number) => number): NativeParameter<number | undefined>["decode"] =>
  (query, name) => {
    const [begin, end] = [firstValue(query, name), firstValue(query, "timestampTo")]
    const [from, to] = [begin, end].map((text) => (text === undefined ? undefined : secondsOf(text)))
    return begin !== undefined && from !== undefined && to !== undefined && from > to
      ? Result.fail(invalidParameter(name, begin, `a time up to timestampTo (${end?.slice(0, 64)})`))
      : decodeTime(round)(query, name)
  }

const timeWords = "a time: ISO 8601, as 2026-01-31T12:00:00Z, or seconds since 1970"

export const timeDoc = (description: string, example = "2026-01-31T12:00:00Z"): ParameterDoc => ({
  description,
  schema: { type: "string", pattern: "^([0-9]{1,11}|[0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?)$" },
  example,
})

/** Undefined when it is not given. */
const bound = (
  what: string,
  decode: NativeParameter<number | undefined>["decode"],
  example: string,
): NativeParameter<number | undefined> => ({
  bound: "given",
  isCostly: costlyWhenCounted,
  doc: timeDoc(
    `${what}, inclusive, by the time of the block: ISO 8601 (UTC without a zone) or seconds since 1970`,
    example,
  ),
  decode,
})

/** The beginning, with an example that has rows behind it. */
const timestampFrom = (example: string) => bound("The earliest", decodeBegin(Math.ceil), example)

/** At which times. */
export const timeRange = {
  timestampFrom: timestampFrom("2026-01-01T00:00:00Z"),
  timestampTo: bound("The latest", decodeTime(Math.floor), "2026-01-31T12:00:00Z"),
}

/** Whether only final blocks count; undefined = all do. */
export const finalityOf = (
  description: string,
  isCostly: IsCostly,
  faults: ReadonlyArray<FaultKind> = [],
): NativeParameter<true | undefined> => ({
  bound: "given",
  isCostly,
  faults,
  doc: {
    description,
    schema: { type: "string", enum: ["latest", "finalized"], default: "latest" },
    example: "finalized",
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined || text === "latest") return Result.succeed(undefined)
    return text === "finalized"
      ? Result.succeed(true)
      : Result.fail(invalidParameter(name, text, "latest or finalized"))
  },
})

/** Of rows. */
export const finality = finalityOf(
  "`finalized`: only of blocks that no reorg takes back any more; `latest`: of all (the default)",
  costlyWhenCounted,
)
