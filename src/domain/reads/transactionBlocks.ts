/** In which block a transaction is: what is kept of it tells, or the chain's node. The rows themselves are the ledger's, and name their transaction. */
import { type Cause, Effect } from "effect"
import { BlockUnknown } from "../../model/errors.ts"
import type { ChainId, Hash } from "../../model/primitives.ts"
import type { PlacedTransaction } from "../../model/transfer.ts"
import { ChainNode } from "../../ports/ChainNode.ts"
import type { SourceUnavailable } from "../../ports/ChainSource.ts"
import { KeptTransactions } from "../../ports/KeptTransactions.ts"
import { lacksNode, nodeTimeout } from "../turns/nodeWait.ts"

/** Chains whose nodes are asked at once. */
const atOnce = 16

/** A chain that does not know the transaction is left out. Fails where one cannot be asked: of it nobody knows. */
export const findTransaction = Effect.fnUntraced(function* (chains: ReadonlyArray<ChainId>, hash: Hash) {
  const found = yield* Effect.forEach(chains, (chainId) => findBlock(chainId, hash), { concurrency: atOnce })
  const blocks = Object.fromEntries(
    chains.flatMap((chainId, index) => (found[index] === undefined ? [] : [[chainId, found[index]]])),
  )
  const placed: PlacedTransaction = { hash, blocks }
  return placed
})

const findBlock = Effect.fnUntraced(function* (chainId: ChainId, hash: Hash) {
  const kept = yield* KeptTransactions.use((store) => store.find(chainId, [hash])).pipe(Effect.orElseSucceed(() => []))
  if (kept[0] !== undefined) return kept[0].blockNumber
  const answer = yield* (yield* ChainNode).call(chainId, "eth_getTransactionReceipt", [hash]).pipe(
    Effect.timeout(nodeTimeout),
    Effect.mapError((error) => unknown(chainId, error)),
  )
  if ("error" in answer) return yield* unknown(chainId)
  if (answer.result === null) return undefined
  const { transactionHash, blockNumber } = answer.result as Readonly<Record<string, unknown>>
  const isIts = typeof transactionHash === "string" && transactionHash.toLowerCase() === hash
  if (!isIts || typeof blockNumber !== "string" || !/^0x[0-9a-f]{1,8}$/iu.test(blockNumber)) {
    return yield* unknown(chainId)
  }
  return Number(blockNumber)
})

const unknown = (chainId: ChainId, error?: SourceUnavailable | Cause.TimeoutError) => {
  const isAlone = error !== undefined && lacksNode(error)
  const why = isAlone ? error.message : `the node of chain ${chainId} could not be asked`
  const names = "Name the block by blockNumberFrom and blockNumberTo (both the same)"
  return new BlockUnknown({
    message: `the transaction's block is not known: ${why}. ${names}${isAlone ? "" : ", or try again shortly"}`,
  })
}
