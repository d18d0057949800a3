/** What token lists say of the stored ledger's tokens: of those of the one that takes its place, too. */
import type { Sql, TransactionSql } from "postgres"
import { hexArray } from "../database/arrays.ts"
import { writingSettings } from "../database/client.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { copyNotes } from "../ledger/bulk/copyNotes.ts"
import { hasColumn } from "./tables.ts"

/** As the new ledger is begun, so that its tokens are born with them. Where the stored one is of a version that had notes. */
export const carryNotes = async (database: DatabaseShape, stored: string, next: string): Promise<void> => {
  if (!(await hasNotes(database, stored))) return
  await database.sql.begin(async (tx) => {
    await tx.unsafe(writingSettings)
    await copyNotes(tx, stored, next)
  })
}

/** The same once it is built: days may have passed. Needs that nobody writes it. Whether the stored one has notes. */
export const carryNotesAgain = async (database: DatabaseShape, stored: string, next: string): Promise<boolean> => {
  if (!(await hasNotes(database, stored))) return false
  await database.sql.begin(async (tx) => {
    await tx.unsafe(writingSettings)
    await carryChangedNotes(tx, stored, next)
    // An earlier run, which was ended, may have had other notes as these tokens were born.
    await markNoted(tx, next)
  })
  return true
}

/** What changed since then, a moment before the one takes the other's place: two short reads where nothing did. */
export const carryLastNotes = async (sql: Sql | TransactionSql, stored: string, next: string): Promise<void> => {
  if (await carryChangedNotes(sql, stored, next)) await markNoted(sql, next)
}

const hasNotes = (database: DatabaseShape, stored: string): Promise<boolean> =>
  hasColumn(database, stored, "token_note", "digest")

interface Noted {
  readonly address: string
  readonly digest: string
}

/** Whether there was any. Read and then written: the two schemas may lie on two servers. */
const carryChangedNotes = async (sql: Sql | TransactionSql, stored: string, next: string): Promise<boolean> => {
  const notesOf = (schema: string) => sql<Array<Noted>>`select address, digest from ${sql(`${schema}.token_note`)}`
  const digests = new Map((await notesOf(stored)).map(({ address, digest }) => [address, digest]))
  const carried = await notesOf(next)
  const others = carried.filter(({ address, digest }) => digests.get(address) !== digest)
  if (others.length === 0 && carried.length === digests.size) return false
  await sql`
    delete from ${sql(`${next}.token_note`)} n
    using unnest(${hexArray(others.map(({ address }) => address))}::text::bytea[]) as w (address)
    where n.address = w.address`
  await copyNotes(sql, stored, next)
  return true
}

/** Tokens that are not marked as their notes say: few, found from notes and from those that are marked. */
const markNoted = async (sql: Sql | TransactionSql, schema: string): Promise<void> => {
  const table = (name: string) => sql(`${schema}.${name}`)
  await sql`
    with differing as materialized (
      select t.token_id, true as trusted
      from ${table("token_note")} n join ${table("token")} t on t.address = n.address and t.standard = 20
      where n.trusted and not t.trusted
      union all
      select t.token_id, false
      from ${table("token")} t
      where t.trusted
        and not coalesce((select n.trusted from ${table("token_note")} n where n.address = t.address), false)
    ), marked as (
      update ${table("token")} t set trusted = d.trusted from differing d where t.token_id = d.token_id
    )
    update ${table("token_stat")} s set trusted = d.trusted from differing d where s.token_id = d.token_id`
}
