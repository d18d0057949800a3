/** Current figures of tokens whose ledger is not the truth: the contract's own. The ledger is read while the audit is. */
import { Effect } from "effect"
import { FigureUnknown } from "../../model/errors.ts"
import type { Erc1155HolderKey } from "../../model/holder.ts"
import type { Snapshot } from "../../model/page.ts"
import type { Address, BigIntString } from "../../model/primitives.ts"
import type { HeldStandard, HoldersQuery, RankedHoldersQuery } from "../../ports/HolderStore.ts"
import type { TokenQuestion } from "../../ports/TokenViews.ts"
import { tokenHolderList } from "../reads/compat.ts"
import type { TokenQuery } from "../reads/history.ts"
import {
  type BalanceQuery,
  countHolders,
  findBalance,
  type HolderWindowQuery,
  listErc1155Holders,
  listHolders,
  withPercentageOf,
} from "../reads/holders.ts"
import { findSupply } from "../reads/supply.ts"
import { askCode, askNode, type BalanceSource } from "./askNode.ts"
import { type AuditRead, type AuditStatus, isSuspect, isUntold, type Unseen, withAudit } from "./auditStatus.ts"

const ofLedger = { source: "ledger" } as const
const ofNode = { source: "node" } as const

/**
 * What is said of a contract whose figures are in doubt; undefined: the ledger's stand, as all of a block that is named do. A
 * page without rows has no figure that anybody could tell.
 */
const suspectOf = Effect.fnUntraced(function* (
  auditRead: AuditRead,
  rows: ReadonlyArray<unknown>,
  blockNumber?: number,
) {
  if (blockNumber !== undefined || rows.length === 0) return undefined
  const auditStatus = yield* auditRead
  return isSuspect(auditStatus) ? auditStatus : undefined
})

/**
 * After a block that is named it is the ledger's. What neither the ledger nor the node can tell fails, and is never 0: of a
 * token that may be older current figures, of one that is older those of every block, and what is below zero.
 */
export const supplyAt = (query: TokenQuery, auditRead: AuditRead) => {
  const { token, blockNumber } = query
  return Effect.flatMap(findSupply(query), (found) => figureAt(found, { of: "supply", token }, blockNumber, auditRead))
}

/** The same of what somebody holds. */
export const balanceAt = (query: BalanceQuery, auditRead: AuditRead) => {
  const { token, holder, blockNumber } = query
  return Effect.flatMap(findBalance(query), (found) =>
    figureAt(found, { of: "balance", token, holder }, blockNumber, auditRead),
  )
}

interface Figure extends Snapshot<BigIntString> {
  readonly isBelowZero: boolean
  readonly source?: BalanceSource
  /** Where the node was asked, and the figure is the ledger's. */
  readonly ofNode?: true
}

const figureAt = (found: Figure, question: TokenQuestion, blockNumber: number | undefined, auditRead: AuditRead) =>
  withAudit(
    auditRead,
    (auditStatus): ReturnType<typeof figureInDoubt> =>
      auditStatus === undefined || !isSuspect(auditStatus)
        ? Effect.succeed(found)
        : figureInDoubt(found, question, blockNumber, auditStatus),
  )

const figureInDoubt = Effect.fnUntraced(function* (
  found: Figure,
  question: TokenQuestion,
  blockNumber: number | undefined,
  auditStatus: AuditStatus,
) {
  const { unseen } = auditStatus
  if (unseen !== undefined) return yield* figureOfUnseen(found, question, blockNumber, unseen)
  const suspect = blockNumber === undefined ? auditStatus : undefined
  const [figure] = suspect === undefined ? [] : ((yield* askNode(suspect, found.asOf, [question])) ?? [])
  if (figure !== undefined) return { ...found, value: String(figure), ...ofNode }
  const { partial } = auditStatus
  const ledger = found.isBelowZero ? -1n : BigInt(found.value)
  if (partial !== undefined && (blockNumber === undefined || isUntold(partial, question.of, ledger))) {
    const { asOf } = found
    const what = `the ${question.of} is not known`
    const why = `the token ${partial === "known" ? "is" : "may be"} older than the ledger, which starts at block ${asOf[0]?.firstBlock}`
    const node = blockNumber === undefined ? ", and its contract could not be asked" : ""
    return yield* new FigureUnknown({ message: `${what}: ${why}${node}`, asOf })
  }
  return suspect === undefined ? found : { ...found, ...ofLedger }
})

