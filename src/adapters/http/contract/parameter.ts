/** A parameter is data: how its value is read from the query, whether a cursor is bound to it, what the documentation says. */
import { Result } from "effect"
import type { FaultKind } from "./faults.ts"
import type { Query } from "./query.ts"

/** What the documentation says of one name of the query. */
export interface ParameterDoc {
  readonly description: string
  /** JSON Schema of the value; `type: "array"` = several values, comma-joined or repeated. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly example?: unknown
  readonly required?: boolean
}

/** In the order in which they are shown. */
export type ParameterDocs = Readonly<Record<string, ParameterDoc>>

/** Whether a parameter, as it is given, makes a read costly; `counted`: the total of the list is asked for too. */
export type IsCostly = (query: Query, name: string, counted: boolean) => boolean

export interface Parameter<out A, out Fault> {
  /** The resolved value (defaults filled in, letter case folded, lists sorted) of the parameter `name`. */
  readonly decode: (query: Query, name: string) => Result.Result<A, Fault>
  /**
   * Whether a cursor of one value is refused with another. `given`: likewise, and cursors from before the parameter live on. Words:
   * of a list of words, those of them that are given, in the same way.
   */
  readonly bound: boolean | "given" | ReadonlyArray<string>
  /** Absent = it never makes a read costly. */
  readonly isCostly?: IsCostly
  /** What the endpoint may refuse because of it, beside a value that is not what is wanted. */
  readonly faults?: ReadonlyArray<FaultKind>
  /** Of the parameter's own name, or of each name that it reads. Absent = not shown. */
  readonly doc?: ParameterDoc | { readonly names: ParameterDocs }
}

export type Parameters<Fault> = Readonly<Record<string, Parameter<unknown, Fault>>>

export type Decoded<P extends Parameters<unknown>> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer A, unknown> ? A : never
}

/** All values by name. Of several faults the first in the order of the record is given. */
export const decodeParameters = <Fault, P extends Parameters<Fault>>(
  parameters: P & Parameters<Fault>,
  query: Query,
): Result.Result<Decoded<P>, Fault> => {
  const decoded: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries<Parameter<unknown, Fault>>(parameters)) {
    const value = parameter.decode(query, name)
    if (Result.isFailure(value)) return Result.fail(value.failure)
    decoded[name] = value.success
  }
  return Result.succeed(decoded as Decoded<P>)
}

/** The values that a cursor is bound to, in the order of the record. */
export const boundValues = <P extends Parameters<unknown>>(
  parameters: P,
  decoded: Decoded<P>,
): ReadonlyArray<readonly [name: string, value: unknown]> =>
  Object.keys(parameters).flatMap((name): ReadonlyArray<readonly [string, unknown]> => {
    const bound = parameters[name]?.bound
    const value = decoded[name]
    if (typeof bound !== "object")
      return bound === true || (bound === "given" && value !== undefined) ? [[name, value]] : []
    const words = (value as ReadonlyArray<string>).filter((word) => bound.includes(word))
    return words.length === 0 ? [] : [[name, words]]
  })

/** What the documentation says of all names that the parameters read. */
export const docsOf = (parameters: Parameters<unknown>): ParameterDocs =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { doc }]) => {
      if (doc === undefined) return []
      return "names" in doc ? Object.entries(doc.names) : [[name, doc]]
    }),
  )

/** What an endpoint with these parameters may refuse beside values that are not what is wanted. */
export const faultsOf = (parameters: Parameters<unknown>): ReadonlyArray<FaultKind> =>
  Object.values(parameters).flatMap(({ faults = [] }) => faults)

type Defined<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The same record without the names that have no value. */
export const defined = <T extends object>(record: T): Defined<T> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Defined<T>
