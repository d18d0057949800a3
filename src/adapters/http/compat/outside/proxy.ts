/** `module=proxy`: a call of the chain's own node, answered in JSON-RPC's shape, errors too: that is what its clients read. */
import { Effect, Result } from "effect"
import { lacksNode } from "../../../../domain/turns/nodeWait.ts"
import type { ChainId } from "../../../../model/primitives.ts"
import { ChainNode, type NodeAnswer } from "../../../../ports/ChainNode.ts"
import { Freshness } from "../../../../ports/Freshness.ts"
import type { Answer } from "../../contract/call.ts"
import type { Query } from "../../contract/query.ts"
import { type ProxyMethod, paramsOf, sendMethod } from "./methods.ts"

/** `query` with names in lower case. */
export const askNode = Effect.fnUntraced(function* (chainId: ChainId, method: ProxyMethod, query: Query) {
  const node = yield* ChainNode
  if (method === sendMethod && !node.sends) return answerOf({ error: notSent })
  const params = paramsOf(method, query)
  if (Result.isFailure(params)) return answerOf({ error: { code: -32602, message: params.failure } })
  const answer = yield* node.call(chainId, method.method, params.success).pipe(
    // Which node it was, and why, is for the log.
    Effect.tapError(({ message }) => Effect.logDebug(`module=proxy: ${message}`)),
    Effect.catch((failed) => Effect.succeed<NodeAnswer>({ error: lacksNode(failed) ? without : silent })),
  )
  return answerOf(method.isHeight === true ? yield* withinLedger(chainId, answer) : answer)
})

/** Clients ask for the height, scan up to it and go on behind it: a block that the ledger lacks would be one without transfers. */
const withinLedger = Effect.fnUntraced(function* (chainId: ChainId, answer: NodeAnswer) {
  if (!("result" in answer)) return answer
  const stored = yield* (yield* Freshness).newest(chainId)
  if (stored === undefined) return { error: nothing }
  return Number(answer.result) > stored.blockNumber ? { result: `0x${stored.blockNumber.toString(16)}` } : answer
})

const notSent = {
  code: -32601,
  message: "eth_sendRawTransaction is not served here: it needs PROXY_SEND=on",
}
const without = { code: -32000, message: "this process has no node of the chain to ask" }
const nothing = { code: -32000, message: "nothing of the chain is indexed yet. Try again shortly" }
const silent = { code: -32000, message: "the chain's node does not answer at the moment" }

const answerOf = (answer: NodeAnswer): Answer => ({
  asOf: [],
  body: { jsonrpc: "2.0", id: 1, ...("error" in answer ? { error: worded(answer.error) } : answer) },
  outside: "node",
  fleeting: true,
})

/** Clients that meet these two words wait and ask again, whatever they are about. */
const worded = <E extends { readonly message: string }>(error: E): E => ({
  ...error,
  message: error.message.replaceAll(/rate limit/gi, (words) => words.replace(" ", "-")),
})
