/** A store as a reader at a standby has it, for suites that know of none: written on the primary, read on the standby. */
import { Layer } from "effect"
import postgres from "postgres"
import * as PostgresStore from "../../src/adapters/postgres/PostgresStore.ts"
import * as KeptWhereWritable from "../../src/adapters/postgres/servers/KeptWhereWritable.ts"
import * as ReaderDatabase from "../../src/adapters/postgres/servers/ReaderDatabase.ts"
import type { StorePorts } from "../contracts/store.ts"

export interface SplitStore {
  /** What seeds it. */
  readonly writing: Layer.Layer<StorePorts, unknown>
  /** What answers are read from. */
  readonly reading: Layer.Layer<StorePorts, unknown>
}

/**
 * Names the primary and the standby, with a comma between. The primary waits for the standby at each commit. With `,alone`
 * behind it the second is the one server that the reader knows of, and takes no writes.
 */
export const readerVariable = "COWRY_TEST_READER"

let made = 0

/** An empty store in a schema of its own; undefined where the variable is not set. */
export const readerStore = async (): Promise<SplitStore | undefined> => {
  const [url, standby, alone] = process.env[readerVariable]?.split(",") ?? []
  return url === undefined || standby === undefined ? undefined : splitStore(url, standby, alone !== undefined)
}

/** `isAlone`: what is read from is the one server that the reader knows of. */
export const splitStore = (url: string, standby: string, isAlone: boolean): SplitStore => {
  const schema = `t${process.pid}_${++made}`
  const writing = PostgresStore.layer({ url, schema })
  const servers = isAlone ? { readUrls: [], primary: standby } : { readUrls: [standby], primary: url }
  const database = ReaderDatabase.layer({ ...servers, schema, maxLagMs: 60_000 })
  const reading = KeptWhereWritable.layer.pipe(
    Layer.provideMerge(PostgresStore.layerOn()),
    Layer.provideMerge(database),
  )
  return { writing, reading }
}

/** Commits on the primary end when the standby shows them. */
export const keepLevel = async (primary: string): Promise<void> => {
  const sql = postgres(primary, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe("alter system set synchronous_standby_names = '*'")
    await sql.unsafe("alter system set synchronous_commit = 'remote_apply'")
    await sql.unsafe("select pg_reload_conf()")
  } finally {
    await sql.end()
  }
}

/** The url of a role on that server whose sessions are read-only, and which may read all, and make nothing. */
export const readingRole = async (primary: string): Promise<string> => {
  const url = new URL(primary)
  const database = url.pathname.slice(1)
  const sql = postgres(primary, { max: 1, onnotice: () => {} })
  try {
    await sql.unsafe("create role reads_only login in role pg_read_all_data")
    await sql.unsafe("alter role reads_only set default_transaction_read_only = on")
    await sql.unsafe(`revoke temporary on database "${database}" from public`)
  } finally {
    await sql.end()
  }
  url.username = "reads_only"
  return url.href
}
