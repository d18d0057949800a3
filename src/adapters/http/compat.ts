/** The compatibility endpoint: one path under each of its names, the action chosen by the query. */
import { Effect } from "effect"
import { findChain } from "../../domain/chains.ts"
import { actions } from "./compat/actions.ts"
import { refusal } from "./compat/parameters.ts"
import { type Call, chainPath, type Endpoint } from "./endpoint.ts"
import { firstValue, foldNames, type Query } from "./query.ts"

/** Every published client uses `/etherscan/api`; some add a slash. */
const paths = ["/compat/api", "/compat/api/", "/etherscan/api", "/etherscan/api/"]

/** Faults in this order: chain, module, action, chainid, then the action's parameters. */
const answer = Effect.fnUntraced(function* (call: Call) {
  const { chainId } = yield* findChain(call.param("networkId"), call.param("chainId"))
  const query = foldNames(call.query)
  const action = yield* findAction(query)
  yield* checkChainId(query, chainId)
  const { asOf, value } = yield* action.result(chainId, query)
  return { asOf, body: { status: "1", message: "OK", result: value } }
})

export const compat: ReadonlyArray<Endpoint> = paths.map((path) => ({
  id: "compat",
  path: chainPath + path,
  style: "compat",
  answer,
}))

const findAction = Effect.fnUntraced(function* (query: Query) {
  const module = firstValue(query, "module")?.toLowerCase()
  const ofModule = actions.filter((candidate) => candidate.module === module)
  if (ofModule.length === 0) return yield* refusal("Error! Missing Or invalid Module name")
  const name = firstValue(query, "action")?.toLowerCase()
  const action = ofModule.find((candidate) => candidate.action === name)
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
