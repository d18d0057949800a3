/** Which chain a node is of: by its id, and by its genesis block. */
import { Effect, Schema } from "effect"
import { type ChainSourceClient, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { rebuildCommand } from "../../../ports/Ledger.ts"
import type { Following, FollowSettings } from "../state.ts"

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

/** Whether the node has become another chain's. */
export const isForeign = ({ kind }: SourceUnavailable): boolean => kind === "chain" || kind === "genesis"

/**
 * Fails where the node is of another chain than the ledger by now, as after a devnet was begun anew or where an address
 * leads elsewhere. `whole`: its chain id is asked for too, which takes longer; chains that parted late have one genesis.
 */
export const checkIdentity = Effect.fnUntraced(function* (
  { source, settings, genesisHash }: Pick<Following, "source" | "settings" | "genesisHash">,
  whole: boolean,
) {
  const actual = yield* readGenesis(source)
  if (actual !== genesisHash) {
    return yield* new SourceUnavailable({
      kind: "genesis",
      message:
        `the node's block 0 is ${actual}, the ledger's chain began with ${genesisHash}: it is another chain, or one that ` +
        `was begun anew. Nothing was changed. Check the node of RPC_URL_${settings.chainId}; if it is right, run: ` +
        rebuildCommand(settings.chainId),
    })
  }
  const foreign = whole ? yield* findForeign(source, settings) : undefined
  if (foreign !== undefined) return yield* new SourceUnavailable({ kind: "chain", message: foreign.message })
})
