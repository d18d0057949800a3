/** Who is right where two nodes tell different logs of one block: its receipts, its bloom, a third node; else who has more. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { ProvenReceipts, ReceiptsProof, SourceHeader, SourceNodes } from "../../../ports/ChainSource.ts"
import { receiptsDispute } from "../verify/receiptsDispute.ts"
import type { Verifier } from "../verify/verifier.ts"
import { askNode } from "./askNode.ts"
import { beyond, type Difference, together } from "./compareRange.ts"

/** The two nodes by their places. */
export interface Disputed extends Difference {
  readonly header: SourceHeader
  readonly proof: ReceiptsProof | undefined
  readonly teller: number
  readonly other: number
}

export type Settled =
  /** `right`: what the block holds, where that is known. */
  | { readonly wrong: "teller"; readonly why: string; readonly right?: ReadonlyArray<Log> | undefined }
  | { readonly wrong: "other" }

/** `header`: of the block of our chain. `proof`: what its receipts prove. */
export const settle = Effect.fnUntraced(function* (
  verifier: Verifier,
  nodes: SourceNodes,
  { header, proof, teller, other, own, others, more }: Disputed,
): Effect.fn.Return<Settled> {
  const label = nodes.labels[other]!
  if (proof !== undefined && "logs" in proof) {
    const disproof = disproofOf(own, proof)
    if (disproof !== undefined) return { wrong: "teller", ...disproof }
    if (receiptsDispute(others, proof) !== undefined) return { wrong: "other" }
  }
  // Nodes leave logs out, they hardly ever invent them: another's silence denies nothing.
  if (more.length === 0 || more.some(({ blockHash }) => blockHash !== header.hash)) return { wrong: "other" }
  if (isDenied(verifier, header, more)) return { wrong: "other" }
  const wrong = (why: string): Settled => ({ wrong: "teller", why, right: together(own, more) })
  const range = { from: header.number, to: header.number }
  for (const node of nodes.labels.keys()) {
    if (node === other) continue
    const { logs } = (yield* askNode(nodes, node, range, 1)) ?? {}
    if (logs === undefined) continue
    if (beyond(more, logs).length === 0) {
      return wrong(`asked again it holds ${logs.length} (${nodes.labels[node]})`)
    }
    if (node !== teller && logs.length > 0 && beyond(own, logs).length === 0) return { wrong: "other" }
  }
  return wrong(`another node tells ${others.length} (${label})`)
})

/** What receipts show to be missing or not there; `right`: what they show, with what a chain adds beside its transactions. */
export const disproofOf = (own: ReadonlyArray<Log>, proof: ProvenReceipts) => {
  const dispute = receiptsDispute(own, proof)
  if (dispute === undefined || dispute.kind === "order") return undefined
  const lacks = beyond(proof.logs, own).length > 0
  // Receipts that only a bloom speaks for may lack a log themselves.
  if (!lacks && proof.isWeak === true) return undefined
  const beside = own.filter(({ txHash }) => !proof.transactions.has(txHash))
  return { why: dispute.why, right: proof.indexed ? together(beside, proof.logs) : undefined }
}

/** By a bloom of a chain whose blooms have never left out a log. */
const isDenied = ({ traits }: Verifier, { bloom }: SourceHeader, logs: ReadonlyArray<Log>): boolean =>
  bloom !== undefined &&
  traits.bloomsReliable &&
  traits.unlistedBlocks === 0 &&
  !traits.emptyBloomsSayNothing &&
  logs.some((log) => !bloom.mayHold(log))
