/** Schemas of what people write in files. Each says what it wants. */
import { Schema, SchemaGetter, SchemaTransformation } from "effect"
import { Address, zeroAddress } from "../primitives.ts"

export const text = (pattern: RegExp, expected: string) => Schema.String.check(Schema.isPattern(pattern, { expected }))

/** No control character in it, and no space around it. */
export const label = text(/^(?!\s)[^\p{C}]{1,64}(?<!\s)$/u, "a text of 1 to 64 characters")

export const whole = (least: number, most: number) =>
  Schema.Number.check(
    Schema.makeFilter((given) => Number.isInteger(given) && given >= least && given <= most, {
      expected: `a whole number from ${least} to ${most}`,
    }),
  )

export const choice = <const Word extends string>(...words: ReadonlyArray<Word>) =>
  Schema.Literals(words).annotate({ expected: words.map((word) => JSON.stringify(word)).join(" or ") })

const isAddress = Schema.isPattern(/^0x[0-9a-f]{40}$/iu, { expected: "an address of 40 hex digits" })
const isNotZero = Schema.makeFilter((given: string) => given !== zeroAddress, {
  expected: "an address other than the zero address",
})
const inLowerCase = (anyCase: typeof Schema.String) =>
  anyCase.pipe(Schema.decodeTo(Address, SchemaTransformation.toLowerCase()))

/** In any letter case; read in lower case. */
export const address = inLowerCase(Schema.String.check(isAddress))

/** The address of a contract: no contract is at the zero address. */
export const contract = inLowerCase(Schema.String.check(isNotZero, isAddress))

/** A note on where something is from: it may stand there and is not kept. */
export const source = Schema.optionalKey(label).pipe(
  Schema.decodeTo(Schema.optionalKey(Schema.Never), { decode: SchemaGetter.omit(), encode: SchemaGetter.omit() }),
)

/** An object of these words and no others, but for those `beside` that go without saying. */
export const object = <
  const Words extends Schema.Struct.Fields,
  const Beside extends Schema.Struct.Fields = Record<never, never>,
>(
  words: Words,
  beside = {} as Beside,
) =>
  Schema.Struct({ ...beside, ...words }).annotate({
    expected: "an object",
    messageUnexpectedKey: `no such word; expected one of ${Object.keys(words).join(", ")}`,
  })

export const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null && !Array.isArray(given)
