/** In which block a transaction is: what is kept of it tells, or the chain's node, which may be on another fork. The rows themselves are the ledger's, and name their transaction. */
import { type Cause, Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { BlockUnknown } from "../../model/errors.ts"
import type { ListPage } from "../../model/page.ts"
import { type ChainId, type Hash, hashOfHex } from "../../model/primitives.ts"
import type { PlacedBlock, PlacedTransaction } from "../../model/transfer.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"
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

/**
 * Fails where a chain's node has the transaction in a block that the ledger does not have, further on or on another fork, and the page has no row
 * of that chain: an empty list would say that there is none.
 */
export const refuseUnread = Effect.fnUntraced(function* (
  chains: ReadonlyArray<ChainId>,
  { blocks = {} }: PlacedTransaction,
  { asOf, items }: Pick<ListPage<{ readonly chainId: ChainId }, unknown>, "asOf" | "items">,
) {
  for (const chainId of chains) {
    const told = blocks[chainId]
    if (told === undefined || items.some((item) => item.chainId === chainId)) continue
    const point = asOf.find((it) => it.chainId === chainId)
    if (point !== undefined && (yield* hasBlock(point, told))) continue
    const place = `the node of chain ${chainId} has the transaction in block ${told.number}`
    const at = point === undefined ? "it has none yet" : `it is at block ${point.blockNumber}`
    return yield* new BlockUnknown({
      message: `${place}, which the ledger does not have: ${at}. Try again shortly`,
    })
  }
})

/** Whether the ledger had it at that point. Of a block that is not final nobody knows once something was rolled back since. */
const hasBlock = Effect.fnUntraced(function* (point: AsOf, { number, hash }: PlacedBlock) {
  if (number > point.blockNumber) return false
  const times = yield* BlockTimes
  const { asOf, value } = yield* times.newest(point.chainId, hash)
  return number <= value.finalizedBlock || (value.ofHash === number && asOf[0]?.rewrites === point.rewrites)
})

const findBlock = Effect.fnUntraced(function* (chainId: ChainId, hash: Hash) {
  const kept = yield* KeptTransactions.use((store) => store.find(chainId, [hash])).pipe(Effect.orElseSucceed(() => []))
  if (kept[0] !== undefined) return { number: kept[0].blockNumber, hash: kept[0].blockHash }
  const answer = yield* (yield* ChainNode).call(chainId, "eth_getTransactionReceipt", [hash]).pipe(
    Effect.timeout(nodeTimeout),
    Effect.mapError((error) => unknown(chainId, error)),
  )
  if ("error" in answer) return yield* unknown(chainId)
  if (answer.result === null) return undefined
  const { transactionHash, blockNumber, blockHash } = answer.result as Readonly<Record<string, unknown>>
  const isIts = typeof transactionHash === "string" && transactionHash.toLowerCase() === hash
  if (!isIts || typeof blockNumber !== "string" || !/^0x[0-9a-f]{1,8}$/iu.test(blockNumber)) {
    return yield* unknown(chainId)
  }
  if (typeof blockHash !== "string" || !/^0x[0-9a-f]{64}$/iu.test(blockHash)) return yield* unknown(chainId)
  const told: PlacedBlock = { number: Number(blockNumber), hash: hashOfHex(blockHash.toLowerCase()) }
  return told
})

const unknown = (chainId: ChainId, error?: SourceUnavailable | Cause.TimeoutError) => {
  const isAlone = error !== undefined && lacksNode(error)
  const why = isAlone ? error.message : `the node of chain ${chainId} could not be asked`
  const names = "Name the block by blockNumberFrom and blockNumberTo (both the same)"
  return new BlockUnknown({
    message: `the transaction's block is not known: ${why}. ${names}${isAlone ? "" : ", or try again shortly"}`,
  })
}
