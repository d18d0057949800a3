/** Writers on a real database, and all that a chain's tables say, for tests of the write side. */
import { Effect, Exit, Fiber, ManagedRuntime, Scope } from "effect"
import postgres from "postgres"
import type { WriterLimits } from "../../src/adapters/postgres/ledger/writer.ts"
import * as PostgresLedger from "../../src/adapters/postgres/ledger/PostgresLedger.ts"
import * as PostgresDatabase from "../../src/adapters/postgres/PostgresDatabase.ts"
import type { ChainId } from "../../src/domain/model/primitives.ts"
import { Ledger, type LedgerSettings, type LedgerWriter } from "../../src/ports/Ledger.ts"
import { settingsOf } from "../contracts/store.ts"
import { testDatabase, type Version } from "../support/postgres.ts"

export interface OpenWriter {
  readonly writer: LedgerWriter
  /** Lets the lock go. */
  readonly close: () => Promise<void>
}

export interface LedgerDatabase {
  readonly url: string
  /** A connection of the test's own. */
  readonly sql: postgres.Sql
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  readonly open: (
    settings: Partial<LedgerSettings> & { chainId: ChainId },
    limits?: Partial<WriterLimits>,
  ) => Promise<OpenWriter>
  /** Opens in the background. */
  readonly start: (settings: Partial<LedgerSettings> & { chainId: ChainId }) => {
    readonly interrupt: () => Promise<unknown>
  }
  readonly close: () => Promise<void>
}

export const openLedgers = async (version?: Version): Promise<LedgerDatabase> => {
  const url = await testDatabase(version)
  const runtime = ManagedRuntime.make(PostgresDatabase.layer({ url }))
  await runtime.runPromise(Effect.void)
  const sql = postgres(url, { max: 4, onnotice: () => {} })
  const scopes = new Set<Scope.Closeable>()
  const closeScope = async (scope: Scope.Closeable) => {
    scopes.delete(scope)
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  return {
    url,
    sql,
    run: Effect.runPromise,
    open: async (settings, limits = {}) => {
      const scope = Effect.runSync(Scope.make())
      scopes.add(scope)
      const writer = await runtime
        .runPromise(
          Ledger.use((ledger) => ledger.open(settingsOf(settings))).pipe(
            Effect.provideService(Scope.Scope, scope),
            Effect.provide(PostgresLedger.layerWith(limits)),
          ),
        )
        .catch(async (error) => {
          await closeScope(scope)
          throw error
        })
      return { writer, close: () => closeScope(scope) }
    },
    start: (settings) => {
      const fiber = runtime.runFork(
        Effect.scoped(Ledger.use((ledger) => ledger.open(settingsOf(settings)))).pipe(
          Effect.provide(PostgresLedger.layer),
        ),
      )
      return { interrupt: () => Effect.runPromise(Fiber.interrupt(fiber)) }
    },
    close: async () => {
      for (const scope of [...scopes]) await closeScope(scope)
      await runtime.dispose()
      await sql.end()
    },
  }
}

/** The tag and text of a failure. */
export const failureOf = async (effect: Effect.Effect<unknown, { readonly _tag: string }>) => {
  const error = await Effect.runPromise(Effect.flip(effect))
  const { cause } = error as { cause?: unknown }
  return { tag: error._tag, text: cause instanceof Error ? cause.message : String((error as unknown as Error).message) }
}

/** Everything a chain's tables say, ids replaced by what they stand for. */
export const contentOfTables = async (sql: postgres.Sql, chainId: ChainId) => {
  const from = (table: string) => sql(`cowry_${chainId}.${table}`)
  const token = from("token")
  return {
    state: await sql`
      select next_block, finalized_block, node_head, encode(head_hash, 'hex') as head_hash,
             encode(head_parent, 'hex') as head_parent, head_time::int4, erc20_tokens::int4, erc20_transfers::int4
      from ${from("state")}`,
    block: await sql`
      select number, encode(hash, 'hex') as hash, encode(parent_hash, 'hex') as parent_hash, time::int4
      from ${from("block")} order by number`,
    token: await sql`
      select encode(t.address, 'hex') as address, t.first_pos >> 24 as block, t.first_pos & 16777215 as log_index,
             t.sort_time::int4, s.transfers::int4, s.holders::int4, s.standard, encode(s.address, 'hex') as stat_address
      from ${token} t join ${from("token_stat")} s using (token_id) order by 1`,
    transfer: await sql`
      select x.pos >> 24 as block, x.pos & 16777215 as log_index, x.time::int4, encode(t.address, 'hex') as token,
             encode(x.tx_hash, 'hex') as tx_hash, encode(x.from_addr, 'hex') as "from", encode(x.to_addr, 'hex') as "to",
             x.amount::text
      from ${from("erc20_transfer")} x join ${token} t using (token_id) order by x.pos`,
    wrap: await sql`
      select x.pos >> 24 as block, x.pos & 16777215 as log_index, encode(t.address, 'hex') as token,
             encode(x.holder, 'hex') as holder, x.amount::text
      from ${from("wrap")} x join ${token} t using (token_id) order by x.pos`,
    balance: await sql`
      select encode(t.address, 'hex') as token, encode(b.holder, 'hex') as holder, b.block_number as block, b.balance::text
      from ${from("balance")} b join ${token} t using (token_id) order by 1, 2`,
    history: await sql`
      select encode(t.address, 'hex') as token, encode(b.holder, 'hex') as holder, h.block_number as block, h.balance::text
      from ${from("balance_history")} h join ${from("balance")} b using (token_id, holder_no)
      join ${token} t using (token_id) order by 1, 2, 3`,
  }
}

/** What must be nowhere: ids that do not fit together. Empty when all is well. */
export const findDisorder = (sql: postgres.Sql, chainId: ChainId) => {
  const from = (table: string) => sql(`cowry_${chainId}.${table}`)
  return sql`
    select 'holder_no given twice' as what from ${from("balance")} group by token_id, holder_no having count(*) > 1
    union all select 'reserved number' from ${from("balance")}
      where holder_no <> case holder when '' then 0 when '\\x00' then 1 else greatest(holder_no, 2) end
    union all select 'holder_no beyond holder_seq' from ${from("balance")} b join ${from("token_stat")} s using (token_id)
      where b.holder_no > s.holder_seq
    union all select 'token_id beyond token_seq' from ${from("token")}, ${from("state")} where token_id > token_seq
    union all select 'history of nobody' from ${from("balance_history")} h
      where not exists (select from ${from("balance")} b where b.token_id = h.token_id and b.holder_no = h.holder_no
                        and b.block_number > h.block_number)
    union all select 'rows of no token' from (
      select token_id from ${from("balance")} union all select token_id from ${from("erc20_transfer")}
      union all select token_id from ${from("wrap")} union all select token_id from ${from("token_stat")}) r
      where not exists (select from ${from("token")} t where t.token_id = r.token_id)
    union all select 'two clock rows in a group' from ${from("clock")} group by block >> 8 having count(*) > 1
    union all select 'clock against the feed' from ${from("clock")} c join ${from("erc20_transfer")} x
      on x.pos >> 24 = c.block where x.time <> c.time
    union all select 'no clock row' from (select distinct pos >> 32 as part from ${from("erc20_transfer")}) g
      where not exists (select from ${from("clock")} c where c.block >> 8 = g.part)`
}

/** Resolves once some session of the database waits for a lock in a statement like `pattern`; gives its process. */
export const blockedProcess = async (sql: postgres.Sql, pattern: string): Promise<number> => {
  for (;;) {
    const [row] = await sql`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${pattern}`
    if (row !== undefined) return row.pid
  }
}
