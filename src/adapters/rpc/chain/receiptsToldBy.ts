/** What the nodes told of one block's receipts, and what follows from all of it. Pure. */
import type { ProvenReceipts, ReceiptsProof } from "../../../ports/ChainSource.ts"
import type { Denial, Verdict } from "./receiptsVerifier.ts"

/** What one node told. */
export interface Told {
  /** Scheme and host. */
  readonly node: string
  readonly verdict: Verdict
  /** Where they are proven. */
  readonly proof?: ProvenReceipts
}

export interface Conclusion {
  readonly proof: ReceiptsProof | undefined
  /** Nothing is known, and it is worth while to look at other blocks. */
  readonly isDoubtful?: boolean
  /** More nodes than one, or a reason in the receipts, show that the header's bloom has logs that are in no receipt. */
  readonly isChainsWay?: boolean
}

/** No other node needs to be asked. */
export const isSettled = (told: ReadonlyArray<Told>): boolean =>
  told.some(({ verdict }) => ("proven" in verdict ? !verdict.isWeak : "isDoubtful" in verdict && !verdict.isDoubtful))

/** `told`: at least one. A root counts for more than a bloom, and what all tell alike for more than a bloom that denies it. */
export const conclude = (told: ReadonlyArray<Told>): Conclusion => {
  const denials = told.flatMap(({ node, verdict }) => ("denied" in verdict ? [{ node, ...verdict }] : []))
  const proven = told.filter(({ proof }) => proof !== undefined)
  const strong = proven.find(({ verdict }) => "proven" in verdict && !verdict.isWeak)
  // Receipts leave logs out, they do not invent them.
  const best = strong ?? [...proven].sort((a, b) => b.proof!.logs.length - a.proof!.logs.length)[0]
  if (best?.proof !== undefined) {
    const others = told.filter((each) => each !== best && !("proven" in each.verdict))
    const denied = others.map(({ node, verdict }) => `${node}: ${"denied" in verdict ? verdict.denied : lacking}`)
    const proof = strong === undefined ? { ...best.proof, isWeak: true } : best.proof
    return { proof: denied.length === 0 ? proof : { ...proof, denied: denied.join("; ") } }
  }
  const first = denials[0]
  if (first === undefined) return { proof: undefined, isDoubtful: told.every(({ verdict }) => isDoubtful(verdict)) }
  if (isChainsWay(denials)) return { proof: undefined, isChainsWay: true }
  return { proof: { complaint: denials.map(({ node, denied }) => `${denied} (${node})`).join("; ") } }
}

const lacking = "they lack logs that its header's logsBloom shows"

const isDoubtful = (verdict: Verdict): boolean => "isDoubtful" in verdict && verdict.isDoubtful

const isChainsWay = (denials: ReadonlyArray<Denial>): boolean =>
  denials.length === 1
    ? denials[0]!.isExcused === true
    : denials.every(({ gives }) => gives !== undefined && gives === denials[0]!.gives)
