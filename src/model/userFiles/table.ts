/** A schema of objects by key, of which every fault is told: those of keys, of rows, and keys that come twice. */
import { Effect, Result, Schema, SchemaIssue, SchemaParser } from "effect"
import { isObject } from "./shapes.ts"

/**
 * An object by key, each once. `of`: what the keys are. A fault of a key hides none of its row. It is told with the key as
 * the value that is there; where values are not shown, it is told at the key.
 */
export const table = <Key extends Schema.Codec<string, string>, Row extends Schema.Codec<unknown, unknown>>(
  key: Key,
  row: Row,
  of: string,
) =>
  Schema.declareConstructor<Readonly<Record<Key["Type"], Row["Type"]>>, Readonly<Record<string, Row["Encoded"]>>>()(
    [key, row],
    ([key, row]) => {
      const [decodeKey, decodeRow] = [SchemaParser.decodeUnknownResult(key), SchemaParser.decodeUnknownResult(row)]
      const again = new SchemaIssue.InvalidValue({ message: `expected each ${of} once` })
      return (given, ast, options) => {
        if (!isObject(given)) return Effect.fail(new SchemaIssue.InvalidType(ast, given, options))
        const read = {} as Record<Key["Type"], Row["Type"]>
        const seen = new Set<string>()
        const issues: Array<SchemaIssue.Issue> = []
        for (const [name, value] of Object.entries(given)) {
          const there = (issue: SchemaIssue.Issue) => new SchemaIssue.Pointer([name], issue)
          const known = decodeKey(name, options)
          const found = decodeRow(value, options)
          if (Result.isFailure(known)) issues.push(options.reportInput === true ? known.failure : there(known.failure))
          else if (seen.has(known.success)) issues.push(there(again))
          else seen.add(known.success)
          if (Result.isFailure(found)) issues.push(there(found.failure))
          else if (Result.isSuccess(known)) read[known.success] = found.success
        }
        const [first, ...others] = issues
        return first === undefined
          ? Effect.succeed(read)
          : Effect.fail(new SchemaIssue.Composite(ast, [first, ...others], given, options))
      }
    },
    { expected: `an object by ${of}` },
  )
