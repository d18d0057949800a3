/** The actions of `module=proxy`, those by which Blockscout names the same, and what the chain's own node is asked for them. */
import type { NodeAction } from "./action.ts"
import { docsOfMethod, type ProxyMethod, proxyMethods } from "./outside/methods.ts"
import { askNode } from "./outside/proxy.ts"

/** Blockscout's names, and the methods that they are. */
const otherNames = [
  { module: "block", action: "eth_block_number", method: "eth_blockNumber" },
  { module: "account", action: "eth_get_balance", method: "eth_getBalance" },
]

/** Where others say `tag`, Blockscout says `block`. */
const inBlockscouts = (method: ProxyMethod): ProxyMethod => {
  const { tag, ...others } = method.parameters
  return tag === undefined ? method : { ...method, parameters: { ...others, tag: { ...tag, alias: "block" } } }
}

const actionOf = (module: string, action: string, method: ProxyMethod): NodeAction => ({
  of: "node",
  module,
  action,
  doc: { summary: method.summary, query: docsOfMethod(method) },
  cost: () => "node",
  // It is one of the ledger's blocks.
  ...(method.isHeight === true && { newness: "before" }),
  answer: ({ chainId, query }) => askNode(chainId, method, query),
})

export const nodeActions: ReadonlyArray<NodeAction> = [
  ...proxyMethods.map((method) => actionOf("proxy", method.method, method)),
  ...otherNames.flatMap(({ module, action, method: name }) =>
    proxyMethods
      .filter(({ method }) => method === name)
      .map((method) => actionOf(module, action, inBlockscouts(method))),
  ),
]
