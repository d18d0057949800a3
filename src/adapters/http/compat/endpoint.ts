/** The compatibility endpoint: the same under each of its paths, the action chosen by the query. */
import { Context, Effect, Schema } from "effect"
import { Networks } from "../../../ports/Networks.ts"
import { SyncStatus } from "../../../ports/SyncStatus.ts"
import type { Answer, Call } from "../contract/call.ts"
import type { Cost } from "../contract/cost.ts"
import type { EndpointDoc } from "../contract/documentation.ts"
import type { Endpoint, Newness } from "../contract/endpoint.ts"
import type { Fault } from "../contract/faults.ts"
import type { ParameterDoc, ParameterDocs } from "../contract/parameter.ts"
import { chainPath } from "../contract/path.ts"
import type { Ports } from "../contract/ports.ts"
import { firstValue, foldNames, type Query } from "../contract/query.ts"
import { askedNode, sourceHeader, stateHeader } from "../pipeline/auditState.ts"
import { loadingRefusal } from "../pipeline/loading.ts"
import type { CallerAction, CompatAction, NodeAction } from "./action.ts"
import { actions } from "./actions.ts"
import { belowNetwork, type ChainNaming, inPath, inQuery, otherChain } from "./askedChain.ts"
import { type Dialect, envelopeOf } from "./dialect.ts"
import { getLogs } from "./getLogs.ts"
import { nodeActions } from "./nodeActions.ts"
import { foreignAction, foreignActions } from "./outside/foreignActions.ts"
import { forward } from "./outside/forward.ts"
import { refusal } from "./parameters.ts"

/** Faults in this order: chain, module, action, chainid, then the action's parameters. */
const answerAt = (naming: ChainNaming, dialect: Dialect) => (call: Call) =>
  Effect.contextWith((context: Context.Context<Ports>): Effect.Effect<Answer, Fault, Ports> => {
    const query = foldNames(call.query)
    const { action, isModule } = namedAction(query)
    // A path that names a network is about its chain, whatever is asked.
    if (action?.of === "caller" && naming.of !== undefined) return Effect.succeed(callerAnswer(action, call))
    const chain = naming.find(call, Context.get(context, Networks).chains)
    if ("_tag" in chain) return Effect.fail(chain)
    if (action === undefined) return Effect.fail(unknownAction(isModule))
    if (action.of === "caller") return Effect.succeed(callerAnswer(action, call))
    const { chainId } = chain
    const other = otherChain(call, chainId)
    if (other !== undefined) return Effect.fail(other)
    if (action.of === "node") return action.answer({ chainId, dialect, query })
    if (action.of === "upstream") return forward(chainId, action.foreign, query)
    const loading = loadingRefusal([chainId], Context.get(context, SyncStatus))
    if (loading !== undefined) return Effect.fail(loading)
    const { readAudit, turnOfNode } = call
    return Effect.map(
      action.result({ chainId, dialect, query, readAudit, turnOfNode }),
      ({ asOf, value, state, ofNode, figuresOf, ...more }): Answer => ({
        asOf,
        ...(ofNode === true ? { ofNode } : askedNode(more)),
        ...(figuresOf && { figuresOf }),
        body: envelopeOf(dialect, value, action.list),
        headers: { ...stateHeader(chainId, state), ...sourceHeader(more) },
      }),
    )
  })

