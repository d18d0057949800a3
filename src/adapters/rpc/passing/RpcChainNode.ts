/** The ChainNode port over JSON-RPC: a call is passed on as it is, and the node's refusal is an answer. */
import { Effect, Layer } from "effect"
import { ChainNode } from "../../../ports/ChainNode.ts"
import { SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { RpcClient } from "../transport/client.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { MaybeTaken, passedCall, transactionCall } from "./passedCall.ts"

/** Of one call, however many nodes are tried. */
const usualTimeoutMs = 10_000

/** `sends`: whether signed transactions are passed on. Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>, sends: boolean) =>
  Layer.effect(
    ChainNode,
    Effect.map(RpcClients.RpcClients, (clients) =>
      ChainNode.of({
        sends,
        call: (chainId, method, params) => {
          const { each, hasty } = clients.of(chainId)
          return pass(hasty, { method, params, nodes: each.length })
        },
      }),
    ),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Exported for tests, which bring a client of their own. `nodes`: how many it can ask. */
export const pass = Effect.fn("RpcChainNode.pass")(function* (
  client: RpcClient,
  { nodes, timeoutMs = usualTimeoutMs, ...call }: Passed,
) {
  return yield* answerOf(client, call, nodes).pipe(
    Effect.timeoutOrElse({
      duration: timeoutMs,
      orElse: () =>
        Effect.fail(new SourceUnavailable({ message: `${client.label}: no answer within ${timeoutMs / 1000} s` })),
    }),
  )
})

const answerOf = Effect.fnUntraced(function* (client: RpcClient, call: Call, nodes: number) {
  const [answer] = yield* client.batch([passedCall(call, nodes)])
  if (!(answer instanceof MaybeTaken)) return answer!
  const [isThere] = yield* client.batch([transactionCall(answer.hash)])
  return isThere ? { result: answer.hash } : answer.refusal
})

interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

interface Passed extends Call {
  readonly nodes: number
  readonly timeoutMs?: number
}
