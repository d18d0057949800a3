/** Keys and indexes of the tables that are loaded: taken off before, remembered as they were, built once at the end. */
import { type Session, transaction } from "../wire/session.ts"

/** Tables that are whole once all is copied; and those that are derived. In the order in which their indexes are built. */
const copied = ["erc20_transfer", "erc721_transfer", "erc1155_transfer", "wrap", "swap", "approval", "odd_log"] as const
const derived = ["balance", "balance_history", "nft", "unit_balance", "unit_balance_history"] as const
const loaded = [...copied, ...derived] as const
const kinds = { copied, derived, loaded }
export const isCopied = (table: string): boolean => (copied as ReadonlyArray<string>).includes(table)
/** For the sort of an index, where the server's own setting is less. Workers share it. */
const leastMemoryKb = 256 * 1024
/** For the counters' own step. */
const counted = "token_stat"

/**
 * Remembers and takes off whatever indexes the migrations have given the loaded tables. Nobody vacuums them meanwhile: each
 * time that would read all that was loaded so far.
 */
export const takeIndexesOff = async (session: Session): Promise<void> => {
  await session.run((sql) =>
    sql.unsafe(`
      create table bulk_index (
        place int4 primary key, table_name text not null, index_name text not null, definition text not null,
        constraint_name text, constraint_kind text, built boolean not null default false)`),
  )
  const found = await session.run(
    (sql) => sql<Array<Index>>`
      select (row_number() over (order by array_position(${[...loaded, counted]}::text[], t.relname::text), x.oid))::int4
               as place,
             t.relname as table_name, x.relname as index_name, 
             case when c.oid is null then pg_get_indexdef(x.oid)
               else format('alter table %I add constraint %I %s%s', t.relname, c.conname, pg_get_constraintdef(c.oid),
                           coalesce(' with (' || array_to_string(x.reloptions, ', ') || ')', '')) end as definition,
             c.conname as constraint_name
      from pg_index i
      join pg_class x on x.oid = i.indexrelid
      join pg_class t on t.oid = i.indrelid
      left join pg_constraint c on c.conindid = x.oid and c.contype in ('p', 'u')
      where t.relnamespace = (select oid from pg_namespace where nspname = current_schema())
        and (t.relname = any(${[...loaded]}::text[]) or t.relname = ${counted} and c.oid is null)`,
  )
  const column = (of: (index: Index) => string | null | undefined) => found.map((index) => of(index) ?? null)
  await session.run(
    (sql) => sql`
      insert into bulk_index (place, table_name, index_name, definition, constraint_name)
      select * from unnest(${found.map(({ place }) => place)}::int4[], ${column((it) => it.table_name)}::text[],
        ${column((it) => it.index_name)}::text[], ${column((it) => it.definition)}::text[],
        ${column((it) => it.constraint_name)}::text[])`,
  )
  for (const table of loaded) {
    await session.run((sql) => sql`alter table ${sql(table)} set (autovacuum_enabled = off)`)
  }
  for (const { table_name, index_name, constraint_name } of await listIndexes(session)) {
    await session.run((sql) =>
      constraint_name === null || constraint_name === undefined
        ? sql`drop index ${sql(index_name)}`
        : sql`alter table ${sql(table_name)} drop constraint ${sql(constraint_name)}`,
    )
  }
}

interface Index {
  readonly place: number
  readonly table_name: string
  readonly index_name: string
  readonly definition: string
  readonly constraint_name?: string | null
  readonly constraint_kind?: string | null
}

const listIndexes = (session: Session): Promise<ReadonlyArray<Index>> =>
  session.run(
    (sql) => sql<Array<Index>>`
      select place, table_name, index_name, definition, constraint_name, constraint_kind
      from bulk_index where not built order by place`,
  )

/** Tables whose indexes some session of the load builds at the moment: a key bears nobody else in its table. */
export type Building = Set<string>

/**
 * Builds the next index of these tables that nobody is at, in a transaction of its own: killed, it is as if it had not begun.
 * False = there is none. Two sessions may build at a time.
 */
export const buildNextIndex = async (
  session: Session,
  of: "copied" | "derived" | "loaded",
  building: Building,
): Promise<boolean> => {
  const tables: ReadonlyArray<string> = kinds[of]
  const next = (await listIndexes(session)).find(({ table_name: name }) => tables.includes(name) && !building.has(name))
  if (next === undefined) return false
  building.add(next.table_name)
  try {
    await transaction(session, async () => {
      // One that a killed writer began may go on for a while; the other session may have built it since it was listed.
      const [row] = await session.run(
        (sql) => sql<[{ built: boolean }]>`select built from bulk_index where place = ${next.place} for update`,
      )
      if (!row.built) await build(session, next)
    })
  } finally {
    building.delete(next.table_name)
  }
  return true
}

/** All of them, one after the other. */
export const buildIndexes = async (
  session: Session,
  of: "copied" | "derived" | "loaded",
  building: Building,
): Promise<void> => {
  while (await buildNextIndex(session, of, building));
}

/** Those of the counters, inside the open transaction. */
export const buildCounterIndexes = async (session: Session): Promise<void> => {
  for (const index of await listIndexes(session)) await build(session, index)
}

const build = async (session: Session, { place, table_name, index_name, definition, ...index }: Index) => {
  await session.run(
    (sql) => sql`
      select set_config(name, greatest(setting::int8, ${leastMemoryKb}) || 'kB', true)
      from pg_settings where name = 'maintenance_work_mem'`,
  )
  await session.run((sql) => sql.unsafe(definition))
  const { constraint_name: name, constraint_kind: kind } = index
  // Of a load that was begun by an older version: there the definition is the index's, and its constraint comes after it.
  if (name !== null && name !== undefined && kind !== null && kind !== undefined) {
    await session.run(
      (sql) => sql`
        alter table ${sql(table_name)} add constraint ${sql(name)} ${sql.unsafe(kind)} using index ${sql(index_name)}`,
    )
  }
  await session.run((sql) => sql`update bulk_index set built = true where place = ${place}`)
}

/** What readers' plans go by: of whole tables, which takes as long as a key, and of those that are counted in last. */
export const analyze = (session: Session, of: "copied" | "derived"): Promise<unknown> =>
  session.run((sql) => sql.unsafe(`analyze ${kinds[of].join(", ")}`))
export const analyzeCounted = (session: Session): Promise<unknown> =>
  session.run((sql) => sql.unsafe(`analyze ${counted}, token`))

/** The tables are looked after again. */
export const lookAfter = async (session: Session): Promise<void> => {
  for (const table of loaded) await session.run((sql) => sql`alter table ${sql(table)} reset (autovacuum_enabled)`)
}
