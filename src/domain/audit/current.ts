/** Current figures of tokens whose ledger is not the truth: the contract's own. The ledger is read while the audit is. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import { FigureUnknown } from "../../model/errors.ts"
import type { Erc1155HolderKey } from "../../model/holder.ts"
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
  listUnits,
  withPercentageOf,
} from "../reads/holders.ts"
import { findSupply } from "../reads/supply.ts"
import { askNode } from "./askNode.ts"
import { type AuditRead, type AuditStatus, isSuspect, isUntold, withAudit } from "./auditStatus.ts"
import { type Figure, figureOfUnseen, figureOfUntold, nothingUntold, nothingWithoutCode } from "./unseen.ts"

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

const figureAt = (found: Figure, question: TokenQuestion, blockNumber: number | undefined, auditRead: AuditRead) =>
  withAudit(
    auditRead,
    (auditStatus): ReturnType<typeof figureInDoubt> =>
      auditStatus === undefined || !(isSuspect(auditStatus) || auditStatus.unseen !== undefined)
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
  if (unseen === "odd" || unseen === "silent") return yield* figureOfUntold(found, question, blockNumber, unseen)
  if (unseen !== undefined) return yield* figureOfUnseen(found, question, blockNumber, unseen)
  const suspect = blockNumber === undefined ? auditStatus : undefined
  const [figure] = suspect === undefined ? [] : ((yield* askNode(suspect, found.asOf, [question])) ?? [])
  if (figure !== undefined) return { ...found, value: String(figure), ...ofNode }
  const isNone = question.of === "supply" && auditStatus.isErc1155 === true
  const partial = isNone ? undefined : auditStatus.partial
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

/** How many hold it. No contract tells that: of one without any event in a ledger that may lack some nobody knows. */
export const holderCountAt = (query: TokenQuery, auditRead: AuditRead) => {
  const { token, blockNumber } = query
  return Effect.flatMap(countHolders(query), (found) =>
    withAudit(auditRead, (auditStatus): ReturnType<typeof nothingUntold<typeof found>> => {
      const unseen = auditStatus?.unseen
      if (unseen === undefined || unseen === "silent") return Effect.succeed(found)
      const what = { of: "number of holders", token, unseen }
      return unseen === "odd" ? nothingUntold(found, what, blockNumber) : nothingWithoutCode(found, what, blockNumber)
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
  const keys = page.items.map(({ address: holder, tokenId }) => ({ token, holder, tokenId }))
  const balances = yield* askUnits(page.asOf, keys)
  if (balances === undefined) return { ...page, ...ofLedger }
  return { ...page, items: page.items.map((it, index) => ({ ...it, balance: balances[index]! })), ...ofNode }
})

/** The same of the ids that one address holds, by page and offset. */
export const currentInventory = Effect.fnUntraced(function* (
  query: BalanceQuery & HolderWindowQuery,
  auditRead: AuditRead,
) {
  const { token, holder, blockNumber } = query
  const found = yield* listUnits(query)
  const suspect = yield* suspectOf(auditRead, found.value, blockNumber)
  if (suspect === undefined) return found
  const keys = found.value.map(({ tokenId }) => ({ token, holder, tokenId }))
  const balances = yield* askUnits(found.asOf, keys)
  if (balances === undefined) return { ...found, ...ofLedger }
  return { ...found, value: found.value.map((it, index) => ({ ...it, balance: balances[index]! })), ...ofNode }
})

/** What the contract says is held of ids; undefined: not of all of them. An ERC-1155 that may not be asked for more may be asked for that. */
const askUnits = Effect.fnUntraced(function* (
  asOf: ReadonlyArray<AsOf>,
  keys: ReadonlyArray<{ readonly token: Address; readonly holder: Address; readonly tokenId: BigIntString }>,
) {
  const questions = keys.map((key) => ({ of: "unit", ...key }) as const)
  const balances = yield* askNode({ unaskable: false }, asOf, questions)
  return balances === undefined || balances.includes(undefined) ? undefined : balances.map(String)
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
