/** One contract with its supply of now: of a token whose ledger is in doubt it is what the contract says, or it is absent. */
import { Effect } from "effect"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import { findOneToken } from "../reads/oneToken.ts"
import { askNode, type BalanceSource } from "./askNode.ts"
import { type AuditRead, isSuspect } from "./auditStatus.ts"

interface Told extends Effect.Success<ReturnType<typeof findOneToken>> {
  readonly source?: BalanceSource
}

export const currentOneToken = Effect.fnUntraced(function* (
  standard: Standard,
  chainId: ChainId,
  token: Address,
  auditRead: AuditRead,
) {
  const found: Told = yield* findOneToken(standard, chainId, token)
  const auditStatus = yield* auditRead
  if (standard !== "erc20" || auditStatus === undefined || !isSuspect(auditStatus)) return found
  const [figure] = (yield* askNode(auditStatus, found.asOf, [{ of: "supply", token }])) ?? []
  if (figure === undefined) {
    const told: Told = { ...found, source: "ledger" }
    return told
  }
  const told: Told = { ...found, value: { ...found.value, totalSupply: String(figure) }, source: "node" }
  return told
})
