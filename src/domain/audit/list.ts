/** What the audit has found, for those who ask. */
import { Effect } from "effect"
import type { TokenAudit } from "../../model/audit.ts"
import { InvalidParameter } from "../../model/errors.ts"
import { type ListPage, toListPage } from "../../model/page.ts"
import type { ChainId } from "../../model/primitives.ts"
import { type AuditKey, AuditStore, type AuditsQuery } from "../../ports/AuditStore.ts"
import { Networks } from "../../ports/Networks.ts"

/** Tokens of these chains (absent = of every configured one) with their states, by chain, address and standard. */
export const listAudits = Effect.fnUntraced(function* ({
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
