/** The temporary tables that an append's end sends changed rows into, to update the stored ones from. */
import { copyIn } from "./copy.ts"
import type { Session } from "./session.ts"

const columns = {
  changed: "token_id int4, holder bytea, holder_no int4, block_number int4, balance numeric",
  changed_nft: "token_id int4, nft_id numeric, owner bytea, pos int8, mint_pos int8, mint_time int8",
  changed_unit: "token_id int4, nft_id numeric, holder bytea, block_number int4, balance numeric, unit_no int4",
}

/**
 * Sends rows into one of them, which is made by the first that a transaction sends, and goes at its end. Blocks near the head
 * need none. One that stayed for as long as the session would hold back the database's oldest transaction for all that time.
 */
export const copyChanged = async (
  session: Session,
  table: keyof typeof columns,
  named: string,
  slices: Iterable<Uint8Array>,
): Promise<void> => {
  await session.run((sql) =>
    sql.unsafe(`create temporary table if not exists ${table} (${columns[table]}) on commit drop`),
  )
  await copyIn(session, `${table} (${named})`, slices)
}
