/** What the audit says of the contract that an answer speaks of, for headers. Never fails an answer, and hardly costs one. */
import { Cache, Duration, Effect, Exit, Fiber } from "effect"
import type { BalanceSource } from "../../../domain/audit/askNode.ts"
import { type AskedContract, type AuditStatus, findAuditStatus, stateAt } from "../../../domain/audit/auditStatus.ts"
import type { AuditState } from "../../../model/audit.ts"
import type { ChainId } from "../../../model/primitives.ts"
import { onSteadyClock } from "../../../model/time/steadyClock.ts"
import type { Answer, Call } from "../contract/call.ts"
import type { NewestPoints } from "./newestPoints.ts"

/** How long an answer waits for it; for how long it then counts, of so many contracts. */
const readTimeout = Duration.seconds(1)
const rememberedFor = Duration.seconds(2)
const mostRemembered = 10_000

/** A text, since texts are found fastest, whoever makes them up. The revision is in it: what is known of an older one is no answer. */
type Key = string
const keyOf = ({ chainId, token, about }: AskedContract, revision: number | undefined): Key =>
  `${chainId} ${token} ${about} ${revision ?? ""}`
const contractOf = (key: Key): AskedContract => {
  const [chainId, token, about] = key.split(" ") as [ChainId, AskedContract["token"], AskedContract["about"]]
  return { chainId, token, about }
}

/** What cannot be read in time is not remembered. */
export const makeAuditReader = (seen: NewestPoints["seen"] = () => undefined): Call["readAudit"] => {
  const known = Effect.runSync(
    Cache.makeWith((key: Key) => Effect.timeout(findAuditStatus(contractOf(key)), readTimeout), {
      capacity: mostRemembered,
      requireServicesAt: "lookup",
      timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : Duration.zero),
    }),
  )
  return (contract) =>
    Cache.get(known, keyOf(contract, seen(contract.chainId))).pipe(
      Effect.catchCause(() => Effect.succeed(undefined)),
      Effect.forkChild({ startImmediately: true }),
      onSteadyClock,
      Effect.map(Fiber.join),
    )
}

type HeaderRecord = Readonly<Record<string, string>>

/** `x-audit-state` of figures after a block (absent = of now), where anything is to be said. */
export const auditHeader = (
  { chainId }: AskedContract,
  auditStatus: AuditStatus | undefined,
  blockNumber: number | undefined,
): HeaderRecord => stateHeader(chainId, auditStatus && stateAt(auditStatus, blockNumber))

/** `x-audit-state: <chainId>:<state>`, of a state that is known. */
export const stateHeader = (chainId: ChainId, state: AuditState | undefined): HeaderRecord =>
  state === undefined ? {} : { "x-audit-state": `${chainId}:${state}` }

/** A node was asked, whether it could tell or not: another time it may. */
export const askedNode = ({ source }: { readonly source?: BalanceSource }): Pick<Answer, "ofNode"> =>
  source === undefined ? {} : { ofNode: true }

/** `x-balance-source: node` or `ledger`, where the ledger's own figures are in doubt. */
export const sourceHeader = ({ source }: { readonly source?: BalanceSource }): HeaderRecord =>
  source === undefined ? {} : { "x-balance-source": source }
