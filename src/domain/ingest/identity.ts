/** Which chain a node is of: by its id, and by its genesis block. */
import { Effect, Schema } from "effect"
import { type ChainSourceClient, SourceUnavailable } from "../../ports/ChainSource.ts"
import type { FollowSettings } from "./following.ts"

/** A configured node is of another chain. */
export class ForeignNode extends Schema.TaggedError<ForeignNode>()("ForeignNode", { message: Schema.String }) {}

/** Undefined = the node is of the chain that is configured. */
export const findForeign = Effect.fnUntraced(function* (source: ChainSourceClient, { chainId }: FollowSettings) {
  const actual = yield* source.chainId
  if (actual === chainId) return undefined
  return new ForeignNode({
    message: `a node of RPC_URL_${chainId} is of chain ${actual}: correct the setting and start again`,
  })
})

/** The hash of block 0. */
export const readGenesis = Effect.fnUntraced(function* (source: ChainSourceClient) {
  const [genesis] = yield* source.headers([0])
  if (genesis === undefined) return yield* new SourceUnavailable({ kind: "behind", message: "the node has no block 0" })
  return genesis.hash
})
