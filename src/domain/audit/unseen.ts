/** Figures of contracts that the ledger has no token of: what the contract says itself, nothing where there is none, or that nobody knows. */
import { Effect } from "effect"
import type { AuditState } from "../../model/audit.ts"
import type { AsOf } from "../../model/block.ts"
import { FigureUnknown } from "../../model/errors.ts"
import type { Snapshot } from "../../model/page.ts"
import type { Address, BigIntString } from "../../model/primitives.ts"
import { type BatchCache, makeBatchCache } from "../../model/time/batchCache.ts"
import { AccountCodes } from "../../ports/AccountCodes.ts"
import type { TokenQuestion } from "../../ports/TokenViews.ts"
import { briefNodeTimeout, takeNodeTurn } from "../turns/nodeWait.ts"
import { askNode, askViews, type BalanceSource } from "./askNode.ts"
import type { Unseen } from "./auditStatus.ts"

const ofNode = { source: "node" } as const

/** Whether calls of the address run code after that block (absent = the answer's), its own or another's; or undefined: the node cannot tell, or does not in time. */
const askCode = Effect.fnUntraced(function* (
  [at]: ReadonlyArray<AsOf>,
  address: Address,
  blockNumber = at?.blockNumber,
) {
  if (at === undefined || blockNumber === undefined) return undefined
  const answers = yield* (yield* AccountCodes).kindsOf(at.chainId, [address], blockNumber).pipe(
    Effect.timeout(briefNodeTimeout),
    Effect.catchCause(() => Effect.succeed(undefined)),
  )
  return answers?.[0] === undefined ? undefined : answers[0] !== "none"
})

/** What nodes said of addresses without a row: whoever asks of one again costs nothing. A contract may be made at any. */
const keptCodes = { capacity: 10_000, lifetimeMs: () => 60_000 }
const codesOf = new WeakMap<AccountCodes["Service"], BatchCache<string, boolean>>()

/** The same of the answer's block, or what was said of it a moment ago. */
const askCodeOnce = Effect.fnUntraced(function* (asOf: ReadonlyArray<AsOf>, address: Address) {
  const codes = yield* AccountCodes
  const known = codesOf.get(codes) ?? makeBatchCache<string, boolean>(keptCodes)
  codesOf.set(codes, known)
  const key = `${asOf[0]?.chainId} ${address}`
  const told = (yield* known.find([key])).get(key)
  if (told !== undefined) return told
  const hasCode = yield* askCode(asOf, address)
  if (hasCode !== undefined) yield* known.keep([[key, hasCode]])
  return hasCode
})

/** Whoever waits for the node holds no turn of those who need the ledger alone. False: too many others wait. */
const inNodeTurn = takeNodeTurn(() => "refused" as const).pipe(
  Effect.as(true),
  Effect.timeout(briefNodeTimeout),
  Effect.orElseSucceed(() => false),
)

export interface Figure extends Snapshot<BigIntString> {
  readonly isBelowZero: boolean
  readonly source?: BalanceSource
  /** Where nothing is known of the contract but this figure. */
  readonly state?: AuditState
  /** Where the node was asked, and the figure is the ledger's. */
  readonly ofNode?: true
}

/** Current figures of what a ledger that may lack its events has none of: what the contract says now. */
export const figureOfUnseen = Effect.fnUntraced(function* (
  found: Figure,
  question: TokenQuestion,
  blockNumber: number | undefined,
  unseen: "older" | "notKept",
) {
  const what = { of: question.of, token: question.token, unseen }
  if (blockNumber !== undefined) return yield* nothingWithoutCode(found, what, blockNumber)
  const answers = (yield* inNodeTurn) ? yield* askNode({ unaskable: false }, found.asOf, [question]) : undefined
  const figure = answers?.[0]
  if (figure === undefined) return yield* refusedWithCode(found, what, blockNumber, answers !== undefined)
  // What answers without code is the chain's own, and no token.
  const isNone = figure > 0n && (yield* askCode(found.asOf, question.token)) === false
  return isNone ? { ...found, ofNode: true as const } : { ...found, value: String(figure), ...ofNode }
})

