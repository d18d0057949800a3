/** What the audit says of a contract that an answer speaks of. */
import { Effect, Exit } from "effect"
import { type AuditState, worstState } from "../../model/audit.ts"
import type { AsOf } from "../../model/block.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import { AuditStore, type FoundAudit, type FoundContract, type Partiality } from "../../ports/AuditStore.ts"

/** What the audit says of a contract. */
export interface AuditStatus {
  readonly state: AuditState
  /**
   * Not to be asked for its figures: it is ERC-20 and ERC-721, and nobody can tell of which its `balanceOf` speaks; or an ERC-721
   * that counts amounts there; or ERC-1155 alone, which has no such thing.
   */
  readonly unaskable: boolean
  /** It is ERC-1155 alone: that standard has no supply, and is said to have "0". */
  readonly isErc1155?: true
  /** The ledger may lack the token's beginning (`FoundAudit`). */
  readonly partial?: Partiality
  /** The ledger has no event of it, and why there may be some all the same. */
  readonly unseen?: Unseen
  /** The last block at which something of them differed; absent = never. */
  readonly differedTo?: number
}

/**
 * `older`: the ledger does not begin at block 0, so it may be a token that nobody moved since. `notKept`: it keeps other tokens
 * alone. `odd`: it has logs of the contract that say nothing sure. `silent`: it has nothing of it, so a token could only be one
 * that has told nothing.
 */
export type Unseen = "older" | "notKept" | "odd" | "silent"

/** The same, as it is being read; undefined: no such token, or it could not be read in time, which whoever gave the read is told. Never fails. */
export type AuditRead = Effect.Effect<AuditStatus | undefined>

/** Nothing is to be said. */
export const noAudit: AuditRead = Effect.succeed(undefined)

/** `next` of what it says: at once where that is known. */
export const withAudit = <A, E, R>(
  read: AuditRead,
  next: (status: AuditStatus | undefined) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Exit.isExit(read) && Exit.isSuccess(read) ? next(read.value as AuditStatus | undefined) : Effect.flatMap(read, next)

/** What is to be said of figures after a block (absent = of now): what differed up to then is in drift, whatever came later. */
export const stateAt = (
  { state, differedTo }: Pick<AuditStatus, "state" | "differedTo">,
  blockNumber: number | undefined,
): AuditState => {
  const isDrifted = blockNumber !== undefined && differedTo !== undefined && blockNumber <= differedTo
  return isDrifted && state !== "rebasing" ? "drift" : state
}

/** Whether the ledger's figures of now are in doubt. What is asked of the past is the ledger's to tell. */
export const isSuspect = (auditStatus: AuditStatus | undefined): boolean =>
  auditStatus?.state === "drift" || auditStatus?.state === "rebasing" || auditStatus?.partial !== undefined

/**
 * Whether the ledger's figure after a block is no figure of a token that it may lack the beginning of. One with events and no
 * supply was minted before them, or of its supply nothing is left: nobody knows which.
 */
export const isUntold = (partial: Partiality | undefined, of: string, figure: bigint): boolean =>
  partial === "known" || (partial === "possible" && (figure < 0n || (of === "supply" && figure === 0n)))

/** Which tokens of a contract an answer speaks of: that standard's, the first that it is, or every one. */
export type AboutStandard = Standard | "first" | "every"

/** The contract that an answer speaks of. */
export interface AskedContract {
  readonly chainId: ChainId
  readonly token: Address
  readonly about: AboutStandard
}

/** What is known of those tokens of a contract, and where the ledger stood; absent = it has no block. */
export const findAuditStatus = Effect.fnUntraced(function* ({ chainId, token, about }: AskedContract) {
  const { asOf, value, ...found } = yield* (yield* AuditStore).find(chainId, token)
  const [point] = asOf
  if (point === undefined || value.length > 0) return { point, status: auditStatusOf(value, about) }
  return { point, status: statusOfUnseen[unseenOf(found, point)] }
})

const unseenOf = ({ isNotKept, isOdd }: Pick<FoundContract, "isNotKept" | "isOdd">, { firstBlock }: AsOf): Unseen => {
  if (isNotKept === true) return "notKept"
  if (firstBlock > 0) return "older"
  return isOdd === true ? "odd" : "silent"
}

const statusOfUnseen: Readonly<Record<Unseen, AuditStatus>> = {
  older: { state: "unverified", unaskable: false, partial: "possible", unseen: "older" },
  notKept: { state: "unverified", unaskable: false, partial: "possible", unseen: "notKept" },
  odd: { state: "unverified", unaskable: false, unseen: "odd" },
  silent: { state: "unverified", unaskable: false, unseen: "silent" },
}

/** The state that an answer about the contract tells; undefined: there is no token, and nothing that hints at one. */
export const toldState = (status: AuditStatus | undefined, blockNumber: number | undefined): AuditState | undefined =>
  status === undefined || status.unseen === "silent" ? undefined : stateAt(status, blockNumber)

/** The same, of all that was found at an address; of several the worst state. Undefined: no such token. */
export const auditStatusOf = (value: ReadonlyArray<FoundAudit>, about: AboutStandard): AuditStatus | undefined => {
  const found =
    about === "every" ? value : about === "first" ? value.slice(0, 1) : value.filter((it) => it.standard === about)
  const state = worstState(found.map((audit) => audit.state))
  if (state === undefined) return undefined
  const is = (wanted: Standard) => value.some((audit) => audit.standard === wanted)
  const partial = (["known", "possible"] as const).find((it) => found.some((audit) => audit.partial === it))
  const differed = found.flatMap((it) => (it.differed === undefined ? [] : [it.differed.to]))
  const isErc1155 = found.every(({ standard }) => standard === "erc1155")
  return {
    state,
    unaskable:
      (is("erc20") && is("erc721")) || value.some(({ difference }) => difference?.counts === "amounts") || isErc1155,
    ...(isErc1155 && { isErc1155 }),
    ...(partial === undefined ? {} : { partial }),
    ...(differed.length === 0 ? {} : { differedTo: Math.max(...differed) }),
  }
}
