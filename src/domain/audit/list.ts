/** What the audit has found, for those who ask. */
import { Effect } from "effect"
import { type TokenAudit, worstState } from "../../model/audit.ts"
import { InvalidParameter } from "../../model/errors.ts"
import { type ListPage, toListPage } from "../../model/page.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import { type AuditKey, AuditStore, type AuditsQuery, type FoundAudit } from "../../ports/AuditStore.ts"
import { Networks } from "../../ports/Networks.ts"
import type { AuditStatus } from "./current.ts"

/** Tokens of these chains (absent = of every configured one) with their states, by chain, address and standard. */
export const listAudits = Effect.fn("listAudits")(function* ({
  chains,
  ...query
}: Omit<AuditsQuery, "chains"> & { readonly chains?: ReadonlyArray<string> }) {
  const configured = (yield* Networks).chains.map(({ chainId }) => chainId)
  const isConfigured = (text: string): text is ChainId => configured.some((chainId) => chainId === text)
  const unknown = chains?.find((text) => !isConfigured(text))
  if (unknown !== undefined) {
    const value = unknown.length > 40 ? `${unknown.slice(0, 40)}…` : unknown
    return yield* new InvalidParameter({ parameter: "chainId", value, wanted: "the id of a configured chain" })
  }
  const store = yield* AuditStore
  const page: ListPage<TokenAudit, AuditKey> = toListPage(
    query.page,
    yield* store.list({ ...query, chains: chains?.filter(isConfigured) ?? configured }),
  )
  return page
})

/** Which tokens of a contract an answer speaks of: that standard's, the first that it is, or every one. */
export type AboutStandard = Standard | "first" | "every"

/** What is known of those tokens of a contract. */
export const findAuditStatus = Effect.fn("findStanding")(function* (
  chainId: ChainId,
  address: Address,
  about: AboutStandard,
) {
  const { value } = yield* (yield* AuditStore).find(chainId, address)
  return auditStatusOf(value, about)
})

/** The same, of all that was found at an address; of several the worst state. Undefined: no such token. */
export const auditStatusOf = (value: ReadonlyArray<FoundAudit>, about: AboutStandard): AuditStatus | undefined => {
  const found =
    about === "every" ? value : about === "first" ? value.slice(0, 1) : value.filter((it) => it.standard === about)
  const state = worstState(found.map((audit) => audit.state))
  if (state === undefined) return undefined
  const is = (wanted: Standard) => value.some((audit) => audit.standard === wanted)
  const differed = found.flatMap((it) => (it.differed === undefined ? [] : [it.differed.to]))
  return {
    state,
    mixed: is("erc20") && is("erc721"),
    ...(differed.length === 0 ? {} : { differedTo: Math.max(...differed) }),
  }
}
