/** What is known to be in doubt of a stored ledger, from one opening of it to the next, and of its nodes, whichever ledger is opened. */
import { type LostTokens, makeLostTokens } from "../status/LostTokens.ts"
import { type Evidence, makeEvidence } from "./Evidence.ts"

export interface Doubts {
  /** Of the ledger that they speak of; undefined = none was opened yet. */
  birth: string | undefined
  evidence: Evidence
  readonly lost: LostTokens
}

export const makeDoubts = (): Doubts => ({ birth: undefined, evidence: makeEvidence(), lost: makeLostTokens() })

/**
 * This ledger was opened. A resync may have read anew from the very node that left logs out, and nobody told it so: that node stays
 * known, and tokens that lacked logs are looked at once more. Nothing else is known of blocks of another ledger than the one before.
 */
export const doubtsOf = (doubts: Doubts, birth: string): Pick<Doubts, "evidence" | "lost"> => {
  if (doubts.birth !== undefined && doubts.birth !== birth) doubts.evidence = ofAnotherLedger(doubts.evidence)
  doubts.birth = birth
  return { evidence: doubts.evidence, lost: doubts.lost }
}

/** What is known of the nodes themselves, without what they told. */
const ofAnotherLedger = ({ nodes }: Evidence): Evidence => ({
  ...makeEvidence(),
  nodes: new Map([...nodes].map(([node, record]) => [node, { ...record, told: [], forgotten: undefined }])),
})
