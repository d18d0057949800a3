/** The audit state of the one contract that an answer speaks of, for a header. Never fails an answer, and hardly costs one. */
import { Duration, Effect } from "effect"
import { findAuditState } from "../../domain/audit/list.ts"
import { standards } from "../../domain/model/token.ts"
import { Networks } from "../../ports/Networks.ts"
import { actions } from "./compat/actions.ts"
import type { Call, Endpoint } from "./endpoint.ts"
import { addressOf } from "./native/parameters.ts"
import { firstValue, foldNames } from "./query.ts"

const patience = Duration.seconds(1)
/** Milliseconds for which an answer counts, and contracts that are remembered. */
const recentAge = 2000
const mostRemembered = 10_000

interface Known {
  readonly at: number
  readonly header: Readonly<Record<string, string>>
}

/** `x-audit-state: <chainId>:<state>`, or nothing for answers about no contract, about several, or about none that is known. */
export const makeAuditReader = () => {
  const known = new Map<string, Known>()
  return Effect.fnUntraced(
    function* (endpoint: Endpoint, call: Pick<Call, "param" | "query">) {
      const contract = contractOf(endpoint, call)
      if (contract === undefined) return {}
      const { chainId, address, standard } = contract
      if (!(yield* Networks).chains.some((chain) => chain.chainId === chainId)) return {}
      const key = `${chainId} ${address} ${standard}`
      const found = known.get(key)
      if (found !== undefined && Date.now() - found.at < recentAge) return found.header
      const state = yield* findAuditState(chainId, address, standard)
      const header: Known["header"] = state === undefined ? {} : { "x-audit-state": `${chainId}:${state}` }
      known.delete(key)
      known.set(key, { at: Date.now(), header })
      const [oldest] = known.keys()
      if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest)
      return header
    },
    Effect.timeout(patience),
    Effect.catchCause(() => Effect.succeed<Known["header"]>({})),
  )
}

const contractOf = ({ path, style }: Endpoint, { param, query }: Pick<Call, "param" | "query">) => {
  const chainId = param("chainId")
  if (style === "compat") {
    const pairs = foldNames(query)
    const of = (name: string) => firstValue(pairs, name)?.toLowerCase()
    const action = actions.find((it) => it.module === of("module") && it.action === of("action"))
    const address = addressOf(firstValue(pairs, "contractaddress") ?? "")
    const isOne = action !== undefined && Object.hasOwn(action.doc.query, "contractaddress")
    return isOne && address !== undefined ? { chainId, address, standard: undefined } : undefined
  }
  if (!path.includes("{address}")) return undefined
  const address = addressOf(param("address"))
  const standard = standards.find((it) => path.includes(`/${it}/`))
  return address === undefined ? undefined : { chainId, address, standard }
}
