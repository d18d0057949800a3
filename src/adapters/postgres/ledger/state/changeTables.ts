/** The temporary tables that an append's end sends changed rows into, to update the stored ones from. */
import { runScript, type Session } from "../wire/session.ts"

/** Once a session; emptied by each commit. */
export const createChangeTables = (session: Session): Promise<unknown> =>
  runScript(
    session,
    `
      create temporary table changed (token_id int4, holder bytea, holder_no int4, block_number int4, balance numeric)
        on commit delete rows;
      create temporary table changed_nft
        (token_id int4, nft_id numeric, owner bytea, pos int8, mint_pos int8, mint_time int8) on commit delete rows;
      create temporary table changed_unit
        (token_id int4, nft_id numeric, holder bytea, block_number int4, balance numeric, unit_no int4) on commit delete rows`,
  )
