/** Figures of a token, the ledger's and the contract's: what can be asked, what was answered, which is which. Pure. */

import type { AuditDifference } from "../../../model/audit.ts"
import type { AuditSample, LedgerFigure } from "../../../ports/AuditStore.ts"
import type { TokenQuestion } from "../../../ports/TokenViews.ts"

/** A figure that both sides gave. */
export type Answered = LedgerFigure & { readonly node: bigint }

export const isEqual = ({ ledger, node }: Answered): boolean => ledger === node

/**
 * What a contract can be asked of a sample. One that is ERC-20 and ERC-721 at once has one `balanceOf` for both: there
 * ids are compared by their owners alone.
 */
export const questionsOf = ({ token, mixed, figures }: AuditSample): ReadonlyArray<LedgerFigure> =>
  mixed && token.standard === "erc721" ? figures.filter(({ of }) => of === "owner") : figures

/** For an id that nobody owns any more a contract reverts: so it does for every id where it has no `ownerOf`. */
export const answeredOf = (
  figures: ReadonlyArray<LedgerFigure>,
  answers: ReadonlyArray<bigint | undefined>,
): ReadonlyArray<Answered> => {
  const hasOwners = figures.some(({ of }, index) => of === "owner" && answers[index] !== undefined)
  return figures.flatMap((figure, index) => {
    const node = answers[index] ?? (figure.of === "owner" && hasOwners ? 0n : undefined)
    return node === undefined ? [] : [{ ...figure, node }]
  })
}

/** The same figure among others of that token. */
export const findSame = <Figure extends TokenQuestion>(
  figures: ReadonlyArray<Figure>,
  wanted: TokenQuestion,
): Figure | undefined => figures.find((figure) => keyOf(figure) === keyOf(wanted))

const keyOf = (question: TokenQuestion): string =>
  [question.of, "holder" in question ? question.holder : "", "tokenId" in question ? question.tokenId : ""].join()

/** As people see it. */
export const differenceOf = (figure: Answered): AuditDifference => {
  const text = (value: bigint) =>
    figure.of === "owner" ? `0x${value.toString(16).padStart(40, "0")}` : value.toString()
  return {
    of: figure.of === "unit" ? "balance" : figure.of,
    ...("holder" in figure ? { holder: figure.holder } : {}),
    ...("tokenId" in figure ? { tokenId: figure.tokenId } : {}),
    ledger: text(figure.ledger),
    node: text(figure.node),
  }
}