/** What its contract says now. */
const figureOfUnseen = Effect.fnUntraced(function* (
  found: Figure,
  question: TokenQuestion,
  blockNumber: number | undefined,
  unseen: Unseen,
) {
  const answers = blockNumber === undefined ? yield* askNode({ mixed: false }, found.asOf, [question]) : []
  const figure = answers?.[0]
  if (figure !== undefined) return { ...found, value: String(figure), ...ofNode }
  const what = { of: question.of, token: question.token, unseen }
  return yield* nothingWithoutCode(found, what, blockNumber, answers !== undefined)
})

/** What is no contract is no token, and has nothing. Of a contract that does not tell it, or of a block that is named, nobody knows. */
const nothingWithoutCode = Effect.fnUntraced(function* <Found extends Snapshot<unknown>>(
  found: Found,
  { of, token, unseen }: { readonly of: string; readonly token: Address; readonly unseen: Unseen },
  blockNumber: number | undefined,
  isThere = true,
) {
  const { asOf } = found
  const isContract = isThere ? yield* askCode(asOf, token, blockNumber) : undefined
  if (isContract === false) {
    const nothing: Found & { readonly ofNode?: true } = { ...found, ofNode: true }
    return nothing
  }
  const why = {
    older: `the ledger, which starts at block ${asOf[0]?.firstBlock}, has no event of the contract`,
    notKept: `the ledger keeps only TOKENS_${asOf[0]?.chainId}, not this contract`,
  }
  const vain = isContract === undefined ? ", and it could not be asked" : ""
  return yield* new FigureUnknown({ message: `the ${of} is not known: ${why[unseen]}${vain}`, asOf })
})

/** How many hold it. No contract tells that: of one without any event in a ledger that may lack some nobody knows. */
export const holderCountAt = (query: TokenQuery, auditRead: AuditRead) => {
  const { token, blockNumber } = query
  return Effect.flatMap(countHolders(query), (found) =>
    withAudit(auditRead, (auditStatus): ReturnType<typeof nothingWithoutCode<typeof found>> => {
      const unseen = auditStatus?.unseen
      if (unseen === undefined) return Effect.succeed(found)
      return nothingWithoutCode(found, { of: "number of holders", token, unseen }, blockNumber)
    }),
  )
}

/** Whoever the ledger lists, in its order; balances and shares of the supply are the contract's, of all of a page or of none. */
export const currentHolders = Effect.fnUntraced(function* (
  standard: HeldStandard,
  query: RankedHoldersQuery,
  auditRead: AuditRead,
) {
  const page = yield* listHolders(standard, query)
  const suspect = yield* suspectOf(auditRead, page.items, query.blockNumber)
  if (suspect === undefined) return page
  const { token } = query
  const answers = yield* askNode(suspect, page.asOf, [
    { of: "supply", token },
    ...page.items.map(({ address: holder }) => ({ of: "balance", token, holder }) as const),
  ])
  const [supply = 0n, ...balances] = answers ?? []
  if (answers === undefined || balances.includes(undefined)) return { ...page, ...ofLedger }
  const withPercentage = withPercentageOf(supply)
  const items = page.items.map(({ percentage: _, ...holder }, index) =>
    withPercentage({ ...holder, balance: String(balances[index]) }),
  )
  return { ...page, items, ...ofNode }
})

/** The same of ERC-1155. */
export const currentUnits = Effect.fnUntraced(function* (query: HoldersQuery<Erc1155HolderKey>, auditRead: AuditRead) {
  const page = yield* listErc1155Holders(query)
  const suspect = yield* suspectOf(auditRead, page.items, query.blockNumber)
  if (suspect === undefined) return page
  const { token } = query
  const questions = page.items.map(({ address: holder, tokenId }) => ({ of: "unit", token, holder, tokenId }) as const)
  const balances = yield* askNode({ ...suspect, mixed: false }, page.asOf, questions)
  if (balances === undefined || balances.includes(undefined)) return { ...page, ...ofLedger }
  return { ...page, items: page.items.map((it, index) => ({ ...it, balance: String(balances[index]) })), ...ofNode }
})

/** The same by page and offset. */
export const currentHolderList = Effect.fnUntraced(function* (query: HolderWindowQuery, auditRead: AuditRead) {
  const { token, blockNumber } = query
  const found = yield* tokenHolderList(query)
  const suspect = yield* suspectOf(auditRead, found.value, blockNumber)
  if (suspect === undefined) return found
  const questions = found.value.map(({ TokenHolderAddress: holder }) => ({ of: "balance", token, holder }) as const)
  const balances = yield* askNode(suspect, found.asOf, questions)
  if (balances === undefined || balances.includes(undefined)) return { ...found, ...ofLedger }
  const value = found.value.map((it, index) => ({ ...it, TokenHolderQuantity: String(balances[index]) }))
  return { ...found, value, ...ofNode }
})
