/** Which chain a node has under an id: a chain of one's own may begin anew, and what was final is another then. */
import { Duration, Effect, Option } from "effect"
import type { ChainId, Hash } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import { quantity } from "../wire/abi.ts"
import { headerOf } from "../wire/shapes.ts"

/** The genesis block's hash of each chain, as it was told last, and when it was asked for. */
export type Geneses = Map<ChainId, { readonly hash: string; readonly at: number }>

/** So often it is looked. */
const lookMs = 5000
const waits = Duration.seconds(2)

/** A hash that the node does not tell is as it was; empty where it never told it. */
export const genesisOf = Effect.fnUntraced(function* (
  geneses: Geneses,
  chainId: ChainId,
  client: Pick<RpcClient, "batch">,
) {
  const now = yield* steadyMillis
  const known = geneses.get(chainId)
  if (known !== undefined && now - known.at < lookMs) return known.hash
  // Whoever comes meanwhile does not wait, nor ask too.
  geneses.set(chainId, { hash: known?.hash ?? "", at: now })
  const asked = Effect.timeoutOption(client.batch([hashCall(0)]), waits)
  const told = Option.getOrUndefined(Option.flatten(yield* Effect.option(asked)))
  const hash = String(told?.[0] ?? known?.hash ?? "")
  geneses.set(chainId, { hash, at: now })
  return hash
})

/** Of the block of that number; undefined = there is none. */
export const hashCall = (blockNumber: number): RpcCall<Hash | undefined> => ({
  method: "eth_getBlockByNumber",
  params: [quantity(blockNumber), false],
  read: (result) => headerOf(result)?.hash,
})
