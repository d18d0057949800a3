/** A sample of a range's blocks, and those in doubt, held against their receipts. */
import { Effect, Random } from "effect"
import type { Log } from "../../../model/block.ts"
import { allHeaders } from "../verify/headers.ts"
import type { Verifier } from "../verify/verifier.ts"
import { blocksBetween, type Evidence, firstBlocksOf } from "./Evidence.ts"
import type { Finding } from "./finding.ts"
import { disproofOf } from "./settle.ts"

/** Blocks of one range at most, but for those that an earlier try found wrong; and of one of which logs were missing. */
const mostBlocks = 64
const mostBlocksOfLossy = 512

export interface Sampled {
  /** All of the range, in order. */
  readonly logs: ReadonlyArray<Log>
  /** Blocks with logs that are looked at in any case. */
  readonly doubted: Iterable<number>
  /** Of which logs were missing in an earlier try: every block is looked at, as far as they are not too many. */
  readonly isLossy: boolean
  /** Blocks that were looked at in an earlier try; grows. */
  readonly read: Set<number>
  /** Told by a node that left logs out, and nobody else can be asked. */
  readonly isDistrusted: boolean
  /** Told by another than the chain's nodes: what it has beside all receipts is its own word, and nothing that a chain adds. */
  readonly isForeign?: boolean
}

/** What its receipts disprove, by block. */
export const checkSample = Effect.fnUntraced(function* (verifier: Verifier, evidence: Evidence, sampled: Sampled) {
  const { node, chainId, isFollowed, report } = verifier
  const { proveFinal } = node
  if (proveFinal === undefined) return []
  const chosen = yield* chooseBlocks(evidence, sampled)
  if (chosen.length === 0) return []
  const headers = (yield* allHeaders(verifier, chosen)).filter(({ receipts }) => receipts !== undefined)
  const proofs = yield* proveFinal(headers)
  const findings: Array<Finding> = []
  for (const [place, header] of headers.entries()) {
    const proof = proofs[place]
    evidence.unread = proof === undefined || "unread" in proof ? evidence.unread + 1 : 0
    if (proof === undefined || "unread" in proof) continue
    if ("complaint" in proof) {
      yield* report.noticed("receipts", `block ${header.number}: ${proof.complaint}`)
      continue
    }
    const own = sampled.logs.filter((log) => log.blockNumber === header.number && isFollowed(log))
    const disproof = disproofOf(own, proof)
    if (disproof === undefined) continue
    const why = `${disproof.why}; RECEIPTS_${chainId}=off goes on without`
    const hasMore = (disproof.right?.length ?? 0) > proof.logs.length
    findings.push({ header, own, why, right: sampled.isForeign === true && hasMore ? undefined : disproof.right })
  }
  return findings
})

const blocksOf = (logs: ReadonlyArray<Log>): ReadonlyArray<number> => {
  const blocks: Array<number> = []
  for (const { blockNumber } of logs) if (blockNumber !== blocks.at(-1)) blocks.push(blockNumber)
  return blocks
}

const chooseBlocks = Effect.fnUntraced(function* (
  evidence: Evidence,
  { logs, doubted, isLossy, isDistrusted, read }: Sampled,
) {
  const chosen = new Set(doubted)
  const blocks = blocksOf(logs)
  for (let first = 0; first < firstBlocksOf(evidence) && blocks.length > 0; first++) {
    chosen.add(blocks[Math.floor(blocks.length * (yield* Random.next))]!)
  }
  for (const blockNumber of blocks) {
    if (chosen.size >= (isLossy ? mostBlocksOfLossy : mostBlocks)) break
    if (isLossy && !read.has(blockNumber)) chosen.add(blockNumber)
    if (--evidence.blocksLeft > 0) continue
    chosen.add(blockNumber)
    evidence.blocksLeft = blocksBetween(evidence, isDistrusted, yield* Random.next)
  }
  for (const number of chosen) read.add(number)
  return [...chosen].sort((a, b) => a - b)
})
