/** What the audit says of the one contract that an answer speaks of, for headers. Never fails an answer, and hardly costs one. */
import { Duration, Effect } from "effect"
import { type AuditStatus, type BalanceSource, stateAt } from "../../../domain/audit/current.ts"
import { type AboutStandard, findAuditStatus } from "../../../domain/audit/list.ts"
import type { AuditState } from "../../../model/audit.ts"
import { type Address, addressOf, type ChainId } from "../../../model/primitives.ts"
import { steadyMillis } from "../../../model/steadyClock.ts"
import { standards } from "../../../model/token.ts"
import { Networks } from "../../../ports/Networks.ts"
import { actions } from "../compat/actions.ts"
import type { Call, Endpoint } from "../contract/endpoint.ts"
import { firstValue, foldNames } from "../contract/query.ts"

const patience = Duration.seconds(1)
/** Milliseconds for which an answer counts, and contracts that are remembered. */
const recentAge = 2000
const mostRemembered = 10_000

interface Known {
  readonly at: number
  readonly found: OneContract
}

/** The one contract that an answer speaks of, as the audit knows it. */
export interface OneContract {
  readonly chainId: ChainId
  /** Absent = no such token. */
  readonly auditStatus?: AuditStatus
}

/** Undefined for answers about no contract, or about several. */
export const makeAuditReader = () => {
  const known = new Map<string, Known>()
  return Effect.fnUntraced(
    function* (endpoint: Endpoint, call: Pick<Call, "param" | "query">) {
      const contract = contractOf(endpoint, call)
      if (contract === undefined) return undefined
      const { address, about } = contract
      const chainId = (yield* Networks).chains.find((chain) => chain.chainId === contract.chainId)?.chainId
      if (chainId === undefined) return undefined
      const key = `${chainId} ${address} ${about}`
      const last = known.get(key)
      const now = yield* steadyMillis
      if (last !== undefined && now - last.at < recentAge) return last.found
      const auditStatus = yield* findAuditStatus(chainId, address, about)
      const found: OneContract = { chainId, ...(auditStatus === undefined ? {} : { auditStatus }) }
      known.delete(key)
      known.set(key, { at: now, found })
      const [oldest] = known.keys()
      if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest)
      return found
    },
    Effect.timeout(patience),
    Effect.catchCause(() => Effect.succeed<OneContract | undefined>(undefined)),
  )
}

/** `x-audit-state: <chainId>:<state>`, where there is one, of figures after a block (absent = of now). */
export const auditHeader = (
  contract: OneContract | undefined,
  ofBlock: number | undefined,
): Readonly<Record<string, string>> =>
  contract?.auditStatus === undefined ? {} : stateHeader(contract.chainId, stateAt(contract.auditStatus, ofBlock))

/** The same, of a state that is known. */
export const stateHeader = (chainId: ChainId, state: AuditState | undefined): Readonly<Record<string, string>> =>
  state === undefined ? {} : { "x-audit-state": `${chainId}:${state}` }

/** `x-balance-source: node` or `ledger`, where the ledger's own figures are in doubt. */
export const sourceHeader = ({ source }: { readonly source?: BalanceSource }): Readonly<Record<string, string>> =>
  source === undefined ? {} : { "x-balance-source": source }

interface Asked {
  /** As the path has it. */
  readonly chainId: string
  readonly address: Address
  readonly about: AboutStandard
}

const contractOf = ({ path, style }: Endpoint, { param, query }: Pick<Call, "param" | "query">): Asked | undefined => {
  const chainId = param("chainId")
  if (style === "compat") {
    const pairs = foldNames(query)
    const of = (name: string) => firstValue(pairs, name)?.toLowerCase()
    const action = actions.find((it) => it.module === of("module") && it.action === of("action"))
    const address = addressOf(firstValue(pairs, "contractaddress") ?? "")
    const isOne = action !== undefined && Object.hasOwn(action.doc.query, "contractaddress")
    return isOne && address !== undefined ? { chainId, address, about: action.about } : undefined
  }
  if (!path.includes("{address}")) return undefined
  const address = addressOf(param("address"))
  const about = standards.find((it) => path.includes(`/${it}/`)) ?? "first"
  return address === undefined ? undefined : { chainId, address, about }
}
