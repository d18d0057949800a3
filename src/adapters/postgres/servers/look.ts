/** A look at a server: whether it is a standby, what it takes, and where its log stands. */
import { Effect } from "effect"
import type { StoreError } from "../../../model/errors.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { selectDistributed } from "../database/distributed.ts"
import type { Look } from "./lag.ts"

interface Row {
  readonly version: string
  readonly number: number
  readonly standby: boolean
  readonly writes: boolean
  readonly place: number
  readonly fed: boolean
  readonly even: boolean
  readonly since?: number
  readonly clock: number
  readonly distributed: boolean
}

/** Over the probes' connections, within their time. */
export const lookAt = ({ probes: { sql, query } }: DatabaseShape): Effect.Effect<Look, StoreError> =>
  Effect.map(
    query(
      () => sql<[Row]>`
        select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
          s.standby, current_setting('transaction_read_only') = 'off' as writes,
          pg_wal_lsn_diff(
            case when s.standby then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::float8 as place,
          exists (select from pg_stat_wal_receiver) as fed,
          coalesce(pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn(), false) as even,
          (extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::float8 as since,
          (extract(epoch from clock_timestamp()) * 1000)::float8 as clock,
          (${selectDistributed(sql)}) as distributed
        from (select pg_is_in_recovery() as standby) s`,
    ),
    ([row]): Look => ({
      version: row.version,
      number: row.number,
      isStandby: row.standby,
      takesWrites: row.writes,
      place: row.place,
      isFed: row.fed,
      isEven: row.even,
      isDistributed: row.distributed,
      clockMs: row.clock,
      ...(row.since !== undefined && { sinceReplayMs: row.since }),
    }),
  )
