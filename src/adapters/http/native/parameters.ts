/** The query parameters that native lists share: how many rows, in which order. */
import { Result } from "effect"
import type { InvalidParameter } from "../../../model/errors.ts"
import { type Hash, hashOfHex } from "../../../model/primitives.ts"
import { costlyWhenGiven, isManyRows } from "../contract/cost.ts"
import type { Parameter } from "../contract/parameter.ts"
import { firstValue } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"

export type NativeParameter<A> = Parameter<A, InvalidParameter>
export type Direction = "asc" | "desc"

const directions: Readonly<Record<string, Direction>> = { asc: "asc", desc: "desc" }
/** Rows of a page. A cursor may be gone on with another limit. */
export const limit: NativeParameter<number> = {
  bound: false,
  isCostly: (query, name) => isManyRows(Number(firstValue(query, name) ?? 0)),
  doc: {
    description: "How many rows a page has",
    schema: { type: "integer", minimum: 1, maximum: 1000, default: 25 },
    example: 100,
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(25)
    const value = wholeNumber(text, 1000)
    return value === undefined || value === 0
      ? Result.fail(invalidParameter(name, text, "a whole number from 1 to 1000"))
      : Result.succeed(value)
  },
}

/** A switch of which only `true` says something. */
export const onlyTrue = (description: string): NativeParameter<true | undefined> => ({
  bound: "given",
  doc: { description, schema: { type: "boolean", default: false }, example: true },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined || text === "false") return Result.succeed(undefined)
    return text === "true" ? Result.succeed(true as const) : Result.fail(invalidParameter(name, text, "true or false"))
  },
})

/** `<field>` or `<field>,<direction>`; the first field is the default, `desc` the default direction. */
export const tokenSort = <Field extends string>(
  fields: readonly [Field, ...ReadonlyArray<Field>],
): NativeParameter<{ readonly field: Field; readonly direction: Direction }> => ({
  bound: true,
  doc: {
    description:
      "`<field>` or `<field>,<asc|desc>`. `desc` is (field descending, chain id, address), `asc` its exact reverse; rows without the field come last in both. `transfers` are those of the last 24 hours.",
    schema: { type: "string", pattern: `^(${fields.join("|")})(,(asc|desc))?$`, default: `${fields[0]},desc` },
    example: `${fields[0]},desc`,
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined || text === "") return Result.succeed({ field: fields[0], direction: "desc" })
    const [fieldText, directionText = "desc", ...more] = text.split(",")
    const field = fields.find((known) => known === fieldText)
    const direction = directionOf(directionText)
    return field === undefined || direction === undefined || more.length > 0
      ? Result.fail(invalidParameter(name, text, `${oneOf(fields)}, with ,asc or ,desc behind it or nothing`))
      : Result.succeed({ field, direction })
  },
})

/** `asc` or `desc`, also behind `timestamp,`: the only order that a feed has. */
export const feedSort: NativeParameter<Direction> = {
  bound: true,
  doc: {
    description: "`desc` = newest first, `asc` = its exact reverse; `timestamp,asc` and `timestamp,desc` mean the same",
    schema: { type: "string", pattern: "^(timestamp|(timestamp,)?(asc|desc))$", default: "desc" },
    example: "asc",
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined || text === "" || text === "timestamp") return Result.succeed("desc")
    const direction = directionOf(text.startsWith("timestamp,") ? text.slice("timestamp,".length) : text)
    return direction === undefined
      ? Result.fail(invalidParameter(name, text, "asc or desc, with timestamp, before it or nothing"))
      : Result.succeed(direction)
  },
}

/** The block that a list is of; undefined = the newest. */
export const asOfBlock: NativeParameter<number | undefined> = {
  bound: "given",
  // Nobody knows beforehand how much has changed since.
  isCostly: costlyWhenGiven,
  faults: ["HistoryNotAvailable"],
  doc: {
    description: "The list as it was after this block, up to the indexed head; absent = as it is now",
    schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    example: 1000000,
  },
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    const value = wholeNumber(text, Number.MAX_SAFE_INTEGER)
    return value === undefined
      ? Result.fail(invalidParameter(name, text, "a block number up to the indexed head"))
      : Result.succeed(value)
  },
}

/** 32 bytes in hex, in whichever letter case; undefined when it is not given. */
export const decodeHash =
  (what: string): NativeParameter<Hash | undefined>["decode"] =>
  (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    return /^0x[0-9a-f]{64}$/iu.test(text)
      ? Result.succeed(hashOfHex(text.toLowerCase()))
      : Result.fail(invalidParameter(name, text, `${what}: 0x and 64 hex digits`))
  }

/** 0 to `most` in decimal, undefined for anything else. */
export const wholeNumber = (text: string, most: number): number | undefined =>
  /^\d+$/.test(text) && Number(text) <= most ? Number(text) : undefined

const directionOf = (text: string): Direction | undefined =>
  Object.hasOwn(directions, text) ? directions[text] : undefined

const oneOf = (values: ReadonlyArray<string>): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`
