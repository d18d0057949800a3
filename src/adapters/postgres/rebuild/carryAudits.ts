/** Which tokens are known to be wrong in the stored ledger: known of the one that takes its place, too. */
import type { Sql, TransactionSql } from "postgres"
import { auditStates } from "../../../model/audit.ts"
import type { Address, ChainId } from "../../../model/primitives.ts"
import { hexArray, numberArray } from "../database/arrays.ts"
import { drift, rebasing } from "../database/chainSql.ts"
import { writingSettings } from "../database/client.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { nextSchema } from "../database/schemas.ts"
import { findCommonGenesis } from "./carryOver.ts"
import { attempt } from "./claim.ts"
import { hasColumn } from "./tables.ts"

/**
 * Tokens in `drift` or `rebasing`, and those that differed before, are so in the new ledger too, where it is of the same chain:
 * else its figures, known to be wrong a moment before, would be given as good until the audit comes to each. Needs that nobody
 * writes what is being built. What was carried by an earlier run, which was ended before the swap, gives way.
 */
export const carryAudits = (database: DatabaseShape, chainId: ChainId) =>
  attempt("carrying over what the audit says", () => carry(database, chainId))

const carry = async (database: DatabaseShape, chainId: ChainId): Promise<void> => {
  const { sql } = database
  const [stored, next] = [database.chainSchema(chainId), nextSchema(database, chainId)]
  if (!(await hasColumn(database, stored, "token_audit", "differed"))) return
  if ((await findCommonGenesis(database, chainId)) === undefined) return
  const doubted = await findDoubted(sql, stored)
  const idsOf = await findIds(sql, next, doubted)
  const [was, is] = [await standOf(sql, stored), await standOf(sql, next)]
  if (is === undefined) return
  // Of another version's ledger the same rows may have made other figures.
  const until = was?.version === is.version ? Math.min(was.next, is.next, is.final + 1) : undefined
  const storedIds = doubted.map(({ id }) => id)
  const before = await countRows(sql, stored, storedIds, until)
  const now = await countRows(sql, next, [...idsOf.values()], until)
  const rows = doubted.flatMap((token) => {
    const id = idsOf.get(keyOf(token))
    if (id === undefined) return []
    // What differed from there on may be of rows that were not counted.
    const isCounted = until !== undefined && (token.from === undefined || token.from < until)
    const hasSameRows = isCounted && before.has(token.id) && before.get(token.id) === now.get(id)
    return rowOf(id, token, hasSameRows, is)
  })
  await sql.begin(async (tx) => {
    await tx.unsafe(writingSettings)
    await write(tx, next, rows)
  })
}

interface Doubted {
  readonly id: number
  readonly address: Address
  readonly standard: number
  readonly state: number
  readonly block: number
  readonly time: number
  readonly compared: number
  readonly difference?: string
  readonly reason?: string
  readonly watched: string
  readonly from?: number
  readonly to?: number
}

const findDoubted = (sql: Sql, stored: string): Promise<ReadonlyArray<Doubted>> => sql<Array<Doubted>>`
  select token_id as id, address, standard, state, block_number as block, time, compared, difference::text as difference,
    reason, watched::text as watched, differed[1] as "from", differed[2] as "to"
  from ${sql(`${stored}.token_audit`)} where state in (${drift}, ${rebasing}) or differed is not null`

const keyOf = ({ address, standard }: Pick<Doubted, "address" | "standard">) => `${address} ${standard}`

/** By key. */
const findIds = async (sql: Sql, next: string, tokens: ReadonlyArray<Doubted>): Promise<Map<string, number>> => {
  const addresses = [...new Set(tokens.map(({ address }) => address))]
  const wanted = new Set(tokens.map(keyOf))
  const found = await sql<Array<Pick<Doubted, "id" | "address" | "standard">>>`
    select token_id as id, address, standard from ${sql(`${next}.token`)}
    where address = any(${hexArray(addresses)}::text::bytea[])`
  return new Map(found.flatMap((token) => (wanted.has(keyOf(token)) ? [[keyOf(token), token.id] as const] : [])))
}

interface Stand {
  readonly version: number
  readonly next: number
  readonly final: number
  readonly time: number
}

