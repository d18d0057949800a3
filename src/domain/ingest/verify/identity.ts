/** Which chain a node is of: by its id, and by its genesis block. */
import { Effect, Schema } from "effect"
import type { ChainId, Hash } from "../../../model/primitives.ts"
import { type ChainSourceClient, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { rebuildCommand } from "../../../ports/Ledger.ts"

/** A configured node is of another chain. */
export class ForeignNode extends Schema.TaggedError<ForeignNode>()("ForeignNode", { message: Schema.String }) {}

/** Undefined = the node is of the chain that is configured. */
export const findForeign = Effect.fnUntraced(function* (node: Pick<ChainSourceClient, "chainId">, chainId: ChainId) {
  const actual = yield* node.chainId
  if (actual === chainId) return undefined
  return new ForeignNode({
    message: `a node of RPC_URL_${chainId} is of chain ${actual}: correct the setting and start again`,
  })
})

/** The hash of block 0. */
export const readGenesis = Effect.fnUntraced(function* (node: Pick<ChainSourceClient, "headers">) {
  const [genesis] = yield* node.headers([0])
  if (genesis === undefined) return yield* new SourceUnavailable({ kind: "behind", message: "the node has no block 0" })
  return genesis.hash
})

/** Whether the node has become another chain's. */
export const isForeign = ({ kind }: SourceUnavailable): boolean => kind === "chain" || kind === "genesis"

interface Compared {
  readonly node: Pick<ChainSourceClient, "chainId" | "headers">
  readonly chainId: ChainId
  /** Of the ledger's chain. */
  readonly genesisHash: Hash
}

/** Fails where the node is of another chain than the ledger by now, as after a devnet was begun anew. */
export const checkGenesis = Effect.fnUntraced(function* ({ node, chainId, genesisHash }: Compared) {
  const actual = yield* readGenesis(node)
  if (actual === genesisHash) return
  return yield* new SourceUnavailable({
    kind: "genesis",
    message:
      `the node's block 0 is ${actual}, the ledger's chain began with ${genesisHash}: it is another chain, or one that ` +
      `was begun anew. Nothing was changed. Check the node of RPC_URL_${chainId}; if it is right, run: ` +
      rebuildCommand(chainId),
  })
})

/** The same by its chain id too, which takes longer: an address may lead elsewhere, and chains that parted late have one genesis. */
export const checkIdentity = Effect.fnUntraced(function* (asked: Compared) {
  yield* checkGenesis(asked)
  const foreign = yield* findForeign(asked.node, asked.chainId)
  if (foreign !== undefined) return yield* new SourceUnavailable({ kind: "chain", message: foreign.message })
})
