/** The compatibility endpoint as one operation: a table of its actions to read, `x-actions` for programs, an example of each. */
import type { CompatAction, NodeAction } from "../compat/action.ts"
import { actions } from "../compat/actions.ts"
import { getLogs } from "../compat/getLogs.ts"
import { nodeActions } from "../compat/nodeActions.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import type { ParameterDocs } from "../contract/parameter.ts"
import { statuses } from "../contract/statuses.ts"
import { ifNoneMatch, minBlock, notModifiedResponse } from "./etags.ts"
import { examples, shown } from "./examples.ts"
import { compatHeaders, headersOf } from "./headers.ts"
import { type Json, mediaOf, refTo } from "./json.ts"
import { headOf } from "./operations.ts"
import { pathParametersOf, queryParametersOf } from "./parameters.ts"
import { refusalResponses } from "./refusals.ts"
import type { Schemas } from "./schemas.ts"

const nameOf = ({ module, action }: Pick<CompatAction, "module" | "action">): string => `${module}/${action}`

/** The envelope, or for `module=proxy` what the node says. */
const answers: Json = {
  oneOf: ["CompatAnswer", "CompatRefusal", "NodeAnswer"].map((name) => refTo("schemas", name)),
}

export const compatOperation = (endpoint: Endpoint, schemas: Schemas): Json => ({
  ...headOf(endpoint),
  description: `${endpoint.doc.description}\n\n${table}\n\n${rules}\n\n${nodeTable}\n\n${gateway}`,
  parameters: [
    ...pathParametersOf(endpoint),
    ...queryParametersOf(endpoint.id, parametersOf(endpoint.doc.query)),
    ifNoneMatch,
    minBlock,
  ],
  responses: {
    [statuses.ok]: {
      description: "The answer, or a refusal in the same envelope: `status` tells which. A refusal has no `etag`",
      headers: compatHeaders,
      content: mediaOf(answers, { ...shown(examples.actions), ...shown(refusalsWithOk()) }),
    },
    ...notModifiedResponse(compatHeaders),
    ...refusalResponses(endpoint, schemas),
  },
  "x-actions": actions.map((action) => ({
    module: action.module,
    action: action.action,
    summary: action.doc.summary,
    parameters: queryParametersOf("", action.doc.query),
    result: schemas.of(action.doc.result),
    example: examples.actions[nameOf(action)],
  })),
})

/** The same asked by POST. */
export const compatForm = (endpoint: Endpoint, schemas: Schemas): Json => {
  const head = headOf(endpoint)
  return {
    ...head,
    operationId: `${String(head.operationId)}ByForm`,
    summary: `${endpoint.doc.summary}, by a form`,
    description:
      "The same as GET. Parameters come in the URL, in a form, or in both: of a name that is in both the URL's counts. The answer has no `etag`.",
    parameters: pathParametersOf(endpoint),
    requestBody: {
      content: {
        "application/x-www-form-urlencoded": {
          schema: {
            type: "object",
            properties: Object.fromEntries(
              Object.entries(endpoint.doc.query).map(([name, { description, schema }]) => [
                name,
                { description, ...schema },
              ]),
            ),
          },
        },
      },
    },
    responses: {
      [statuses.ok]: {
        description: "The answer, or a refusal in the same envelope: `status` tells which",
        headers: headersOf(true),
        content: mediaOf(answers, {}),
      },
      ...refusalResponses(endpoint, schemas),
    },
  }
}

