/** What is configured of a chain's native supply: where it is known from, as the configuration file says it. */
import { Effect, Result, Schema, SchemaGetter, SchemaIssue, SchemaParser, Struct } from "effect"
import { address, choice, isObject, object, source, text, whole } from "./shapes.ts"

/** Whole native units. At most 60 digits before and 36 behind the point: numbers of JSON would lose digits. */
const amount = text(/^(?:0|[1-9]\d{0,59})(?:\.\d{1,36})?$/u, 'a decimal number in a text, such as "21000000.5"')

/** It may hold a secret. */
const webUrl = Schema.String.check(
  Schema.makeFilter((given) => /^https?:\/\//iu.test(given) && URL.canParse(given), {
    expected: "a URL with http:// or https://",
    secret: true,
  }),
)

/** The way to a value inside JSON: names and places, joined by dots. */
const jsonPath = text(/^[^.\p{C}]{1,64}(?:\.[^.\p{C}]{1,64}){0,15}$/u, 'names joined by dots, such as "result.total"')

/** Each once. */
const addresses = Schema.Array(Schema.Unknown)
  .check(Schema.isMaxLength(100, { expected: "a list of at most 100 addresses" }))
  .pipe(
    Schema.decodeTo(Schema.Array(address)),
    Schema.decodeTo(Schema.toType(Schema.Array(address)), {
      decode: SchemaGetter.transform((all) => [...new Set(all)]),
      encode: SchemaGetter.passthrough(),
    }),
  )

/**
 * Taken off at the as-of block: the balances of `burnt` from both figures, those of `locked` from the circulating one.
 * Addresses that a publisher has taken off already do not belong here.
 */
const takenOff = { burnt: Schema.optionalKey(addresses), locked: Schema.optionalKey(addresses) }

/** All there ever was. */
const fixed = { total: amount, ...takenOff }

/** `reward` for each block from `firstBlock` (1) on, half of it after every `interval` blocks; `premined` before them. */
const halving = {
  reward: amount,
  interval: whole(1, 2 ** 31 - 1),
  premined: Schema.optionalKey(amount),
  firstBlock: Schema.optionalKey(whole(0, 2 ** 31 - 1)),
  ...takenOff,
}

/** Published figures: a number as plain text, or at a path inside JSON. Without `circulatingUrl` all of it circulates. */
const http = {
  totalUrl: webUrl,
  totalPath: Schema.optionalKey(jsonPath),
  circulatingUrl: Schema.optionalKey(webUrl),
  circulatingPath: Schema.optionalKey(jsonPath),
  /** Of the figures; absent = whole units. */
  unit: Schema.optionalKey(choice("whole", "smallest")),
  ...takenOff,
}

const ofKnownKind = Schema.Union([
  object(fixed, { kind: Schema.Literal("fixed"), source }),
  object(halving, { kind: Schema.Literal("halving"), source }),
  object(http, { kind: Schema.Literal("http"), source }),
]).annotate({ expected: "an object whose kind is fixed or halving or http", secret: true })

const readWords = SchemaParser.decodeUnknownResult(
  object(Struct.map({ ...fixed, ...halving, ...http }, Schema.optionalKey), {
    kind: Schema.optionalKey(Schema.Unknown),
    source,
  }),
)

/** Of an unknown kind each word is read as the kinds have it. */
export const SupplySettings = ofKnownKind.pipe(
  Schema.middlewareDecoding((decoded, options) =>
    Effect.mapError(decoded, (issue) => {
      if (issue._tag !== "AnyOf" || issue.issues.length > 0 || !isObject(issue.input)) return issue
      const read = readWords(issue.input, options)
      return Result.isFailure(read) ? new SchemaIssue.Composite(issue.ast, [issue, read.failure]) : issue
    }),
  ),
)
export type SupplySettings = typeof SupplySettings.Type
