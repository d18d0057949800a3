/** Who is right where a history and the node tell different logs: the blocks' receipts, where they prove them whole. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { allHeaders } from "../verify/headers.ts"
import type { Verifier } from "../verify/verifier.ts"
import { differentBlock, differingBlocks } from "./compare.ts"

/** Of more blocks nobody asks: then the node is believed. */
const mostBlocks = 64

/** Whether receipts prove the history's logs of every block in which the two differ, in whatever. */
export const isProvenRight = Effect.fnUntraced(function* (
  verifier: Verifier,
  own: ReadonlyArray<Log>,
  others: ReadonlyArray<Log>,
) {
  const { node, report, isFollowed } = verifier
  const differing = differingBlocks(own, others)
  if (node.proveFinal === undefined || differing.length === 0 || differing.length > mostBlocks) return false
  const found = yield* allHeaders(
    verifier,
    differing.map(({ number }) => number),
  )
  const headers = found.filter(({ receipts }) => receipts !== undefined)
  if (headers.length < found.length) return false
  const proofs = yield* node.proveFinal(headers)
  const isProven = differing.every((block, place) => {
    const proof = proofs[place]
    if (proof === undefined || !("logs" in proof) || !proof.indexed || proof.isWeak === true) return false
    return differentBlock(block.own, proof.logs.filter(isFollowed)) === undefined
  })
  if (!isProven) return false
  const [{ number, own: right, others: told }] = differing as readonly [(typeof differing)[number]]
  yield* report.noticed(
    "logs",
    `block ${number}: the node told ${told.length} token logs, its receipts hold the ${right.length} of the history`,
  )
  return true
})
