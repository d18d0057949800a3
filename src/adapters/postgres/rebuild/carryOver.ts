/** What is known of tokens in the stored ledger, and goes over to the one that takes its place. */
import { Effect } from "effect"
import type { Address, ChainId, Hash } from "../../../model/primitives.ts"
import { Ledger, type LedgerSettings, type ZeroAddressHolder } from "../../../ports/Ledger.ts"
import { hexArray, numberArray } from "../database/arrays.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { nextSchema } from "../database/schemas.ts"
import { attempt } from "./claim.ts"
import { hasColumn } from "./tables.ts"

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
  // Each batch is a transaction: one over thousands of tokens would hold more locks than a server has room for.
  for (let start = 0; start < found.tokens.length; start += tokensAtOnce)
    yield* writer.letZeroAddressHold(found.tokens.slice(start, start + tokensAtOnce))
}, Effect.scoped)

const tokensAtOnce = 200

interface Found {
  readonly genesisHash: Hash
  readonly tokens: ReadonlyArray<ZeroAddressHolder>
}

const findZeroAddressHolders = async (database: DatabaseShape, chainId: ChainId): Promise<Found | undefined> => {
  const { sql } = database
  const [stored, next] = [database.chainSchema(chainId), nextSchema(database, chainId)]
  if (!(await hasColumn(database, stored, "token", "keeps_burnt"))) return undefined
  const genesisHash = await findCommonGenesis(database, chainId)
  if (genesisHash === undefined) return undefined
  const rule = (await hasColumn(database, stored, "token", "burns_own")) ? sql`burns_own` : sql`false`
  const keepers = await sql<Array<{ address: Address; own: boolean }>>`
    select address, ${rule} as own from ${sql(`${stored}.token`)} where standard = 20 and keeps_burnt`
  const tokens = await sql<Array<ZeroAddressHolder>>`
    select 'erc20' as standard, case k.own when 1 then 'keptButOwn' else 'kept' end as "sentToZero", n.address,
           (n.first_pos >> 24)::int4 as "firstBlock", (n.first_pos & 16777215)::int4 as "firstLogIndex", n.first_tx as "firstTxHash"
    from unnest(${hexArray(keepers.map(({ address }) => address))}::text::bytea[],
                ${numberArray(keepers.map(({ own }) => (own ? 1 : 0)))}::text::int4[]) as k (address, own)
    join ${sql(`${next}.token`)} n on n.address = k.address and n.standard = 20
    where not n.keeps_burnt or n.burns_own::int4 <> k.own`
  return { genesisHash, tokens: [...tokens] }
}

/** Undefined = the two ledgers are of two chains: what is known of the one says nothing of the other. */
export const findCommonGenesis = async (database: DatabaseShape, chainId: ChainId): Promise<Hash | undefined> => {
  const { sql } = database
  const [registered] = await sql<Array<{ hash: Hash }>>`
    select genesis_hash as hash from ${sql(`${database.schema}.chain`)} where chain_id = ${chainId}`
  const [made] = await sql<Array<{ hash: Hash }>>`
    select settings::jsonb ->> 'genesisHash' as hash from ${sql(`${nextSchema(database, chainId)}.state`)}`
  return registered !== undefined && registered.hash === made?.hash ? registered.hash : undefined
}
