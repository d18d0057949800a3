/** What a tool is: a question to this service's own endpoints, with arguments that are their parameters. */
import { Schema } from "effect"
import { ChainId } from "../../../model/primitives.ts"
import { standards } from "../../../model/token.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { type Got, type Json, Refusal, type Service, type Value } from "./service.ts"

export type Arguments = Readonly<Record<string, Value>>

export interface Argument {
  readonly schema: Json
  readonly isRequired?: true
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly takes: Readonly<Record<string, Argument>>
  /** Of the answer, an object. */
  readonly gives: Schema.Top
  /** Wire-shaped. Fails with `Refusal`. The arguments are of the kinds that `takes` says. */
  readonly run: (given: Arguments, service: Service) => Promise<object>
}

const described = (schema: Json, description: string): Argument => ({ schema: { ...schema, description } })
export const needed = (argument: Argument): Argument => ({ ...argument, isRequired: true })

const addressSchema = { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" }
export const anAddress = (description: string): Argument => described(addressSchema, description)
export const oneChain = needed(
  described({ type: "string" }, "The chain: its id, or its name; the tool `chains` lists them"),
)
export const chainOrAll = described(
  { type: "string", default: "all" },
  "The chain: its id, or its name; `all` = every followed chain of the network",
)
export const network = described({ type: "string" }, "Beside chain `all`: of which network, `mainnet` by default")
export const standard = described({ type: "string", enum: standards, default: "erc20" }, "As which standard's token")
export const cursor = described({ type: "string" }, "`next` of the answer before, with the same other arguments")
/** Short answers: whoever reads them pays by the word. */
export const limitTo = (usual: number): Argument =>
  described({ type: "integer", minimum: 1, maximum: 100, default: usual }, "Rows")
export const words = described

/** Parameters of an endpoint, as its own documentation has them. */
export const parametersOf = ({ doc, id }: Endpoint, names: ReadonlyArray<string>): Readonly<Record<string, Argument>> =>
  Object.fromEntries(
    names.map((name) => {
      const known = doc.query[name]
      if (known === undefined) throw new Error(`${id} has no parameter ${name}`)
      return [name, described(known.schema as Json, known.description)]
    }),
  )

export const newest = Schema.Array(
  Schema.Struct({
    chainId: ChainId,
    blockNumber: Schema.Finite,
    blockHash: Schema.String,
    timestamp: Schema.String,
    finality: Schema.String,
  }),
)

/** What stands beside every answer: which blocks it is of, and how true it is. */
const told = {
  asOf: newest.annotateKey({ description: "The ledger's newest block when it was read, of each chain" }),
  atBlock: Schema.optionalKey(Schema.Finite).annotateKey({
    description:
      "The block that the answer is of, where one was asked for; absent = the newest, which asOf names, unless atBlocks is there",
  }),
  atBlocks: Schema.optionalKey(
    Schema.Array(Schema.Struct({ chainId: ChainId, blockNumber: Schema.Finite })),
  ).annotateKey({ description: "The same of each chain, where a time was asked of several" }),
  auditState: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "What comparing the token with its contract has shown: exact, drift, rebasing, unverified; of several the worst; absent = nothing is in doubt, or nothing was compared",
  }),
  balanceSource: Schema.optionalKey(Schema.String).annotateKey({ description: "Where figures in doubt come from" }),
}

export const answered = <F extends Schema.Struct.Fields>(fields: F) => Schema.Struct({ ...fields, ...told })

/** A record with more fields, under no name of its own. */
export const withFields = (record: { readonly fields: Schema.Struct.Fields }, fields: Schema.Struct.Fields) =>
  Schema.Struct({ ...record.fields, ...fields })

export const listed = (item: Schema.Top) =>
  answered({
    items: Schema.Array(item),
    next: Schema.optionalKey(Schema.String).annotateKey({ description: "As `cursor`: the rows behind; absent = none" }),
  })

/** The rows of a page, each with what `more` makes of it, and what `item` says first. */
export const pageOf = ({ body, told: beside }: Got, more: (row: Json) => Json = () => ({})) => {
  const { items, link } = body as {
    readonly items: ReadonlyArray<Json>
    readonly link: { readonly nextToken?: string }
  }
  return {
    items: items.map((row) => ({ ...row, ...present(more(row)) })),
    ...(link.nextToken === undefined ? {} : { next: link.nextToken }),
    ...beside,
  }
}

/** Without what is not known. */
export const present = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export const textOf = (given: Arguments, name: string): string => {
  const value = given[name]
  return value === undefined ? "" : String(value)
}

export const optionalText = Schema.optionalKey(Schema.String)
export const decimalOf = (field: string) =>
  optionalText.annotateKey({ description: `\`${field}\` in whole tokens, exact; absent = decimals are not known` })

/** Arguments as a client sent them, or why they are none. What is no known name would be left out without a word. */
export const argumentsOf = ({ takes }: Pick<Tool, "takes">, sent: unknown): Arguments => {
  const given = Object.entries(Object(sent ?? {}) as Json).filter(([, value]) => value !== undefined && value !== null)
  if (typeof (sent ?? {}) !== "object" || Array.isArray(sent)) throw new Refusal("arguments: expected an object")
  for (const [name, value] of given) {
    // `constructor` is a name of every object.
    const known = Object.hasOwn(takes, name) ? takes[name] : undefined
    if (known === undefined)
      throw new Refusal(`${name.slice(0, 64)}: expected one of the arguments ${Object.keys(takes).join(", ")}`)
    const problem = problemOf(known.schema, value)
    if (problem !== undefined)
      throw new Refusal(`${name}: expected ${problem}, got ${JSON.stringify(value).slice(0, 100)}`)
  }
  const missing = Object.entries(takes).find(
    ([name, { isRequired }]) => isRequired === true && !given.some(([known]) => known === name),
  )
  if (missing !== undefined) throw new Refusal(`${missing[0]}: expected a value: ${missing[1].schema.description}`)
  return Object.fromEntries(given) as Arguments
}

/** The kind alone: whether the value is a good one, the endpoint says. Numbers may come as texts and the other way. */
const problemOf = (
  { type, items, enum: choices, pattern, minimum, maximum }: Json,
  value: unknown,
): string | undefined => {
  // Half a character cannot be sent on.
  if (typeof value === "string" && !value.isWellFormed()) return "a text of whole characters"
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  if (type === "array") {
    const all = Array.isArray(value) ? value : [value]
    return all.every((it) => problemOf(Object(items), it) === undefined) ? undefined : "a list of values"
  }
  if (!isScalar) return `one ${type ?? "value"}`
  if (Array.isArray(choices) && !choices.includes(value)) return `one of ${choices.join(", ")}`
  if (typeof pattern === "string" && !new RegExp(pattern, "u").test(String(value))) return `a text like ${pattern}`
  const number = Number(value)
  if (type !== "integer" && type !== "number") return undefined
  if (typeof minimum === "number" && !(number >= minimum)) return `a number from ${minimum}`
  return typeof maximum === "number" && !(number <= maximum) ? `a number up to ${maximum}` : undefined
}
