/** The numbers of rollbacks: what a walk as of a block that was not final hangs on. */
import type { Session } from "../wire/session.ts"

/** One more, of this block and all above it. The writer alone gives numbers: read first, then written. Returns it. */
export const numberRollback = async (session: Session, fromBlock: number): Promise<number> => {
  const [{ last }] = await session.run(
    (sql) => sql<[{ last: number }]>`select coalesce(max(rollback_no), 0) as last from rollback`,
  )
  const number = last + 1
  await session.run((sql) => sql`insert into rollback (rollback_no, from_block) values (${number}, ${fromBlock})`)
  return number
}
