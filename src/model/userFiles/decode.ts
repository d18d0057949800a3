/** Decodes what people wrote by a schema, and tells every fault of it: where it is, what is wanted, what is there instead. */
import { Result, Schema, SchemaAST, SchemaIssue, SchemaParser } from "effect"

/** What a text says as JSON; none where it is not JSON. */
export const parseJson = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

export interface Fault {
  /** The way to it: `.name[0]`. */
  readonly at: string
  readonly problem: string
}

/**
 * The value, or every fault there is. A schema's `expected` says what is wanted. What is there instead is shown, unless
 * the schema is `secret` or values are not shown at all.
 */
export const decodeWhole = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, { showsValues = true } = {}) => {
  const options = { errors: "all", onExcessProperty: "error", reportInput: showsValues } as const
  const decode = SchemaParser.decodeUnknownResult(schema, options)
  return (given: unknown): Result.Result<S["Type"], ReadonlyArray<Fault>> =>
    Result.mapError(decode(given), (issue) => faultsOf(issue, given, ""))
}

const faultsOf = (issue: SchemaIssue.Issue, given: unknown, at: string): ReadonlyArray<Fault> => {
  switch (issue._tag) {
    case "Pointer": {
      const [key = ""] = issue.path
      const inner = (given as Readonly<Record<PropertyKey, unknown>>)[key]
      return faultsOf(issue.issue, inner, typeof key === "number" ? `${at}[${key}]` : `${at}.${cut(String(key))}`)
    }
    case "Encoding":
      return faultsOf(issue.issue, given, at)
    case "Composite":
      return asWritten(issue, given).flatMap((it) => faultsOf(it, given, at))
    case "MissingKey":
      return [{ at, problem: "expected a value, there is none" }]
    case "UnexpectedKey":
      return [{ at, problem: `${SchemaAST.resolve(issue.ast)?.messageUnexpectedKey}` }]
    case "InvalidValue":
    case "Forbidden":
      return [{ at, problem: `${issue.annotations?.message}` }]
    case "AnyOf":
      if (issue.issues.length > 0) return issue.issues.flatMap((it) => faultsOf(it, given, at))
  }
  const { expected, secret } = (issue._tag === "Filter" ? issue.filter.annotations : SchemaAST.resolve(issue.ast)) ?? {}
  const instead = SchemaIssue.hasInput(issue) && secret !== true ? `, got ${shown(issue.input)}` : ""
  return [{ at, problem: `expected ${expected}${instead}` }]
}

/** The faults of an object in its own order; what it lacks comes first. */
const asWritten = ({ ast, issues }: SchemaIssue.Composite, given: unknown): ReadonlyArray<SchemaIssue.Issue> => {
  if (!SchemaAST.isObjects(ast)) return issues
  const places = new Map<PropertyKey, number>(Object.keys(given as object).map((key, place) => [key, place]))
  const pathOf = (issue: SchemaIssue.Issue) => (issue._tag === "Pointer" ? places.get(issue.path[0]!) : undefined) ?? -1
  return issues.toSorted((a, b) => pathOf(a) - pathOf(b))
}

const shown = (given: unknown): string => cut(JSON.stringify(given) ?? "nothing")

const cut = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`)
