/** Current figures of answers about several tokens: those in doubt are the contracts' own, at the very block of the answer. */
import { Duration, Effect } from "effect"
import { type AuditState, worstState } from "../../model/audit.ts"
import type { AsOf } from "../../model/block.ts"
import type { Holding } from "../../model/holder.ts"
import type { Snapshot } from "../../model/page.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import { AuditStore, type FoundAudit } from "../../ports/AuditStore.ts"
import type { HoldingsQuery } from "../../ports/HolderStore.ts"
import type { TokenQuestion } from "../../ports/TokenViews.ts"
import { addressErc20Holding, addressErc721Holding } from "../reads/compat.ts"
import { listHoldings } from "../reads/holders.ts"
import { findTokens } from "../reads/tokens.ts"
import { askNode, type BalanceSource } from "./askNode.ts"
import { type AuditStatus, auditStatusOf, isSuspect, stateAt } from "./auditStatus.ts"

/** How long an answer waits for what the audit says. */
const auditTimeout = Duration.seconds(1)

/**
 * What is known of each standard at each address. It never fails an answer, and hardly costs one: where it could not be read
 * nothing is known, and the answer is of its own moment, as a node's word is.
 */
const readAuditStatuses = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address>) {
  const store = yield* AuditStore
  const audits = yield* store.findMany(chainId, addresses).pipe(
    Effect.map(({ value }): ReadonlyArray<FoundAudit> | undefined => value),
    Effect.timeout(auditTimeout),
    Effect.catchCause(() => Effect.undefined),
  )
  const byAddress = Map.groupBy(audits ?? [], ({ address }) => address)
  return {
    auditStatusFor: (address: Address, standard: Standard) => auditStatusOf(byAddress.get(address) ?? [], standard),
    moment: audits === undefined ? ({ ofNode: true } as const) : {},
  }
})

interface Row {
  readonly auditStatus: AuditStatus | undefined
  /** Absent = no one figure of the contract's is this one. */
  readonly question?: TokenQuestion
}

/**
 * What the contracts of those in doubt say, in the rows' order; undefined = the ledger's figure stands. `source` is absent
 * where none is in doubt, and `ledger` as soon as one in doubt keeps the ledger's.
 */
const askSuspects = Effect.fnUntraced(function* (asOf: ReadonlyArray<AsOf>, rows: ReadonlyArray<Row>) {
  const suspects = rows.filter(({ auditStatus }) => isSuspect(auditStatus))
  const asked = suspects.filter(
    ({ auditStatus, question }) => auditStatus?.unaskable === false && question !== undefined,
  )
  const questions = asked.flatMap(({ question }) => question ?? [])
  const answers = asked.length === 0 ? [] : ((yield* askNode({ unaskable: false }, asOf, questions)) ?? [])
  const answered = new Map(asked.map((row, index) => [row, answers[index]]))
  const source = suspects.every((row) => answered.get(row) !== undefined) ? "node" : "ledger"
  return { answered: rows.map((row) => answered.get(row)), ...(suspects.length === 0 ? {} : ({ source } as const)) }
})

interface Holdings extends Snapshot<ReadonlyArray<Holding>> {
  readonly source?: BalanceSource
  readonly state?: AuditState
  readonly ofNode?: true
}

/** What an address holds, and the worst state of those tokens. Of a block that is named the figures are the ledger's. */
export const currentHoldings = Effect.fnUntraced(function* (standard: Standard, query: HoldingsQuery) {
  const { chainId, holder, blockNumber } = query
  const found: Holdings = yield* listHoldings(standard, query)
  if (found.value.length === 0) return found
  const { auditStatusFor, moment } = yield* readAuditStatuses(
    chainId,
    found.value.map(({ tokenAddress }) => tokenAddress),
  )
  const rows = found.value.map(({ tokenAddress: token }) => ({
    auditStatus: auditStatusFor(token, standard),
    // What is held of all ids of an ERC-1155 is no figure of its contract's.
    ...(standard === "erc1155" ? {} : { question: { of: "balance", token, holder } as const }),
  }))
  const state = worstState(rows.flatMap(({ auditStatus }) => (auditStatus ? [stateAt(auditStatus, blockNumber)] : [])))
  const marked = { ...found, ...(state === undefined ? {} : { state }), ...moment }
  if (blockNumber !== undefined) return marked
  const { answered, ...source } = yield* askSuspects(found.asOf, rows)
  const value = found.value.map((it, index) => ({ ...it, balance: String(answered[index] ?? it.balance) }))
  return { ...marked, value, ...source }
})

/** ERC-20 tokens that an address holds. Who is listed stays the ledger's to say. */
export const addressTokenBalance = Effect.fnUntraced(function* (query: HoldingsQuery) {
  const found = yield* currentHoldings("erc20", query)
  return { ...found, value: found.value.map(addressErc20Holding) }
})

/** ERC-721 contracts of which an address owns ids, each with how many. */
export const addressTokenNftBalance = Effect.fnUntraced(function* (query: HoldingsQuery) {
  const found = yield* currentHoldings("erc721", query)
  return { ...found, value: found.value.map(addressErc721Holding) }
})

/** What a contract is, one entry per standard that it emits, with the supplies of now; none for an unknown contract. */
export const currentTokens = Effect.fnUntraced(function* (chainId: ChainId, token: Address) {
  const [{ asOf, value }, { auditStatusFor, moment }] = yield* Effect.all(
    [findTokens(chainId, token), readAuditStatuses(chainId, [token])],
    { concurrency: "unbounded" },
  )
  const rows = value.map(({ standard, supply }) => ({
    // An ERC-1155 has no supply that could be in doubt.
    auditStatus: supply === undefined ? undefined : auditStatusFor(token, standard),
    question: { of: "supply", token } as const,
  }))
  const { answered, ...source } = yield* askSuspects(asOf, rows)
  const entries = value.map((it, index) => {
    const answer = answered[index]
    const { supply: stored, ...rest } = it
    const own = rows[index]!.auditStatus?.partial !== undefined ? undefined : stored
    const supply = answer === undefined ? own : String(answer)
    return supply === undefined ? rest : { ...rest, supply }
  })
  return { asOf, value: entries, ...moment, ...source }
})
