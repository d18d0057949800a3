/** The numbers of rollbacks: what a walk as of a block that was not final hangs on. */
import type { Session } from "../wire/session.ts"

/** One more, of this block and all above it. The writer alone gives numbers: read first, then written. */
export const numberRollback = async (session: Session, fromBlock: number): Promise<void> => {
  const [{ last }] = await session.run(
    (sql) => sql<[{ last: number }]>`select coalesce(max(rollback_no), 0) as last from rollback`,
  )
  await session.run((sql) => sql`insert into rollback (rollback_no, from_block) values (${last + 1}, ${fromBlock})`)
}
