/** Who is right where a history and the node tell different logs: the blocks' receipts, where they prove them whole. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { together } from "../evidence/compareRange.ts"
import type { Finding } from "../evidence/finding.ts"
import { disproofOf } from "../evidence/settle.ts"
import { allHeaders } from "../verify/headers.ts"
import type { Verifier } from "../verify/verifier.ts"
import { differentBlock, differingBlocks } from "./compare.ts"

/** Of more blocks nobody asks: then the node is believed. */
const mostBlocks = 64

interface Settled {
  /** Of every block in which the two differ, in whatever, the history's logs are those that receipts prove, with what the node has beside them. */
  readonly isRight: boolean
  /** What they disprove of the node's. */
  readonly findings: ReadonlyArray<Finding>
  /** The logs that they hold. */
  readonly proven: ReadonlyArray<Log>
}

const unsettled: Settled = { isRight: false, findings: [], proven: [] }

export const settleByReceipts = Effect.fnUntraced(function* (
  verifier: Verifier,
  own: ReadonlyArray<Log>,
  others: ReadonlyArray<Log>,
): Effect.fn.Return<Settled> {
  const { node, report, isFollowed } = verifier
  const differing = differingBlocks(own, others)
  if (node.proveFinal === undefined || differing.length === 0 || differing.length > mostBlocks) return unsettled
  const found = yield* allHeaders(
    verifier,
    differing.map(({ number }) => number),
  )
  const headers = found.filter(({ receipts }) => receipts !== undefined)
  if (headers.length < found.length) return unsettled
  const proofs = yield* node.proveFinal(headers)
  const findings: Array<Finding> = []
  const proven: Array<Log> = []
  let isRight = true
  for (const [place, block] of differing.entries()) {
    const proof = proofs[place]
    if (proof === undefined || !("logs" in proof) || !proof.indexed || proof.isWeak === true) {
      isRight = false
      continue
    }
    for (const log of proof.logs) proven.push(log)
    // What the node has beside its receipts is the chain's own: whoever lacks it is not whole.
    const beside = block.others.filter(({ txHash }) => !proof.transactions.has(txHash))
    const right = together(beside, proof.logs.filter(isFollowed))
    if (right === undefined || differentBlock(block.own, right) !== undefined) isRight = false
    const disproof = disproofOf(block.others, proof)
    if (disproof !== undefined) findings.push({ header: headers[place]!, own: block.others, ...disproof })
  }
  if (!isRight) return { isRight, findings, proven }
  const [{ number, own: right, others: told }] = differing as readonly [(typeof differing)[number]]
  yield* report.noticed(
    "logs",
    `block ${number}: the node told ${told.length} token logs, its receipts hold the ${right.length} of the history`,
  )
  return { isRight, findings, proven }
})
