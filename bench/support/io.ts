/** What the server has read and written, by kind. */
import type postgres from "postgres"

export interface Io {
  /** `table`, `index`, `temporary files`, `write-ahead log`. */
  readonly kind: string
  readonly readBytes: number
  readonly reads: number
  readonly writtenBytes: number
  readonly writes: number
}

/** Since the server began, of PostgreSQL 18 or newer; empty for an older one. Backends tell when a transaction of theirs has ended. */
export const readIo = async (sql: postgres.Sql): Promise<ReadonlyArray<Io>> => {
  const [version] = await sql`select current_setting('server_version_num')::int4 as number`
  if (version!.number < 180_000) return []
  return sql<Array<Io>>`
    select case object when 'wal' then 'write-ahead log' when 'temp relation' then 'temporary tables'
                       else 'tables, ' || case context when 'normal' then 'page by page' else context end end as kind,
           coalesce(sum(read_bytes), 0)::float8 as "readBytes", coalesce(sum(reads), 0)::float8 as reads,
           (coalesce(sum(write_bytes), 0) + coalesce(sum(extend_bytes), 0))::float8 as "writtenBytes",
           (coalesce(sum(writes), 0) + coalesce(sum(extends), 0))::float8 as writes
    from pg_stat_io group by 1
    union all
    select 'temporary files', 0, 0, coalesce(sum(temp_bytes), 0)::float8, coalesce(sum(temp_files), 0)::float8
    from pg_stat_database
    order by 1`
}

/** Lines of what came between the two, an ERC-20 transfer; and how many bytes at a time. */
export const ioLines = (before: ReadonlyArray<Io>, after: ReadonlyArray<Io>, transfers: number) =>
  after.flatMap((now) => {
    const then = before.find(({ kind }) => kind === now.kind)
    const of = (field: "readBytes" | "reads" | "writtenBytes" | "writes") => now[field] - (then?.[field] ?? 0)
    const line = (verb: string, bytes: number, calls: number) =>
      bytes < transfers
        ? []
        : ([
            [`  ${now.kind}, ${verb}, ${Math.round(bytes / calls / 1024)} KB at a time`, bytes / transfers, 0],
          ] as const)
    return [...line("read", of("readBytes"), of("reads")), ...line("written", of("writtenBytes"), of("writes"))]
  })
