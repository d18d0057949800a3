/** The compatibility endpoint: one path under each of its names, the action chosen by the query. */
import { Effect, Schema } from "effect"
import { findChain } from "../../../domain/reads/chains.ts"
import type { Call } from "../contract/call.ts"
import type { Cost } from "../contract/cost.ts"
import type { EndpointDoc } from "../contract/documentation.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import type { ParameterDoc } from "../contract/parameter.ts"
import { chainPath } from "../contract/path.ts"
import { firstValue, foldNames, type Query } from "../contract/query.ts"
import { sourceHeader, stateHeader } from "../pipeline/auditState.ts"
import { refuseWhileLoading } from "../pipeline/loading.ts"
import { actions } from "./actions.ts"
import { refusal } from "./parameters.ts"

/** Faults in this order: chain, module, action, chainid, then the action's parameters. */
const answer = Effect.fnUntraced(function* (call: Call) {
  const { chainId } = yield* findChain(call.param("networkId"), call.param("chainId"))
  const query = foldNames(call.query)
  const action = yield* findAction(query)
  if (!action.ofAnyChain) yield* checkChainId(query, chainId)
  if (!action.ofAnyChain) yield* refuseWhileLoading([chainId])
  const { rate, readAudit } = call
  const { asOf, value, state, ...more } = yield* action.result({ chainId, query, rate, readAudit })
  const body = { status: "1", message: "OK", result: value }
  return {
    asOf,
    body,
    headers: { ...stateHeader(chainId, state), ...sourceHeader(more) },
    ...(action.ofAnyChain ? { fleeting: true as const } : {}),
  }
})

/** What every answer of the endpoint is, refusals included. */
export const CompatEnvelope = Schema.Struct({
  status: Schema.Literals(["1", "0"]).annotate({ description: "`1` = fine, `0` = refused" }),
  message: Schema.String,
  result: Schema.Unknown.annotate({ description: "The action's own; of a refusal a text, or null" }),
}).annotate({ identifier: "CompatEnvelope" })

const nameDoc = (description: string, names: ReadonlyArray<string>): ParameterDoc => ({
  description,
  schema: { type: "string", enum: [...new Set(names)] },
  ...(names[0] === undefined ? {} : { example: names[0] }),
  required: true,
})

const doc: EndpointDoc = {
  tag: "Compatibility",
  summary: "Token questions as Etherscan's clients ask them",
  description: "`module` and `action` choose the question; names and the values of both in any letter case.",
  query: {
    module: nameDoc(
      "The action's module",
      actions.map(({ module }) => module),
    ),
    action: nameDoc(
      "What is asked",
      actions.map(({ action }) => action),
    ),
    chainid: { description: "If given, the path's chain", schema: { type: "string" }, example: "43114" },
    ...Object.assign({}, ...actions.map((action) => action.doc.query)),
  },
  body: CompatEnvelope,
  faults: ["ChainNotSupported", "CompatFault"],
}

/** The same under a name. Some clients add a slash. */
const rowsOf = (name: string): ReadonlyArray<Endpoint> => {
  const row: Endpoint = {
    id: "compat",
    path: `${chainPath}/${name}/api`,
    style: "compat",
    about: { kind: "chain", takesAll: false },
    ofLedger: true,
    doc: { ...doc, operationId: `${name}Api`, summary: `${doc.summary} (${name}/api)` },
    cost: (asked) => Effect.succeed(costOf(asked.query)),
    answer,
  }
  return [row, { ...row, path: `${row.path}/`, doc: { ...row.doc, hidden: true } }]
}

/** Every published client uses `/etherscan/api`. */
export const compat: ReadonlyArray<Endpoint> = [...rowsOf("compat"), ...rowsOf("etherscan")]

/** The actions of the module that a query names, and that which it names of them. */
const namedAction = (query: Query) => {
  const module = firstValue(query, "module")?.toLowerCase()
  const name = firstValue(query, "action")?.toLowerCase()
  const ofModule = actions.filter((candidate) => candidate.module === module)
  return { ofModule, action: ofModule.find((candidate) => candidate.action === name) }
}

/** What names no action is refused before anything is read. */
const costOf = (asked: Query): Cost => {
  const query = foldNames(asked)
  return namedAction(query).action?.cost(query) ?? "cheap"
}

const findAction = Effect.fnUntraced(function* (query: Query) {
  const { ofModule, action } = namedAction(query)
  if (ofModule.length === 0) return yield* refusal("Error! Missing Or invalid Module name")
  if (action === undefined) return yield* refusal("Error! Missing Or invalid Action name")
  return action
})

/** Clients that speak to many chains through one path say which they mean. */
const checkChainId = Effect.fnUntraced(function* (query: Query, chainId: string) {
  const given = firstValue(query, "chainid")
  if (given === undefined || given === "" || given === chainId) return
  // Only a plain word is quoted: clients search the text for "no data found" and the like.
  const quoted = /^\w{1,64}$/.test(given) ? given : "given"
  return yield* refusal(`Error! chainid ${quoted} is not the chain of this path, which is ${chainId}`)
})
