/** What is known of tokens in the stored ledger, and goes over to the one that takes its place. */
import { Effect } from "effect"
import type { ChainId, Hash } from "../../../model/primitives.ts"
import { type BornToken, Ledger, type LedgerSettings } from "../../../ports/Ledger.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { nextSchema } from "../database/schemas.ts"
import { attempt } from "./claim.ts"

/** Notes are of addresses, whatever the ledger: so tokens of the new one are born with them. */
export const copyNotes = async (database: DatabaseShape, stored: string, next: string): Promise<void> => {
  if (!(await hasColumn(database, stored, "token_note", "digest"))) return
  const { sql } = database
  await sql`
    insert into ${sql(`${next}.token_note`)} (address, trusted, texts, digest)
    select address, trusted, texts, digest from ${sql(`${stored}.token_note`)} on conflict do nothing`
}

/**
 * Tokens that were found to burn nothing are so in the new ledger too, where it is of the same chain: else their supplies
 * would be wrong until they are found again. Needs the Ledger of what is being built, and no writer of it.
 */
export const carryZeroAddressHolders = Effect.fn("carryZeroAddressHolders")(function* (
  database: DatabaseShape,
  settingsOf: (genesisHash: Hash) => LedgerSettings,
  chainId: ChainId,
) {
  const found = yield* attempt("reading the stored ledger", () => findZeroAddressHolders(database, chainId))
  if (found === undefined || found.tokens.length === 0) return
  const ledger = yield* Ledger
  const writer = yield* ledger.open(settingsOf(found.genesisHash))
  yield* writer.letZeroAddressHold(found.tokens)
}, Effect.scoped)

interface Found {
  readonly genesisHash: Hash
  readonly tokens: ReadonlyArray<BornToken>
}

const findZeroAddressHolders = async (database: DatabaseShape, chainId: ChainId): Promise<Found | undefined> => {
  const { sql, schema } = database
  const [stored, next] = [database.chainSchema(chainId), nextSchema(database, chainId)]
  if (!(await hasColumn(database, stored, "token", "keeps_burnt"))) return undefined
  const [same] = await sql<Array<{ hash: Hash }>>`
    select c.genesis_hash as hash from ${sql(`${schema}.chain`)} c, ${sql(`${next}.state`)} s
    where c.chain_id = ${chainId} and c.genesis_hash = s.settings::jsonb ->> 'genesisHash'`
  if (same === undefined) return undefined
  const tokens = await sql<Array<BornToken>>`
    select 'erc20' as standard, n.address, (n.first_pos >> 24)::int4 as "firstBlock",
           (n.first_pos & 16777215)::int4 as "firstLogIndex", n.first_tx as "firstTxHash"
    from ${sql(`${stored}.token`)} o
    cross join lateral (
      select * from ${sql(`${next}.token`)} n where n.address = o.address and n.standard = o.standard limit 1
    ) n
    where o.standard = 20 and o.keeps_burnt and not n.keeps_burnt`
  return { genesisHash: same.hash, tokens }
}

/** An older version's table may lack it. */
const hasColumn = async ({ sql }: DatabaseShape, schema: string, table: string, column: string): Promise<boolean> => {
  const found = await sql`
    select from information_schema.columns
    where table_schema = ${schema} and table_name = ${table} and column_name = ${column}`
  return found.length > 0
}
