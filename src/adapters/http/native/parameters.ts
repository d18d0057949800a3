/** The query parameters of the native endpoints. */
import { Result } from "effect"
import type { InvalidParameter } from "../../../domain/model/errors.ts"
import type { Address } from "../../../domain/model/primitives.ts"
import type { Parameter } from "../parameter.ts"
import { invalidParameter } from "../problem.ts"
import { firstValue, listValues, type Query } from "../query.ts"

type NativeParameter<A> = Parameter<A, InvalidParameter>
export type Direction = "asc" | "desc"

const directions: Readonly<Record<string, Direction>> = { asc: "asc", desc: "desc" }
const addressPattern = /^0x[0-9a-f]{40}$/i
const maxFilterValues = 50

/** Rows of a page. A cursor may be gone on with another limit. */
export const limit: NativeParameter<number> = {
  bound: false,
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(25)
    const value = wholeNumber(text, 1000)
    return value === undefined || value === 0
      ? Result.fail(invalidParameter(name, text, "a whole number from 1 to 1000"))
      : Result.succeed(value)
  },
}

/** `<field>` or `<field>,<direction>`; the first field is the default, `desc` the default direction. */
export const tokenSort = <Field extends string>(
  fields: readonly [Field, ...ReadonlyArray<Field>],
): NativeParameter<{ readonly field: Field; readonly direction: Direction }> => ({
  bound: true,
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
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined || text === "" || text === "timestamp") return Result.succeed("desc")
    const direction = directionOf(text.startsWith("timestamp,") ? text.slice("timestamp,".length) : text)
    return direction === undefined
      ? Result.fail(invalidParameter(name, text, "asc or desc, with timestamp, before it or nothing"))
      : Result.succeed(direction)
  },
}

/** Up to 50 addresses in lower case, sorted, each once; undefined when the filter is not given. */
export const addresses: NativeParameter<ReadonlyArray<Address> | undefined> = {
  bound: true,
  decode: (query, name) => {
    const values = listValues(query, name)
    if (values.length === 0) return Result.succeed(undefined)
    const wrong = values.find((value) => !addressPattern.test(value))
    if (wrong !== undefined) return Result.fail(invalidParameter(name, wrong, "an address: 0x and 40 hex digits"))
    return values.length > maxFilterValues
      ? Result.fail(invalidParameter(name, `${values.length}`, `up to ${maxFilterValues} addresses`))
      : Result.succeed(sortedOnce(values.map((value) => value.toLowerCase())))
  },
}

/** 0 to 2⁵³−1; undefined when it is not given. */
export const blockNumber: NativeParameter<number | undefined> = {
  bound: true,
  decode: (query, name) => {
    const text = firstValue(query, name)
    if (text === undefined) return Result.succeed(undefined)
    const value = wholeNumber(text, Number.MAX_SAFE_INTEGER)
    return value === undefined
      ? Result.fail(invalidParameter(name, text, `a block number from 0 to ${Number.MAX_SAFE_INTEGER}`))
      : Result.succeed(value)
  },
}

/** A parameter of a later version, refused until then: `what` it would do. */
export const notServed = (what: string): NativeParameter<undefined> => ({
  bound: false,
  decode: (query, name) => {
    const text = firstValue(query, name)
    return text === undefined
      ? Result.succeed(undefined)
      : Result.fail(invalidParameter(name, text, `no value (${what} are not served yet)`))
  },
})

/** Whether the total is asked for: only `count=true` asks. No cursor is bound to it. */
export const wantsCount = (query: Query): boolean => firstValue(query, "count") === "true"

const ecosystem: NativeParameter<string | undefined> = {
  bound: true,
  decode: (query, name) => Result.succeed(firstValue(query, name) || undefined),
}

const chainIds: NativeParameter<ReadonlyArray<string> | undefined> = {
  bound: true,
  decode: (query, name) => {
    const values = listValues(query, name).filter((value) => value !== "")
    return Result.succeed(values.length === 0 ? undefined : sortedOnce(values))
  },
}

/** What narrows the chains of the lists marked (F). */
export const chainSelectors = { ecosystem, includedChainIds: chainIds, excludedChainIds: chainIds }

/** An address of the path in lower case, undefined for anything else. */
export const addressOf = (text: string): Address | undefined =>
  addressPattern.test(text) ? text.toLowerCase() : undefined

const directionOf = (text: string): Direction | undefined =>
  Object.hasOwn(directions, text) ? directions[text] : undefined

const wholeNumber = (text: string, most: number): number | undefined =>
  /^\d+$/.test(text) && Number(text) <= most ? Number(text) : undefined

const sortedOnce = (values: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(values)].sort()

const oneOf = (values: ReadonlyArray<string>): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`
