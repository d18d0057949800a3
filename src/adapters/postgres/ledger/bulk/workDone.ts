/** How much of a load's work behind copying is done. Each kind of it counts as what it takes: folding a side of a movement is 1. */
import type { Sql } from "postgres"
import { isCopied } from "./indexes.ts"
import type { BulkState } from "./stage.ts"

/** A side that goes into a longer run. */
const joining = 0.5
/** The ids of a row of ERC-721 or ERC-1155. */
const idsOfRow = 7
/** A row in an index, and in one with a condition, which reads all rows and keeps few. */
const inIndex = 1 / 3
const inPartialIndex = 1 / 15
/** The rows that a side becomes, in the indexes of balances and their history. */
const derivedOfSide = 1 / 3
/** Counters and what comes with them: a share of all. */
const counting = 0.05

/** What the state does not tell of the step under way: sides folded; and rows of which no ids are made yet, undefined = of all. */
export interface UnderWay {
  readonly folded: number
  readonly idsLeft: number | undefined
}

/** By table. */
type TransferRows = Readonly<Record<"erc20_transfer" | "erc721_transfer" | "erc1155_transfer", number>>

/** 0 to 1. */
export const workDone = async (
  sql: Sql,
  schema: string,
  { stage, sides, joinedSides }: BulkState,
  { folded, idsLeft }: UnderWay,
): Promise<number> => {
  if (stage === "copying") return 0
  if (stage === "counting") return 1 - counting
  if (stage === "whole") return 1
  const [rows] = await sql<[TransferRows]>`
    select erc20_transfers::float8 as erc20_transfer, erc721_transfers::float8 as erc721_transfer,
           erc1155_transfers::float8 as erc1155_transfer
    from ${sql(`${schema}.state`)}`
  const ids = rows.erc721_transfer + rows.erc1155_transfer
  const idsMade = stage === "indexing" ? ids : ids - Math.min(ids, idsLeft ?? ids)
  const indexes = await indexWork(sql, schema, rows)
  const derived = sides * derivedOfSide
  const joined = joining * joinedSides
  const all = (stage === "joining" ? joining * sides : joined) + sides + idsOfRow * ids + indexes.copied.all + derived
  const done =
    joined + folded + idsOfRow * idsMade + indexes.copied.done + (derived * indexes.derived.done) / indexes.derived.all
  return (1 - counting) * Math.min(1, done / all)
}

/**
 * Of the copied tables' indexes, and of the derived ones', by the rows of their tables; of the one that is being built, as the
 * server tells. Of other tables than transfers the server's counts of rows are taken, and no sizes: who asks for a size waits
 * until a key is built. Where tables lie on another server they have no rows here: then those count the same, and the one that
 * is built nothing.
 */
const indexWork = async (sql: Sql, schema: string, transfers: TransferRows) => {
  const indexes = await sql<Array<{ table_name: string; definition: string; built: boolean }>>`
    select table_name, definition, built from ${sql(`${schema}.bulk_index`)} order by place`
  const tables = [...new Set(indexes.map(({ table_name }) => table_name))]
  const seen = await sql<Array<{ name: string; rows: number; done: number }>>`
    select t.name, greatest(pg_stat_get_live_tuples(r.relation), 1)::float8 as rows, coalesce((
        select case when p.tuples_done > 0 then 0.6 + 0.4 * p.tuples_done / greatest(p.tuples_total, 1)
                    else 0.6 * p.blocks_done / greatest(p.blocks_total, 1) end
        from pg_stat_progress_create_index p where p.relid = r.relation limit 1
      ), 0)::float8 as done
    from unnest(${tables}::text[]) as t (name)
    cross join lateral (select to_regclass(format('%I.%I', ${schema}::text, t.name)) as relation) r`
  const tableOf = new Map(seen.map((table) => [table.name, table]))
  const work = { copied: { all: 0, done: 0 }, derived: { all: 0, done: 0 } }
  // Of a table's indexes the first that is not built is the one that is being built.
  const begun = new Set<string>()
  for (const { table_name, definition, built } of indexes) {
    const { rows: counted = 1, done: share = 0 } = tableOf.get(table_name) ?? {}
    const rows = transfers[table_name as keyof TransferRows] ?? counted
    const takes = rows * (/ where /i.test(definition) ? inPartialIndex : inIndex)
    const of = isCopied(table_name) ? work.copied : work.derived
    of.all += takes
    of.done += takes * (built ? 1 : begun.has(table_name) ? 0 : share)
    if (!built) begun.add(table_name)
  }
  return work
}
