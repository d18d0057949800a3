/** Notes go over from one ledger of a chain to another: they are of addresses, whatever the ledger, so its tokens are born with them. */
import type { Sql, TransactionSql } from "postgres"
import { hexArray, optionalArray } from "../../database/arrays.ts"

/** Rows that are sent at a time. */
const rowsAtOnce = 5000

interface Note {
  readonly address: string
  readonly trusted: boolean
  readonly texts: string
  readonly digest: string
}

/** Read and then written: the two schemas may lie on two servers. What is there already stays. */
export const copyNotes = async (sql: Sql | TransactionSql, from: string, to: string): Promise<void> => {
  const notes = await sql<Array<Note>>`
    select address, trusted, texts::text as texts, digest from ${sql(`${from}.token_note`)}`
  for (let start = 0; start < notes.length; start += rowsAtOnce) {
    const part = notes.slice(start, start + rowsAtOnce)
    await sql`
      insert into ${sql(`${to}.token_note`)} (address, trusted, texts, digest)
      select w.address, w.trusted, w.texts::jsonb, w.digest
      from unnest(${hexArray(part.map(({ address }) => address))}::text::bytea[],
                  ${optionalArray(part.map(({ trusted }) => trusted))}::text::boolean[],
                  ${part.map(({ texts }) => texts)}::text[], ${part.map(({ digest }) => digest)}::text[])
        as w (address, trusted, texts, digest)
      on conflict do nothing`
  }
}
