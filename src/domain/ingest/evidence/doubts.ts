/** What is known to be in doubt of a stored ledger, from one opening of it to the next: with another one in its place it begins anew. */
import { type LostTokens, makeLostTokens } from "../status/LostTokens.ts"
import { type Evidence, makeEvidence } from "./Evidence.ts"

export interface Doubts {
  /** Of the ledger that they speak of; undefined = none was opened yet. */
  birth: string | undefined
  evidence: Evidence
  lost: LostTokens
}

export const makeDoubts = (): Doubts => ({ birth: undefined, evidence: makeEvidence(), lost: makeLostTokens() })

/** This ledger was opened. What a resync has read anew lacks nothing that the one before it lacked. */
export const doubtsOf = (doubts: Doubts, birth: string): Pick<Doubts, "evidence" | "lost"> => {
  if (doubts.birth !== undefined && doubts.birth !== birth) Object.assign(doubts, makeDoubts())
  doubts.birth = birth
  return { evidence: doubts.evidence, lost: doubts.lost }
}
