/** The actions of `module=proxy`, and what the chain's own node is asked for them. */
import type { NodeAction } from "./action.ts"
import { docsOfMethod, proxyMethods } from "./outside/methods.ts"
import { askNode } from "./outside/proxy.ts"

export const nodeActions: ReadonlyArray<NodeAction> = proxyMethods.map((method) => ({
  of: "node",
  module: "proxy",
  action: method.method,
  doc: { summary: method.summary, query: docsOfMethod(method) },
  cost: () => "node",
  answer: ({ chainId, query }) => askNode(chainId, method, query),
}))