/**
 * The same of a ledger with every event of its chain: the contract may be a token that told nothing, or nothing that says
 * anything sure. Of a block that is named events told what there was, unless there are some that say nothing sure.
 */
export const figureOfUntold = Effect.fnUntraced(function* (
  found: Figure,
  question: TokenQuestion,
  blockNumber: number | undefined,
  unseen: "odd" | "silent",
) {
  // Its first event may have come meanwhile.
  if (found.value !== "0") return found
  const { of, token } = question
  if (unseen === "odd" && blockNumber !== undefined) {
    return yield* nothingUntold(found, { of, token, unseen }, blockNumber, question)
  }
  if (blockNumber !== undefined) return found
  const hasTurn = yield* inNodeTurn
  const nothing = { ...found, ofNode: true as const }
  // Precompiles answer whatever they are asked. Who told something has code, or had: what was kept is from before.
  const codeOf = unseen === "odd" ? askCode : askCodeOnce
  if (hasTurn && (yield* codeOf(found.asOf, token)) === false) return nothing
  const answers = hasTurn ? yield* askViews({ unaskable: false }, found.asOf, [question]) : undefined
  if (answers !== undefined && answers !== "nobody") {
    const [figure = 0n] = answers
    return figure > 0n ? { ...found, value: String(figure), ...ofNode, state: "unverified" as const } : nothing
  }
  if (unseen === "odd") return yield* refusedWithCode(found, { of, token, unseen }, blockNumber, false)
  return answers === "nobody" ? nothing : { ...nothing, source: "ledger" as const, state: "unverified" as const }
})

interface Unknown {
  readonly of: string
  readonly token: Address
  readonly unseen: Exclude<Unseen, "silent">
}

/** Of a contract whose logs say nothing sure: it has nothing where it has no such figure, as what is no token. Else nobody knows. */
export const nothingUntold = Effect.fnUntraced(function* <Found extends Snapshot<unknown>>(
  found: Found,
  what: Unknown,
  blockNumber: number | undefined,
  question: TokenQuestion = { of: "supply", token: what.token },
) {
  const answers = (yield* inNodeTurn) ? yield* askNode({ unaskable: false }, found.asOf, [question]) : undefined
  const isNothing = answers?.[0] === undefined || (blockNumber === undefined && answers[0] === 0n)
  if (answers === undefined || !isNothing) {
    return yield* refusedWithCode(found, what, blockNumber, answers !== undefined)
  }
  const nothing: Found & { readonly ofNode?: true } = { ...found, ofNode: true }
  return nothing
})

/** What has no code is no token, and has nothing. Of code that does not tell it, or of a block that is named, nobody knows. */
export const nothingWithoutCode = Effect.fnUntraced(function* <Found extends Snapshot<unknown>>(
  found: Found,
  what: Unknown,
  blockNumber: number | undefined,
) {
  return yield* refusedWithCode(found, what, blockNumber, yield* inNodeTurn)
})

/** The same, in the node's turn. `isThere`: it may be asked. */
const refusedWithCode = Effect.fnUntraced(function* <Found extends Snapshot<unknown>>(
  found: Found,
  { of, token, unseen }: Unknown,
  blockNumber: number | undefined,
  isThere: boolean,
) {
  const { asOf } = found
  const hasCode = isThere ? yield* askCode(asOf, token, blockNumber) : undefined
  if (hasCode === false) {
    const nothing: Found & { readonly ofNode?: true } = { ...found, ofNode: true }
    return nothing
  }
  const why = {
    older: `the ledger, which starts at block ${asOf[0]?.firstBlock}, has no event of the contract`,
    notKept: `the ledger keeps only TOKENS_${asOf[0]?.chainId}, not this contract`,
    odd: "the contract's events are of a shape that says nothing sure",
  }
  const vain = hasCode === undefined ? ", and it could not be asked" : ""
  return yield* new FigureUnknown({ message: `the ${of} is not known: ${why[unseen]}${vain}`, asOf })
})
