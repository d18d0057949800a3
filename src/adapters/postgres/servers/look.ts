/** A look at a server: whether it is a standby, what it takes, and how far it has come. */
import { Effect } from "effect"
import type postgres from "postgres"
import type { StoreError } from "../../../model/errors.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { selectDistributed } from "../database/distributed.ts"
import { isOfStatement } from "../database/pool.ts"
import type { Look } from "./lag.ts"

interface Row {
  readonly version: string
  readonly number: number
  readonly standby: boolean
  readonly writes: boolean
  readonly place?: number
  readonly timeline?: number | null
  readonly fed?: boolean
  readonly even?: boolean
  readonly since?: number
  readonly transaction?: number
  readonly clock: number
  readonly distributed: boolean
}

/** Of its newest snapshot: what was begun later is not in it. */
const transaction = (sql: postgres.Sql) => sql`, pg_snapshot_xmax(pg_current_snapshot())::text::float8 as transaction`

const place = (sql: postgres.Sql) => sql`,
    pg_wal_lsn_diff(
      case when s.standby then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::float8 as place,
    exists (select from pg_stat_wal_receiver) as fed,
    coalesce(pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn(), false) as even,
    (extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::float8 as since
    ${transaction(sql)}`

/** Which log a standby is sent is told to roles that have `pg_read_all_stats`. Its own control file tells of a new one only minutes later. */
const timeline = (sql: postgres.Sql) => sql`,
    case when s.standby then (select received_tli from pg_stat_wal_receiver)
      else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int4 end as timeline`

/** What is asked of how far it has come: the first of these that it answers. Amazon's Aurora refuses what is of the log, of a primary too. */
const ways: ReadonlyArray<(sql: postgres.Sql) => postgres.Fragment> = [
  (sql) => sql`${timeline(sql)} ${place(sql)}`,
  place,
  transaction,
  (sql) => sql``,
]

/** Looks of one server, over the probes' connections, within their time. What it refused it is not asked again until it was away. */
export const makeLook = ({ probes: { sql, query } }: DatabaseShape): Effect.Effect<Look, StoreError> => {
  let way = 0
  const look: Effect.Effect<Look, StoreError> = Effect.suspend(() =>
    query(
      () => sql<[Row]>`
        select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
          s.standby, current_setting('transaction_read_only') = 'off' as writes,
          (extract(epoch from clock_timestamp()) * 1000)::float8 as clock,
          (${selectDistributed(sql)}) as distributed ${ways[way]!(sql)}
        from (select pg_is_in_recovery() as standby) s`,
    ).pipe(
      Effect.map(([row]) => lookOf(row)),
      Effect.catch((error) => {
        const isRefused = error._tag === "StoreUnavailable" && isOfStatement(error.cause)
        way = isRefused && way + 1 < ways.length ? way + 1 : 0
        return way === 0 ? Effect.fail(error) : look
      }),
    ),
  )
  return look
}

const lookOf = (row: Row): Look => ({
  version: row.version,
  number: row.number,
  isStandby: row.standby,
  takesWrites: row.writes,
  isFed: row.fed === true,
  isEven: row.even === true,
  isDistributed: row.distributed,
  clockMs: row.clock,
  ...(row.place !== undefined && { place: row.place }),
  ...(typeof row.timeline === "number" && { timeline: row.timeline }),
  ...(row.transaction !== undefined && { transaction: row.transaction }),
  ...(row.since !== undefined && { sinceReplayMs: row.since }),
})
