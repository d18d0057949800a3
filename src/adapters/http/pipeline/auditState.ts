/** What the audit says of the contract that an answer speaks of, for headers. Never fails an answer, and hardly costs one. */
import { Clock, type Context, Effect, Exit } from "effect"
import type { BalanceSource } from "../../../domain/audit/askNode.ts"
import {
  type AskedContract,
  type AuditRead,
  type AuditStatus,
  findAuditStatus,
  toldState,
} from "../../../domain/audit/auditStatus.ts"
import type { AuditState, ChainState } from "../../../model/audit.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { steadyMillisOf } from "../../../model/time/steadyClock.ts"
import type { AuditStore } from "../../../ports/AuditStore.ts"
import type { Answer } from "../contract/call.ts"
import type { Standing } from "../kept/newestPoints.ts"

/** How long an answer waits for it; for how long it then counts, of so many contracts. */
const readTimeoutMs = 1000
const rememberedMs = 2000
const mostRemembered = 10_000

/** Figures that come to the same number again behind a loss are of another block. */
type Seen = Pick<Standing, "figures" | "hash">

/** A text, since texts are found fastest, whoever makes them up. How far the ledger's figures are is in it: what is known of others is no answer. */
type Key = string
const keyOf = ({ chainId, token, about }: AskedContract, standing: Seen | undefined): Key =>
  `${chainId} ${token} ${about} ${standing?.figures ?? ""} ${standing?.hash ?? ""}`

/** What is known of a contract, or is being read. */
interface Known {
  /** It was read, or could not be. */
  isRead: boolean
  /** It could not be read, or of another point than was seen: the status, or that there is none, says nothing of the contract at that point. */
  isUnread: boolean
  /** Until when it counts. */
  until: number
  status?: AuditStatus | undefined
  readonly waiting: Set<() => void>
  /** Nobody waits for it any more. */
  end: () => void
}

export interface AuditReader {
  /** The call's `readAudit`, and who is told where it could not be read: an answer made so is of its own moment, and nobody else's. */
  readonly read: (contract: AskedContract, onUnread: () => void) => Effect.Effect<AuditRead, never, AuditStore>
  /** A ledger went back: what is remembered of its points is of others than those that come now. */
  readonly forget: () => void
}

/**
 * What cannot be read in time is not remembered. Nor is what was read of a server that stands elsewhere than the newest that
 * was seen, as a standby does that is behind. All who ask for the same while it is read share the read.
 */
export const makeAuditReader = (seen: (chainId: ChainId) => Seen | undefined = () => undefined): AuditReader => {
  // In the order in which they were read: the first is the oldest.
  const all = new Map<Key, Known>()

  const begin = (contract: AskedContract, context: Context.Context<AuditStore>, now: () => number): Known => {
    const standing = seen(contract.chainId)
    const key = keyOf(contract, standing)
    const own: Known = { isRead: false, isUnread: false, until: 0, waiting: new Set(), end: () => {} }
    all.set(key, own)
    if (all.size > mostRemembered) all.delete(all.keys().next().value!)
    const fiber = Effect.runForkWith(context)(findAuditStatus(contract))
    own.end = () => {
      if (all.get(key) === own) all.delete(key)
      fiber.interruptUnsafe()
    }
    const late = setTimeout(own.end, readTimeoutMs)
    fiber.addObserver((exit) => {
      clearTimeout(late)
      own.isRead = true
      if (Exit.isSuccess(exit)) Object.assign(own, { until: now() + rememberedMs, status: exit.value.status })
      const isOfPoint = Exit.isSuccess(exit) && (standing === undefined || isThere(standing, exit.value.point))
      if (!isOfPoint) {
        own.isUnread = true
        own.end()
      }
      for (const tell of own.waiting) tell()
    })
    return own
  }

  const read: AuditReader["read"] = (contract, onUnread) =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const now = () => steadyMillisOf(clock)
      const key = keyOf(contract, seen(contract.chainId))
      const found = all.get(key)
      const isOver = found?.isRead === true && found.until <= now()
      if (isOver) all.delete(key)
      const known =
        found === undefined || isOver ? begin(contract, fiber.context as Context.Context<AuditStore>, now) : found
      return Effect.succeed(known.isRead ? told(known, onUnread) : untilRead(known, onUnread))
    })
  return { read, forget: () => all.clear() }
}

const isThere = ({ figures, hash }: Seen, point: Seen | undefined): boolean =>
  point?.figures === figures && point.hash === hash

const told = ({ isUnread, status }: Known, onUnread: () => void): AuditRead => {
  if (isUnread) onUnread()
  return Effect.succeed(status)
}

const untilRead = (known: Known, onUnread: () => void): AuditRead =>
  Effect.callback((resume) => {
    const tell = () => resume(told(known, onUnread))
    if (known.isRead) return tell()
    known.waiting.add(tell)
    return Effect.sync(() => {
      known.waiting.delete(tell)
      if (known.waiting.size === 0) known.end()
    })
  })

type HeaderRecord = Readonly<Record<string, string>>

/** `x-audit-state` of figures after a block (absent = of now), where anything is to be said. */
export const auditHeader = (
  { chainId }: AskedContract,
  auditStatus: AuditStatus | undefined,
  blockNumber: number | undefined,
): HeaderRecord => stateHeader(chainId, toldState(auditStatus, blockNumber))

/** `x-audit-state: <chainId>:<state>`, of a state that is known. */
export const stateHeader = (chainId: ChainId, state: AuditState | undefined): HeaderRecord =>
  state === undefined ? {} : { "x-audit-state": `${chainId}:${state}` }

/** The same of several tokens: the worst of each chain's that are suspect, comma-joined. */
export const suspectsHeader = (suspects: ReadonlyArray<ChainState> = []): HeaderRecord =>
  suspects.length === 0
    ? {}
    : { "x-audit-state": suspects.map(({ chainId, state }) => `${chainId}:${state}`).join(",") }

/** A node was asked, whether it could tell or not: another time it may. */
export const askedNode = ({ source }: { readonly source?: BalanceSource }): Pick<Answer, "ofNode"> =>
  source === undefined ? {} : { ofNode: true }

/** `x-balance-source: node` or `ledger`, where the ledger's own figures are in doubt. */
export const sourceHeader = ({ source }: { readonly source?: BalanceSource }): HeaderRecord =>
  source === undefined ? {} : { "x-balance-source": source }
