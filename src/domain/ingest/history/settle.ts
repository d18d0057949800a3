/** Who is right where a history and the node tell different logs: the blocks' receipts, where they prove them whole. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import { differencesOf } from "../evidence/compareRange.ts"
import { allHeaders } from "../verify/headers.ts"
import type { Verifier } from "../verify/verifier.ts"
import { differentBlock } from "./compare.ts"

/** Of more blocks nobody asks: then the node is believed. */
const mostBlocks = 64

/** Whether receipts prove the history's logs of every block in which the two differ. */
export const isProvenRight = Effect.fnUntraced(function* (
  verifier: Verifier,
  own: ReadonlyArray<Log>,
  others: ReadonlyArray<Log>,
) {
  const { node, report, isFollowed } = verifier
  const differences = differencesOf(own, others)
  if (node.proveFinal === undefined || differences.length === 0 || differences.length > mostBlocks) return false
  const found = yield* allHeaders(
    verifier,
    differences.map(({ number }) => number),
  )
  const headers = found.filter(({ receipts }) => receipts !== undefined)
  if (headers.length < found.length) return false
  const proofs = yield* node.proveFinal(headers)
  const isProven = differences.every((difference, place) => {
    const proof = proofs[place]
    if (proof === undefined || !("logs" in proof) || !proof.indexed || proof.isWeak === true) return false
    return differentBlock(difference.own, proof.logs.filter(isFollowed)) === undefined
  })
  if (!isProven) return false
  const [{ number, own: right, others: told }] = differences as readonly [(typeof differences)[number]]
  yield* report.noticed(
    "logs",
    `block ${number}: the node told ${told.length} token logs, its receipts hold the ${right.length} of the history`,
  )
  return true
})
