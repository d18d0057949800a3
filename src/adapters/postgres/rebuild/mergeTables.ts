/** The rows of a ledger of other tokens go into the chain's own: which tables are taken over, and how. */
import { pastSeconds } from "../../../ports/PriceSource.ts"
import { type Edges, findEdges } from "../ledger/state/windows.ts"
import type { Session } from "../ledger/wire/session.ts"

/** Tables whose rows go over as they are, but for their `token_id`; and the order they are written in, which is that of a key. */
export const copiedTables: Readonly<Record<string, string>> = {
  token: "token_id",
  token_stat: "token_id",
  erc20_transfer: "pos",
  wrap: "pos",
  balance: "holder, token_id",
  balance_history: "token_id, holder_no, block_number",
  erc721_transfer: "pos, sub",
  erc1155_transfer: "pos, sub",
  nft: "token_id, nft_id",
  unit_balance: "holder, token_id, nft_id",
  unit_balance_history: "token_id, unit_no, block_number",
  approval: "pos",
  odd_log: "pos",
}

/** Tables that are put together here in words of their own. */
export const joinedTables: ReadonlyArray<string> = ["state", "block", "clock"]

/**
 * Tables that stay the chain's own. Notes are of addresses; audits and prices are of the ledger that answers, and prices
 * of past hours are asked for anew; a ledger that keeps only some tokens has no swaps.
 */
export const keptTables: ReadonlyArray<string> = [
  ...["rollback", "correction", "corrected_row", "token_note", "token_audit", "audit_count", "migration"],
  ...["asset", "pool", "swap", "price_point", "price_progress", "price_gap", "account_code"],
  // Void by the rollback that such a merge is told as.
  ...["marking", "marked_account", "account_mark"],
]

/** Two schemas: the rows of `from` go into `to`. */
export interface Merge {
  readonly session: Session
  readonly to: string
  readonly from: string
}

/** `offset`: the last `token_id` that was given out in `to`. */
export const copyRows = async ({ session, to, from }: Merge, offset: number): Promise<void> => {
  for (const [table, order] of Object.entries(copiedTables)) {
    const columns = await session.run(
      (sql) => sql<Array<{ name: string }>>`
        select column_name as name from information_schema.columns
        where table_schema = ${to} and table_name = ${table} and is_generated = 'NEVER' order by ordinal_position`,
    )
    const names = columns.map(({ name }) => name)
    const values = names.map((name) => (name === "token_id" ? `token_id + ${offset}` : name))
    await session.run((sql) =>
      sql.unsafe(
        `insert into "${to}".${table} (${names.join(", ")})
         select ${values.join(", ")} from "${from}".${table} order by ${order}`,
      ),
    )
  }
}

/** Headers that one of the two has, and of each 256 blocks the lowest known one. */
export const joinBlocks = async ({ session, to, from }: Merge): Promise<void> => {
  const statements = [
    `insert into "${to}".block (number, hash, parent_hash, time)
     select number, hash, parent_hash, time from "${from}".block
     where number >= (select finalized_block from "${to}".state) on conflict do nothing`,
    `delete from "${to}".clock c using "${from}".clock n
     where n.block >> 8 = c.block >> 8 and (n.block < c.block or n.block = c.block and c.hash is null)`,
    `insert into "${to}".clock (block, time, hash)
     select n.block, n.time, n.hash from "${from}".clock n
     where not exists (select from "${to}".clock c where c.block >> 8 = n.block >> 8)`,
  ]
  for (const statement of statements) await session.run((sql) => sql.unsafe(statement))
}

/** What token lists say of the tokens that came: they may have said it after those were born. */
export const markTrusted = async ({ session, to }: Merge, offset: number): Promise<void> => {
  for (const table of ["token", "token_stat"]) {
    await session.run((sql) =>
      sql.unsafe(
        `update "${to}".${table} t set trusted = not t.trusted
         where t.token_id > ${offset} and t.trusted <> (t.standard = 20 and exists (
           select from "${to}".token_note n where n.address = t.address and n.trusted))`,
      ),
    )
  }
}

/**
 * The hours that were asked for before become one gap: they are asked for once more, since the tokens that came have no
 * prices there. Those that are stored stay until then. An hour that was asked for in vain has no row: where the first of
 * all was follows from how far back a source is asked.
 */
export const openPricedHours = async ({ session, to }: Merge): Promise<void> => {
  const [asked] = await session.run((sql) =>
    sql.unsafe<Array<{ first: number; next: number }>>(
      `select least(
         (select min(hour) from "${to}".price_point where hour > 0), (select min(from_hour) from "${to}".price_gap),
         greatest((select time / 3600 from "${to}".clock order by block limit 1), next_hour - ${pastSeconds / 3600})
       )::int4 as first, next_hour as next from "${to}".price_progress`,
    ),
  )
  if (asked === undefined || asked.first >= asked.next) return
  await session.run((sql) => sql.unsafe(`delete from "${to}".price_gap`))
  await session.run((sql) =>
    sql.unsafe(`insert into "${to}".price_gap (from_hour, to_hour) values (${asked.first}, ${asked.next})`),
  )
}

/**
 * Where the windows begin, by the rows of both, and how many rows each token has in them. The two ledgers' edges may differ:
 * each stands between rows of its own.
 */
export const countWindows = async ({ session, to }: Merge, headTime: number, nextBlock: number): Promise<Edges> => {
  await session.run((sql) => sql.unsafe(`set local search_path = "${to}"`))
  const edges = await findEdges(session, headTime, [0, 0, 0], [nextBlock, nextBlock, nextBlock])
  const first = `${Math.min(...edges)}::int8 << 24`
  const counted = (edge: number) => `count(*) filter (where pos >= ${edge}::int8 << 24)::int4`
  await session.run((sql) =>
    sql.unsafe(
      `update token_stat s set last_24h = c.day, last_48h = c.two, last_72h = c.three
       from (
         select token_id, ${counted(edges[0])} as day, ${counted(edges[1])} as two, ${counted(edges[2])} as three
         from (
           select token_id, pos from erc20_transfer where pos >= ${first}
           union all select token_id, pos from erc721_transfer where pos >= ${first}
           union all select token_id, pos from erc1155_transfer where pos >= ${first}
         ) r group by token_id
       ) c where s.token_id = c.token_id and (s.last_24h, s.last_48h, s.last_72h) <> (c.day, c.two, c.three)`,
    ),
  )
  return edges
}
