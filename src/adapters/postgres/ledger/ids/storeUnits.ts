/** An append's end for ERC-1155: the newest versions of all touched units go into `unit_balance`. */
import { isKey } from "../wire/byKey.ts"
import { CopyRows, copyIn } from "../wire/copy.ts"
import type { Session } from "../wire/session.ts"
import { byKey, type Unit, type Units } from "./units.ts"

/** New units by COPY straight into the table, changed ones by COPY and one update, in the order of the key. */
export const storeUnits = async (session: Session, { touched }: Units): Promise<void> => {
  touched.sort(byKey)
  const created = touched.filter(({ stored }) => !stored)
  const changed = touched.filter(({ stored }) => stored)
  if (created.length > 0) {
    await copyIn(
      session,
      "unit_balance (holder, token_id, nft_id, block_number, balance, unit_no)",
      encode(created, true),
    )
  }
  if (changed.length === 0) return
  await copyIn(session, "changed_unit (holder, token_id, nft_id, block_number, balance)", encode(changed, false))
  await session.run(
    (sql) => sql`
      update unit_balance u set block_number = c.block_number, balance = c.balance
      from changed_unit c where ${isKey(sql, sql`u.holder, u.token_id, u.nft_id`, sql`c.holder, c.token_id, c.nft_id`)}`,
  )
}

function* encode(units: ReadonlyArray<Unit>, numbered: boolean): Iterable<Uint8Array> {
  const rows = new CopyRows(numbered ? 6 : 5)
  for (const { holder, tokenId, nftId, blockNumber, balance, unitNo } of units) {
    rows.row()
    rows.bytea(holder, 20)
    rows.int4(tokenId)
    rows.bigNumeric(nftId)
    rows.int4(blockNumber)
    rows.bigNumeric(balance)
    if (numbered) rows.int4(unitNo)
    if (rows.slices.length > 0) yield* rows.slices.splice(0)
  }
  yield* rows.take()
}

/** After the commit: what was written is stored. Beyond `maxIds` all are forgotten. */
export const settleUnits = (units: Units, maxIds: number): void => {
  for (const unit of units.touched) {
    unit.stored = true
    unit.touched = false
  }
  units.touched.length = 0
  if (units.known.size > maxIds) units.clear()
}
