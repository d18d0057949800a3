/** A ledger that is loaded in bulk lies in a schema of its own, which nobody reads: its staging tables, and how far it is. */
import type { LoadProgress } from "../../../../ports/Ledger.ts"
import { runsDistributed } from "../../database/distributed.ts"
import { runScript, type Session } from "../wire/session.ts"

export type BulkStage = "copying" | "joining" | "balances" | "ids" | "indexing" | "counting" | "whole"

/** Balances are being made of the runs. */
export const isFolding = (stage: BulkStage): boolean => stage === "joining" || stage === "balances"

/** What the stage is called where people see it. */
export const stepOf = (stage: BulkStage): LoadProgress["step"] =>
  stage === "copying" ? "copying" : isFolding(stage) || stage === "ids" ? "deriving" : "indexing"

/** How far a load is, as its one row says. */
export interface BulkState {
  readonly stage: BulkStage
  /** Runs stored, and sides in them. */
  readonly runs: number
  readonly sides: number
  /** Transfers of the rows ahead of this block are in `bulk_count`. */
  readonly countedBlock: number
  /** Of each run, how many sides are folded; those of all. */
  readonly positions: ReadonlyArray<number>
  /** The token whose pairs were folded last, and its last holder_no. */
  readonly token: number
  readonly holderSeq: number
  /** How many runs are joined, in how many new ones, and the sides of those, which stay told once all are. */
  readonly joinedTo: number
  readonly joinedRuns: number
  readonly joinedSides: number
}

interface StateRow {
  readonly stage: BulkStage
  readonly runs: number
  readonly sides: number
  readonly counted_block: number
  readonly positions: string
  readonly token_id: number
  readonly holder_seq: number
  readonly joined_to: number
  readonly joined_runs: number
  readonly joined_sides: number
}

/** The load's state comes last: without it the schema is of no use. */
export const createStage = (session: Session, distributed: boolean): Promise<unknown> =>
  runScript(
    session,
    `
      create table bulk_run (run_no int4, part_no int4, data bytea not null, primary key (run_no, part_no))
        with (autovacuum_enabled = off);
      alter table bulk_run alter data set storage plain;
      create table bulk_wide (run_no int4, place int4, amount numeric not null, primary key (run_no, place));
      create table bulk_count (
        token_id int4 not null, transfers int8 not null, holders int8 not null, ids int8 not null,
        holder_seq int4 not null, unit_seq int4 not null);
      create table bulk_load (
        only_row boolean primary key default true check (only_row),
        stage text not null default 'copying', runs int4 not null default 0, sides int8 not null default 0,
        positions text not null default '', token_id int4 not null default 0, holder_seq int4 not null default 1,
        ids_of int4 not null default 0, counted_block int4, joined_to int4 not null default 0,
        joined_runs int4 not null default 0, joined_sides int8 not null default 0);
      insert into bulk_load (only_row) values (true)`,
    (statement) => !distributed || runsDistributed(statement),
  )

export const dropStage = (session: Session): Promise<unknown> =>
  session.run((sql) => sql.unsafe("drop table bulk_run, bulk_wide, bulk_count, bulk_index, bulk_load"))

/** Of a load that ends ahead of `nextBlock`. Where nobody said what is counted, nothing is stored, or a version did that counts it at once. */
export const loadStage = async (session: Session, nextBlock: number): Promise<BulkState> => {
  // The session of a killed writer may still be at the row: nothing is locked that need not be.
  const columns = await session.run(
    (sql) => sql<Array<{ attname: string }>>`select attname from pg_attribute where attrelid = 'bulk_load'::regclass`,
  )
  const has = (name: string) => columns.some(({ attname }) => attname === name)
  if (!has("counted_block")) await session.run((sql) => sql`alter table bulk_load add column counted_block int4`)
  if (!has("joined_to")) {
    await session.run(
      (sql) => sql`
        alter table bulk_load add column joined_to int4 not null default 0,
          add column joined_runs int4 not null default 0, add column joined_sides int8 not null default 0`,
    )
  }
  await session.run((sql) => sql`update bulk_load set counted_block = ${nextBlock} where counted_block is null`)
  const [row] = await session.run(
    (sql) => sql<[StateRow]>`
      select stage, runs, sides, counted_block, positions, token_id, holder_seq, joined_to, joined_runs, joined_sides
      from bulk_load`,
  )
  const { stage, runs, sides, positions } = row
  return {
    stage,
    runs,
    sides,
    countedBlock: row.counted_block,
    positions: positions === "" ? new Array<number>(runs).fill(0) : positions.split(",").map(Number),
    token: row.token_id,
    holderSeq: row.holder_seq,
    joinedTo: row.joined_to,
    joinedRuns: row.joined_runs,
    joinedSides: row.joined_sides,
  }
}

/** Stores what has changed of it. */
export const storeStage = (session: Session, state: BulkState): Promise<unknown> =>
  session.run(
    (sql) => sql`
      update bulk_load set stage = ${state.stage}, runs = ${state.runs}, sides = ${state.sides},
        counted_block = ${state.countedBlock}, token_id = ${state.token}, holder_seq = ${state.holderSeq},
        joined_to = ${state.joinedTo}, joined_runs = ${state.joinedRuns}, joined_sides = ${state.joinedSides},
        positions = ${state.stage === "balances" ? state.positions.join(",") : ""}`,
  )

/** Nothing else of it changes. */
export const moveTo = async (session: Session, state: BulkState, stage: BulkStage): Promise<BulkState> => {
  const next = { ...state, stage }
  await storeStage(session, next)
  return next
}

/** The last token whose ids are made. */
export const loadIdsOf = async (session: Session): Promise<number> => {
  const [row] = await session.run((sql) => sql<[{ ids_of: number }]>`select ids_of from bulk_load`)
  return row.ids_of
}

/** False = it is not `from` any more. */
export const moveIdsOf = async (session: Session, from: number, to: number): Promise<boolean> => {
  const moved = await session.run((sql) => sql`update bulk_load set ids_of = ${to} where ids_of = ${from}`)
  return moved.count === 1
}