/** The pipeline knows the blocks: nothing is read. */
const callerAnswer = ({ result }: CallerAction, { rate }: Call): Answer => ({
  asOf: [],
  body: { status: "1", message: "OK", result: result(rate()) },
  fleeting: true,
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

const optional = (docs: ParameterDocs): ParameterDocs =>
  Object.fromEntries(Object.entries(docs).map(([name, it]) => [name, { ...it, required: false }]))

/** All that a caller may name: what is answered here, by the node, and by an upstream. */
const named = [...actions, ...nodeActions, ...foreignActions.filter(({ isRefused }) => isRefused !== true)]

/** Of all actions; of a name that several take, as the first says it. */
const parameterDocs: ParameterDocs = Object.assign(
  {},
  ...[...nodeActions, getLogs].map((action) => optional(action.doc.query)),
  ...actions.map(({ doc }) => doc.query),
  ...actions.map(({ doc }) => doc.query).reverse(),
)

const doc: EndpointDoc = {
  tag: "Compatibility",
  summary: "Token questions as Etherscan's clients ask them",
  description: "`module` and `action` choose the question; names and the values of both in any letter case.",
  query: {
    module: nameDoc(
      "The action's module",
      named.map(({ module }) => module),
    ),
    action: nameDoc(
      "What is asked",
      named.map(({ action }) => action),
    ),
    chainid: {
      description: "The chain; optional where the path names it, and where one alone is followed",
      schema: { type: "string" },
      example: "43114",
    },
    ...parameterDocs,
  },
  body: CompatEnvelope,
  faults: ["ChainNotSupported", "CompatFault"],
}

/** A path of the endpoint, what it says of the chain, and in which wording it answers. Some clients add a slash. */
const rowsOf = (path: string, operationId: string, naming: ChainNaming, dialect: Dialect): ReadonlyArray<Endpoint> => {
  const { of } = naming
  const row: Endpoint = {
    id: "compat",
    path,
    style: "compat",
    about: { kind: "chain", takesAll: false },
    ...(of && { chainOf: (asked, followed) => of(asked, followed)?.chainId }),
    ofLedger: true,
    doc: { ...doc, operationId, summary: `${doc.summary} (${path.replace(`${chainPath}/`, "")})` },
    cost: (asked) => Effect.succeed(costOf(asked.query)),
    newness: ({ query }) => newnessOf(query),
    answer: answerAt(naming, dialect),
  }
  return [row, { ...row, path: `${row.path}/`, doc: { ...row.doc, hidden: true } }]
}

/** Clients of Routescan use `/etherscan/api`, those of Etherscan `/v2/api`, older ones `/api`. */
export const compat: ReadonlyArray<Endpoint> = [
  ...rowsOf(`${chainPath}/compat/api`, "compatApi", belowNetwork, "routescan"),
  ...rowsOf(`${chainPath}/etherscan/api`, "etherscanApi", belowNetwork, "routescan"),
  ...rowsOf("/v2/api", "v2Api", inQuery, "etherscan"),
  ...rowsOf("/api", "api", inQuery, "etherscan"),
  ...rowsOf("/{chainId}/api", "chainApi", inPath, "etherscan"),
]

const served: ReadonlyArray<CompatAction | NodeAction> = [...actions, ...nodeActions, getLogs]

const ofUpstream = (): Cost => "upstream"

/** By module and action, in lower case. */
const servedByName = new Map(served.map((it) => [`${it.module} ${it.action.toLowerCase()}`, it]))
const modules = new Set([...served, ...foreignActions].map(({ module }) => module))

/** The action that a query names, and whether it names a module. */
const findAction = (query: Query) => {
  const module = firstValue(query, "module")?.toLowerCase()
  const name = firstValue(query, "action")?.toLowerCase()
  const own = servedByName.get(`${module} ${name}`)
  const foreign = own === undefined ? foreignAction(query) : undefined
  const isModule = module !== undefined && modules.has(module)
  return { isModule, action: own ?? (foreign && { of: "upstream" as const, cost: ofUpstream, foreign }) }
}

/** Of the query that was asked about last: a request asks what it costs, then for its answer. */
let last: { readonly query?: Query; readonly found: ReturnType<typeof findAction> } = { found: findAction([]) }

const namedAction = (query: Query) => {
  if (last.query !== query) last = { query, found: findAction(query) }
  return last.found
}

/** What names no action is refused before anything is read. */
const costOf = (asked: Query): Cost => {
  const query = foldNames(asked)
  return namedAction(query).action?.cost(query) ?? "cheap"
}

/** Others are asked once: what is sent twice may be done twice, and each call counts for whose key it is. */
const newnessOf = (asked: Query): Newness => {
  const { action } = namedAction(foldNames(asked))
  if (action === undefined || action.of === "chain") return "told"
  return action.of === "node" ? (action.newness ?? "none") : "none"
}

const unknownAction = (isModule: boolean) => refusal(`Error! Missing Or invalid ${isModule ? "Action" : "Module"} name`)
