/** A time in which the database takes no writes: one that was set read-only, a standby that is not promoted yet. */
import type { DatabaseShape } from "./Database.ts"

/** read_only_sql_transaction */
export const isReadOnly = (cause: unknown): boolean => String(Object(cause).code) === "25006"

/** Sessions that were opened in such a time may refuse writes for ever: after it the work is done again over new ones. */
export const overWritable = async <A>(database: DatabaseShape, work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (cause) {
    if (!isReadOnly(cause) || !(await takesWrites(database))) throw cause
    database.renew()
    return work()
  }
}

/** As a new session sees it. */
const takesWrites = async (database: DatabaseShape): Promise<boolean> => {
  const client = database.connect({ max: 1 })
  try {
    const [row] = await client<[{ mode: string }]>`select current_setting('transaction_read_only') as mode`
    return row.mode === "off"
  } finally {
    client.end({ timeout: 0 }).catch(() => {})
  }
}
