/** Which chain a node is of: by its id, and by the block that the chain began with. Some chains, or some of their nodes, have no block 0: there it is block 1. */
import { Effect, Schema } from "effect"
import type { ChainId, Hash } from "../../../model/primitives.ts"
import { type ChainSourceClient, type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
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

type Asked = Pick<ChainSourceClient, "headers">

/** Block 0, or block 1 of a node that says twice that it has no block 0. */
export const readBeginning = Effect.fnUntraced(function* (
  node: Asked,
): Effect.fn.Return<SourceHeader, SourceUnavailable> {
  const [genesis] = yield* node.headers([0])
  if (genesis !== undefined) return genesis
  // What one of many servers behind an address lacks for a moment, another has.
  const [again, first] = yield* node.headers([0, 1])
  const found = again ?? first
  if (found !== undefined) return found
  return yield* new SourceUnavailable({
    kind: "behind",
    message:
      "the node has neither block 0 nor block 1, by which a chain is known: it must give one of them by its number " +
      "(eth_getBlockByNumber). Use a node that has the chain's beginning",
  })
})

/**
 * Whether the node's chain began with a block of this hash, as the same node or one of the other kind gave it: block 0, or
 * block 1 where there is no block 0.
 */
const isBegunWith = Effect.fnUntraced(function* (node: Asked, beginning: SourceHeader, hash: Hash) {
  if (beginning.hash === hash) return true
  if (beginning.number === 1) return beginning.parentHash === hash
  // One that has no block 1 does not show that it is of the chain. One that fails says nothing of it.
  const [first] = yield* node.headers([1])
  return first?.hash === hash
})

/** The hash by which the node's chain is known: as it is stored, where a ledger of this chain is. */
export const readGenesis = Effect.fnUntraced(function* (node: Asked, stored: Hash | undefined) {
  const beginning = yield* readBeginning(node)
  const isStored = stored !== undefined && (yield* isBegunWith(node, beginning, stored))
  return isStored ? stored : beginning.hash
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
  const beginning = yield* readBeginning(node)
  if (yield* isBegunWith(node, beginning, genesisHash)) return
  return yield* new SourceUnavailable({
    kind: "genesis",
    message:
      `the node's block ${beginning.number} is ${beginning.hash}, the ledger's chain began with ${genesisHash}: it is another chain, or one that ` +
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