/** The envelope's two forms. `result` is what the action says. */
export const compatSchemas = (schemas: Schemas): Json => ({
  CompatAnswer: {
    type: "object",
    description: "A question that was answered",
    properties: {
      status: {
        enum: ["1", "0"],
        description: "`0` only of an empty list of transactions or transfers on Etherscan's own paths",
      },
      message: { enum: ["OK", "No transactions found", "No records found"] },
      result: {
        description: "The action's own; of one that is forwarded whatever the upstream says",
        anyOf: [...[...new Set(actions.map(({ doc }) => doc.result))].map(schemas.of), {}],
      },
    },
    required: ["status", "message", "result"],
  },
  NodeAnswer: {
    type: "object",
    description: "What the chain's own node answers to `module=proxy`, in JSON-RPC's shape",
    properties: {
      jsonrpc: { const: "2.0" },
      id: { const: 1 },
      result: { description: "As the node gives it" },
      error: {
        type: "object",
        properties: { code: { type: "integer" }, message: { type: "string" }, data: { type: "string" } },
        required: ["code", "message"],
      },
    },
    required: ["jsonrpc", "id"],
  },
  CompatRefusal: {
    type: "object",
    description: "A question that was refused",
    properties: {
      status: { const: "0" },
      message: { type: "string", description: "`NOTOK`, or what is wrong" },
      result: { type: ["string", "null"], description: "What is wrong, or null" },
    },
    required: ["status", "message", "result"],
  },
})

/** What one operation can say of a parameter: which actions take it. Required by some = by none that others may leave out. */
const parametersOf = (docs: ParameterDocs): ParameterDocs =>
  Object.fromEntries(
    Object.entries(docs).map(([name, doc]) => {
      const takers = [...actions, ...nodeActions, getLogs].filter((action) => Object.hasOwn(action.doc.query, name))
      if (takers.length === 0) return [name, doc]
      const { default: _, ...schema } = doc.schema
      const isSame = new Set(takers.map((action) => action.doc.query[name]?.schema.default)).size === 1
      const defaults = isSame ? "" : `. Default: ${defaultsOf(name, takers)}`
      const description = `${doc.description}${defaults}. ${takersOf(name, takers)}`
      return [name, { ...doc, description, schema: isSame ? doc.schema : schema, required: false }]
    }),
  )

const takersOf = (name: string, takers: ReadonlyArray<CompatAction | NodeAction>): string => {
  const [needing = [], taking = []] = [true, false].map((needs) =>
    takers.filter(({ doc }) => (doc.query[name]?.required === true) === needs).map(({ action }) => action),
  )
  const texts = [
    needing.length > 0 ? `needed by ${needing.join(", ")}` : "",
    taking.length > 0 ? `taken by ${taking.join(", ")}` : "",
  ]
  const text = texts.filter((it) => it !== "").join("; ")
  return text[0]!.toUpperCase() + text.slice(1)
}

const defaultsOf = (name: string, takers: ReadonlyArray<CompatAction | NodeAction>): string =>
  [...Map.groupBy(takers, (taker) => taker.doc.query[name]?.schema.default)]
    .map(([value, of]) => `${value} (${of.map(({ action }) => action).join(", ")})`)
    .join(", ")

const refusalsWithOk = () =>
  Object.fromEntries(
    Object.entries({ ...examples.refusals.compat, ...examples.common.compat }).filter(
      ([, { status }]) => status === statuses.ok,
    ),
  )

const cell = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

const tableOf = (rows: ReadonlyArray<CompatAction | NodeAction>): string =>
  [
    "| module | action | parameters | answers |",
    "|---|---|---|---|",
    ...rows.map(
      ({ module, action, doc }) =>
        `| \`${module}\` | \`${action}\` | ${cell(Object.keys(doc.query))} | ${doc.summary} |`,
    ),
  ].join("\n")

const table = tableOf(actions)

const nodeTable = `The chain's own node answers these, in JSON-RPC's shape, errors too:\n\n${tableOf(nodeActions)}`

const gateway = [
  `\`logs/getLogs\` (${cell(Object.keys(getLogs.doc.query))}) is answered in the envelope: of followed signatures by the ledger where that is exact, else by the node.`,
  "Other actions of Etherscan's API are forwarded to an upstream where one is configured, else refused by their names.",
  "`x-served-by` says who answered, where it was not the ledger: `upstream` or `node`. Such answers have no `etag` and no as-of.",
].join(" ")

const rules = [
  "Every scalar of an answer is a text, quantities are raw subunits (`getapilimit` alone answers numbers, as Etherscan does).",
  'Unknown tokens and holders have `"0"`, empty lists are `[]`. A page is never shortened silently.',
  "Faults are found in this order: key, chain, module, action, chainid, address, contractaddress, block, page and offset.",
].join(" ")
