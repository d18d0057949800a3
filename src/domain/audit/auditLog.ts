/** What an audit found, as the log and the command say it. */
import { Effect } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import type { AuditRecord } from "../../ports/AuditStore.ts"
import type { Audited } from "./compare.ts"

/** Tokens that were not known to be in this state: of drift a warning. */
export const logAudited = Effect.fnUntraced(function* (chainId: ChainId, audited: ReadonlyArray<Audited>) {
  for (const each of audited) {
    const { record, before } = each
    if (before?.state === record.state) continue
    if (record.state === "drift") yield* Effect.logWarning(`chain ${chainId}: ${lineOf(each)}`)
    else if (record.state === "rebasing" || before?.state === "drift") {
      yield* Effect.logInfo(`chain ${chainId}: ${lineOf(each)}`)
    }
  }
})

/** `token 0x… (erc20) is drift at block 5: supply 1, by its contract 2; …` */
export const lineOf = ({ token, record }: Pick<Audited, "token" | "record">): string => {
  const { state, blockNumber, reason } = record
  const parts = [figuresOf(record), reason].filter((it) => it !== undefined)
  const why = parts.length === 0 ? "" : `: ${parts.join("; ")}`
  return `token ${token.address} (${token.standard}) is ${state} at block ${blockNumber}${why}`
}

const figuresOf = ({ difference }: AuditRecord): string | undefined => {
  if (difference === undefined) return undefined
  const { of, holder, tokenId, ledger, node } = difference
  const whose = holder === undefined ? "" : ` of ${holder}`
  const which = tokenId === undefined ? "" : ` of id ${tokenId}`
  return `${of}${whose}${which} ${ledger}, by its contract ${node}`
}
