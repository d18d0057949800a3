/** What the records of the audit become by rows that come in: in their transaction, so that whoever loses the answer loses nothing of it. */
import { auditStates } from "../../../../model/audit.ts"
import type { HealedAudit } from "../../../../ports/Ledger.ts"
import { numberArray } from "../../database/arrays.ts"
import { standardNumbers } from "../../database/chainSql.ts"
import { bytesOf, storable } from "../../database/client.ts"
import type { Session } from "../wire/session.ts"

/**
 * The token is locked first, as by whoever writes records, who waits for `state` while he holds it: so needs that this
 * transaction has not locked `state` yet. No record's state changes, so the counts stay.
 */
export const recordHealed = async (session: Session, audits: ReadonlyArray<HealedAudit>): Promise<void> => {
  for (const { standard, address, record } of audits) {
    const { state, blockNumber, reason, differed, logs, healed } = record
    const [token] = await session.run(
      (sql) => sql<Array<{ token_id: number }>>`
        select t.token_id from token t
        where t.address = ${bytesOf(address)}::bytea and t.standard = ${standardNumbers[standard]}
        for no key update of t`,
    )
    if (token === undefined) continue
    await session.run(
      (sql) => sql`
        update token_audit set
          reason = ${reason === undefined ? null : storable(reason)}::text, differed = ${rangeOf(differed)}::text::int4[],
          logs = ${rangeOf(logs)}::text::int4[], healed = ${rangeOf(healed)}::text::int4[]
        where token_id = ${token.token_id} and state = ${auditStates.indexOf(state)} and block_number = ${blockNumber}`,
    )
  }
}

const rangeOf = (range: HealedAudit["record"]["differed"]): string | null =>
  range === undefined ? null : numberArray([range.from, range.to])
