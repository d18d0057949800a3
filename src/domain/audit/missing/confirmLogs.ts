/** Whether logs that the ledger lacks are in the chain's blocks: a node's word alone is not enough. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { type ChainSourceClient, type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"

/** Blocks that are looked at in one go. */
const blocksTogether = 16

export interface Confirmed {
  readonly logs: ReadonlyArray<Log>
  /** Of their blocks. */
  readonly headers: ReadonlyArray<SourceHeader>
  /** Why others are not believed; absent = all are. */
  readonly doubt?: string
}

/**
 * Of each block one of these shows that the logs are in it:
 * - its receipts, which give the root or the bloom in its header
 * - the node in use, asked for the block by its hash, and another node or unproven receipts
 * - the node in use, where there is neither, and the bloom in the header
 *
 * What any of them denies is not believed.
 */
export const confirmLogs = Effect.fnUntraced(function* (node: ChainSourceClient, logs: ReadonlyArray<Log>) {
  const byBlock = [...Map.groupBy(logs, ({ blockNumber }) => blockNumber)]
  const confirmed: Array<Log> = []
  const headers: Array<SourceHeader> = []
  let doubt: string | undefined
  for (let begin = 0; begin < byBlock.length; begin += blocksTogether) {
    const part = byBlock.slice(begin, begin + blocksTogether)
    const found = yield* node.headers(part.map(([number]) => number))
    const absent = part.find((_, place) => found[place] === undefined)
    if (absent !== undefined) return yield* new SourceUnavailable({ message: `the node has no block ${absent[0]}` })
    const own = found as ReadonlyArray<SourceHeader>
    const proofs = node.prove === undefined ? [] : yield* node.prove(own)
    for (const [place, [number, ofBlock]] of part.entries()) {
      const header = own[place]!
      const denial = ofBlock.some(({ blockHash }) => blockHash !== header.hash)
        ? "they are of another fork"
        : yield* denialOf(node, header, ofBlock, proofs[place])
      if (denial === undefined) {
        confirmed.push(...ofBlock)
        headers.push(header)
      } else doubt ??= `block ${number}: ${denial}`
    }
  }
  return { logs: confirmed, headers, ...(doubt === undefined ? {} : { doubt }) } satisfies Confirmed as Confirmed
})

type Proof = Effect.Success<ReturnType<NonNullable<ChainSourceClient["prove"]>>>[number]

const denialOf = Effect.fnUntraced(function* (
  node: ChainSourceClient,
  { hash, bloom }: SourceHeader,
  logs: ReadonlyArray<Log>,
  proof: Proof,
) {
  if (proof !== undefined && "logs" in proof) {
    return holdAll(proof.logs, logs, proof.indexed) ? undefined : "its receipts, which fit its header, do not hold them"
  }
  if (proof !== undefined && "complaint" in proof) return `its receipts do not fit its header: ${proof.complaint}`
  const [inUse] = yield* node.logsOfBlocks([hash])
  if (inUse === undefined || !holdAll(inUse, logs, true)) return "the node in use does not give them"
  const [{ second, receipts } = {}] = yield* node.crossCheck([hash])
  if (second !== undefined && !holdAll(second, logs, true)) return "another node does not give them"
  if (receipts !== undefined && !holdAll(receipts, logs, true)) return "its receipts do not hold them"
  if (second !== undefined || receipts !== undefined) return undefined
  const isShown = bloom !== undefined && !bloom.empty && logs.every((log) => bloom.mayHold(log))
  return isShown ? undefined : "neither receipts nor another node nor its logsBloom show that they are in it"
})

/** Where indexes are not the chain's, the logs themselves are compared. */
const holdAll = (all: ReadonlyArray<Log>, logs: ReadonlyArray<Log>, indexed: boolean): boolean => {
  const textOf = ({ logIndex, address, topics, data, txHash }: Log) =>
    [...(indexed ? [logIndex] : []), address, ...topics, data, txHash].join()
  const known = new Set(all.map(textOf))
  return logs.every((log) => known.has(textOf(log)))
}