const standOf = async (sql: Sql, schema: string): Promise<Stand | undefined> => {
  const [stand] = await sql<Array<Stand>>`
    select ledger_version as version, next_block as next, finalized_block as final, head_time as time
    from ${sql(`${schema}.state`)}`
  return stand
}

/** How many movements the ledger has of each token in blocks below `until`. Only those after it are read, and wraps. */
const countRows = async (
  sql: Sql,
  schema: string,
  ids: ReadonlyArray<number>,
  until: number | undefined,
): Promise<Map<number, number>> => {
  if (until === undefined || ids.length === 0) return new Map()
  const table = (name: string) => sql(`${schema}.${name}`)
  const [tokens, first] = [sql`${numberArray(ids)}::text::int4[]`, sql`${until}::int8 << 24`]
  const later = (name: string) =>
    sql`(select count(*) from ${table(name)} t where t.token_id = s.token_id and t.pos >= ${first})`
  const rows = await sql<Array<{ id: number; rows: number }>>`
    with wrapped as (
      select token_id, count(*) as rows from ${table("wrap")}
      where token_id = any(${tokens}) and pos < ${first} group by token_id
    )
    select s.token_id as id, s.transfers + coalesce(w.rows, 0)
      - ${later("erc20_transfer")} - ${later("erc721_transfer")} - ${later("erc1155_transfer")} as rows
    from ${table("token_stat")} s left join wrapped w on w.token_id = s.token_id
    where s.token_id = any(${tokens})`
  return new Map(rows.map((row) => [row.id, row.rows]))
}

/**
 * What differed was said of the stored ledger's rows. Where the new one has others, as where logs were lacking, its past is
 * not in doubt by that: the token is in drift until it is compared, and no blocks are named.
 */
const rowOf = (id: number, token: Doubted, hasSameRows: boolean, { next, time }: Stand) => {
  const { address, standard, state, block, compared, difference = null, reason = null, watched, from, to } = token
  const isDenied = state === drift || state === rebasing
  if (!hasSameRows && !isDenied) return []
  // The stored ledger may be further, or on another fork.
  const at = block < next ? { block, time: token.time } : { block: next - 1, time }
  const common = { id, standard, address: address.slice(2), compared, watched, ...at }
  if (!hasSameRows) {
    const found = `was in ${auditStates[state]} before the chain was built anew, and was not compared since`
    // What its contract counts is so whatever rows there are.
    const kept = difference !== null && JSON.parse(difference).counts !== undefined ? difference : null
    return [{ ...common, state: drift, difference: kept, reason: found, from: null, to: null }]
  }
  const last = to === undefined ? null : Math.min(to, next - 1)
  return [{ ...common, state, difference, reason, from: from ?? null, to: last }]
}

/** Rows that are sent at a time. */
const rowsAtOnce = 1000

const write = async (
  tx: TransactionSql,
  next: string,
  rows: ReadonlyArray<ReturnType<typeof rowOf>[number]>,
): Promise<void> => {
  const table = (name: string) => tx(`${next}.${name}`)
  await tx`update ${table("token")} set audited = false where audited`
  await tx`delete from ${table("token_audit")}`
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const part = rows.slice(start, start + rowsAtOnce)
    await tx`
      insert into ${table("token_audit")}
        (token_id, standard, address, state, block_number, time, compared, difference, reason, watched, differed)
      select d.id, d.standard, decode(d.address, 'hex'), d.state, d.block, d.time, d.compared, d.difference::jsonb, d.reason,
        d.watched::jsonb, case when d."from" is not null then array[d."from", d."to"] end
      from jsonb_to_recordset(${JSON.stringify(part)}::text::jsonb) as d (
        id int4, standard int2, address text, state int2, block int4, time int8, compared int4, difference text,
        reason text, watched text, "from" int4, "to" int4)`
    await tx`
      update ${table("token")} set audited = true
      where token_id = any(${numberArray(part.map(({ id }) => id))}::text::int4[])`
  }
  await tx`
    update ${table("audit_count")} c set tokens = (
      select count(*) from ${table("token_audit")} a where a.state = c.state)`
}
