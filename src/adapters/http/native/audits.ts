/** What comparing each token with the node has shown. */
import { Result } from "effect"
import { listAudits } from "../../../domain/audit/list.ts"
import { type AuditState, auditStates, TokenAudit } from "../../../model/audit.ts"
import { defined } from "../contract/parameter.ts"
import { firstValue, listValues } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { auditCursor } from "./cursors.ts"
import { addresses } from "./filters.ts"
import { listOfService } from "./list.ts"
import { limit, type NativeParameter } from "./parameters.ts"

const chainId: NativeParameter<ReadonlyArray<string> | undefined> = {
  bound: true,
  doc: {
    description: "Tokens of these chains; without it of every configured one",
    schema: { type: "array", items: { type: "string" } },
    example: ["43114"],
  },
  decode: (query, name) => {
    const values = listValues(query, name).filter((value) => value !== "")
    return Result.succeed(values.length === 0 ? undefined : [...new Set(values)].sort())
  },
}

const state: NativeParameter<AuditState | undefined> = {
  bound: true,
  doc: { description: "Tokens in this state", schema: { type: "string", enum: auditStates }, example: "drift" },
  decode: (query, name) => {
    const text = firstValue(query, name)
    const found = auditStates.find((known) => known === text)
    return text === undefined || found !== undefined
      ? Result.succeed(found)
      : Result.fail(invalidParameter(name, text, `one of ${auditStates.join(", ")}`))
  },
}

export const audits = listOfService({
  id: "status/audit",
  path: "/v2/status/audit",
  tag: "Audit",
  summary:
    "How true each token's figures are: what comparing them with the contract itself at the same block has shown",
  description: "By chain, then address, then standard. A token that nobody has compared yet is `unverified`.",
  record: TokenAudit,
  parameters: { chainId, state, tokenAddress: addresses("These contracts"), limit },
  cursor: () => auditCursor,
  list: ({ page, count }, { chainId: chains, state, tokenAddress: tokens }) =>
    listAudits({ page, count, ...defined({ chains, state, tokens }) }),
})
