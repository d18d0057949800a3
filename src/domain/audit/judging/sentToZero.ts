/** What becomes of what is sent to a token's zero address, by the contract's own supply and balances. Pure. */
import type { SentToZero } from "../../../model/event.ts"
import { zeroAddress } from "../../../model/primitives.ts"
import type { AuditSample } from "../../../ports/AuditStore.ts"
import { type Answered, answeredOf, isEqual, questionsOf } from "./figures.ts"

/** How much the supply and the zero address have in truth beside the ledger's, where nothing else differs; below zero: that much less. */
export const misplacedOf = (sample: AuditSample, answers: ReadonlyArray<bigint | undefined>): bigint | undefined => {
  const answered = answeredOf(questionsOf(sample), answers)
  const supply = answered.find(({ of }) => of === "supply")
  const amount = supply === undefined ? 0n : supply.node - supply.ledger
  if (amount === 0n || amount > sample.burnt) return undefined
  // Of a token that may be older, as much may have been there before as was burnt since: the supply alone does not show which.
  if ((sample.older !== false || amount < 0n) && !answered.some(isOfNobody)) return undefined
  return withZeroAddress(answered, amount).every(isEqual) ? amount : undefined
}

/** Of ERC-20. The rule by which the ledger has the contract's figures; undefined = none, or it has that rule. */
export const sentToZeroOf = (
  { burnt, sentByItself }: AuditSample,
  misplaced: bigint | undefined,
): Exclude<SentToZero, "burnt"> | undefined => {
  if (misplaced === undefined || sentByItself === undefined) return undefined
  // Who keeps all looks the same until the contract itself sends there: then the next look tells.
  if (misplaced === burnt - sentByItself) return "keptButOwn"
  return misplaced === burnt ? "kept" : undefined
}

/** The figures of a ledger in which so much more of what was sent to the zero address is there, and not burnt. */
export const withZeroAddress = (answered: ReadonlyArray<Answered>, amount: bigint): ReadonlyArray<Answered> =>
  answered.map((figure) =>
    figure.of === "supply" || isOfNobody(figure) ? { ...figure, ledger: figure.ledger + amount } : figure,
  )

const isOfNobody = (figure: Answered): boolean => figure.of === "balance" && figure.holder === zeroAddress
