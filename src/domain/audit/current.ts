/** Current figures of tokens whose ledger is not the truth: the contract's own, at the very block of the answer. */
import { Duration, Effect } from "effect"
import type { AuditState } from "../../model/audit.ts"
import type { AsOf } from "../../model/block.ts"
import type { Erc1155HolderKey } from "../../model/holder.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { HeldStandard, HoldersQuery, Window } from "../../ports/HolderStore.ts"
import { type TokenQuestion, TokenViews } from "../../ports/TokenViews.ts"
import { tokenHolderList } from "../reads/compat.ts"
import { findBalance, listErc1155Holders, listHolders, withPercentage } from "../reads/holders.ts"
import { findSupply } from "../reads/supply.ts"

/** Where the figures of an answer come from; only said where the ledger's own are in doubt. */
export type BalanceSource = "node" | "ledger"

/** What the audit says of a contract. */
export interface AuditStatus {
  readonly state: AuditState
  /** It is ERC-20 and ERC-721: of which its `balanceOf` speaks, nobody can tell. */
  readonly mixed: boolean
  /** The last block at which something of them differed; absent = never. */
  readonly differedTo?: number
}

/** What is to be said of figures after a block (absent = of now): what differed up to then is in drift, whatever came later. */
export const stateAt = ({ state, differedTo }: AuditStatus, blockNumber: number | undefined): AuditState => {
  const isDrifted = blockNumber !== undefined && differedTo !== undefined && blockNumber <= differedTo
  return isDrifted && state !== "rebasing" ? "drift" : state
}

/** Whether the ledger's figures of now are in doubt. What is asked of the past is the ledger's to tell. */
export const isSuspect = (auditStatus: AuditStatus | undefined): boolean =>
  auditStatus?.state === "drift" || auditStatus?.state === "rebasing"

const patience = Duration.seconds(2)
/** Questions that an answer may cost: where one call carries many, and where each is one. */
const mostTogether = 1001
const mostAlone = 101

/** Every answer, or undefined: the node cannot tell, does not in time, or need not be asked. */
export const askNode = Effect.fnUntraced(function* (
  { mixed }: Pick<AuditStatus, "mixed">,
  [at]: ReadonlyArray<AsOf>,
  questions: ReadonlyArray<TokenQuestion>,
) {
  if (mixed || at === undefined) return undefined
  const views = yield* TokenViews
  if (questions.length > (views.perCall(at.chainId) > 1 ? mostTogether : mostAlone)) return undefined
  return yield* views.ask(at.chainId, questions, at).pipe(
    Effect.timeout(patience),
    Effect.catchCause(() => Effect.succeed(undefined)),
  )
})

const ofLedger = { source: "ledger" } as const
const ofNode = { source: "node" } as const

export const currentSupply = Effect.fn("currentSupply")(function* (
  chainId: ChainId,
  token: Address,
  auditStatus: AuditStatus | undefined,
) {
  const found = yield* findSupply(chainId, token)
  if (auditStatus === undefined || !isSuspect(auditStatus)) return found
  const [supply] = (yield* askNode(auditStatus, found.asOf, [{ of: "supply", token }])) ?? []
  return supply === undefined ? { ...found, ...ofLedger } : { ...found, value: String(supply), ...ofNode }
})

/** Of a block that is named it is the ledger's. */
export const currentBalance = Effect.fn("currentBalance")(function* (
  chainId: ChainId,
  token: Address,
  holder: Address,
  blockNumber: number | undefined,
  auditStatus: AuditStatus | undefined,
) {
  const found = yield* findBalance(chainId, token, holder, blockNumber)
  if (blockNumber !== undefined || auditStatus === undefined || !isSuspect(auditStatus)) return found
  const [balance] = (yield* askNode(auditStatus, found.asOf, [{ of: "balance", token, holder }])) ?? []
  return balance === undefined ? { ...found, ...ofLedger } : { ...found, value: String(balance), ...ofNode }
})

/** Whoever the ledger lists, in its order; balances and shares of the supply are the contract's, of all of a page or of none. */
export const currentHolders = Effect.fn("currentHolders")(function* (
  standard: HeldStandard,
  query: HoldersQuery,
  auditStatus: AuditStatus | undefined,
) {
  const page = yield* listHolders(standard, query)
  if (query.blockNumber !== undefined || auditStatus === undefined || !isSuspect(auditStatus)) return page
  const { token } = query
  const answers = yield* askNode(auditStatus, page.asOf, [
    { of: "supply", token },
    ...page.items.map(({ address: holder }) => ({ of: "balance", token, holder }) as const),
  ])
  const [supply = 0n, ...balances] = answers ?? []
  if (answers === undefined || balances.includes(undefined)) return { ...page, ...ofLedger }
  const items = page.items.map(({ chainId, address }, index) =>
    withPercentage({ chainId, address, balance: String(balances[index]) }, supply),
  )
  return { ...page, items, ...ofNode }
})

/** The same of ERC-1155. */
export const currentUnits = Effect.fn("currentUnits")(function* (
  query: HoldersQuery<Erc1155HolderKey>,
  auditStatus: AuditStatus | undefined,
) {
  const page = yield* listErc1155Holders(query)
  if (query.blockNumber !== undefined || auditStatus === undefined || !isSuspect(auditStatus)) return page
  const { token } = query
  const questions = page.items.map(({ address: holder, tokenId }) => ({ of: "unit", token, holder, tokenId }) as const)
  const balances = yield* askNode({ ...auditStatus, mixed: false }, page.asOf, questions)
  if (balances === undefined || balances.includes(undefined)) return { ...page, ...ofLedger }
  return { ...page, items: page.items.map((it, index) => ({ ...it, balance: String(balances[index]) })), ...ofNode }
})

/** The same by page and offset. */
export const currentHolderList = Effect.fn("currentHolderList")(function* (
  chainId: ChainId,
  token: Address,
  window: Window,
  blockNumber: number | undefined,
  auditStatus: AuditStatus | undefined,
) {
  const found = yield* tokenHolderList(chainId, token, window, blockNumber)
  if (blockNumber !== undefined || auditStatus === undefined || !isSuspect(auditStatus)) return found
  const questions = found.value.map(({ TokenHolderAddress: holder }) => ({ of: "balance", token, holder }) as const)
  const balances = yield* askNode(auditStatus, found.asOf, questions)
  if (balances === undefined || balances.includes(undefined)) return { ...found, ...ofLedger }
  const value = found.value.map((it, index) => ({ ...it, TokenHolderQuantity: String(balances[index]) }))
  return { ...found, value, ...ofNode }
})
