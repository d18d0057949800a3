/** Writers on a real database, and all that a chain's tables say, for tests of the write side. */
import { Effect, Exit, Fiber, Layer, ManagedRuntime, Scope } from "effect"
import postgres from "postgres"
import * as PostgresDatabase from "../../../src/adapters/postgres/database/PostgresDatabase.ts"
import * as PostgresLedger from "../../../src/adapters/postgres/ledger/PostgresLedger.ts"
import type { WriterLimits } from "../../../src/adapters/postgres/ledger/writerState.ts"
import type { ChainId } from "../../../src/model/primitives.ts"
import { Ledger, type LedgerSettings, type LedgerWriter } from "../../../src/ports/Ledger.ts"
import { settingsOf } from "../../contracts/store.ts"
import { testDatabase, type Version } from "../../support/postgres.ts"
import { sorted } from "./naiveLedger.ts"

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
    logger?: Layer.Layer<never>,
  ) => Promise<OpenWriter>
  /** Opens in the background. */
  readonly start: (settings: Partial<LedgerSettings> & { chainId: ChainId }) => {
    readonly interrupt: () => Promise<unknown>
  }
  readonly close: () => Promise<void>
}

/** `over`: the url by which the ledgers reach the database, where not directly. `observe` gets each statement's text. */
export const openLedgers = async (
  version?: Version,
  over = async (direct: string): Promise<string> => direct,
  observe: (statement: string) => void = () => {},
): Promise<LedgerDatabase> => {
  const url = await testDatabase(version)
  const runtime = ManagedRuntime.make(PostgresDatabase.layer({ url: await over(url), observe }))
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
    open: async (settings, limits = {}, logger = Layer.empty) => {
      const scope = Effect.runSync(Scope.make())
      scopes.add(scope)
      const writer = await runtime
        .runPromise(
          Ledger.use((ledger) => ledger.open(settingsOf(settings))).pipe(
            Effect.provideService(Scope.Scope, scope),
            Effect.provide(PostgresLedger.layerWith(limits)),
            Effect.provide(logger),
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
  const { cause, problem, isLate } = error as { cause?: unknown; problem?: string; isLate?: true }
  return {
    problem,
    isLate,
    tag: error._tag,
    text: cause instanceof Error ? cause.message : String((error as unknown as Error).message),
  }
}

/** Everything a chain's tables say, ids replaced by what they stand for. Nobody reads an ERC-1155's reserved pairs. */
export const contentOfTables = async (sql: postgres.Sql, chainId: ChainId) => {
  const from = (table: string) => sql(`cowry_${chainId}.${table}`)
  const token = from("token")
  const transfer = (standard: number, table: string, columns: postgres.Fragment) => sql`
    select lpad((x.pos >> 24)::text, 10, '0') as block, lpad((x.pos & 16777215)::text, 8, '0') as log_index,
           ${columns}, x.time::int4, encode(t.address, 'hex') as token,
           encode(x.tx_hash, 'hex') as tx_hash, encode(x.from_addr, 'hex') as "from", encode(x.to_addr, 'hex') as "to"
    from ${from(table)} x join ${token} t on t.token_id = x.token_id and t.standard = ${standard}`
  const transfers = await Promise.all([
    transfer(20, "erc20_transfer", sql`0 as sub, 20 as standard, null as id, x.amount::text`),
    transfer(721, "erc721_transfer", sql`x.sub, 721 as standard, x.nft_id::text as id, null as amount`),
    transfer(1155, "erc1155_transfer", sql`x.sub, 1155 as standard, x.nft_id::text as id, x.amount::text`),
  ])
  const plain = {
    state: await sql`
      select next_block, finalized_block, node_head, encode(head_hash, 'hex') as head_hash,
             encode(head_parent, 'hex') as head_parent, head_time::int4,
             array[erc20_tokens, erc721_tokens, erc1155_tokens]::int4[] as tokens,
             array[erc20_transfers, erc721_transfers, erc1155_transfers]::int4[] as transfers,
             swaps::int4
      from ${from("state")}`,
    block: await sql`
      select number, encode(hash, 'hex') as hash, encode(parent_hash, 'hex') as parent_hash, time::int4
      from ${from("block")} order by number`,
    token: await sql`
      select t.standard, encode(t.address, 'hex') as address, t.first_pos >> 24 as block, t.first_pos & 16777215 as log_index,
             t.sort_time::int4, encode(t.first_tx, 'hex') as first_tx, s.transfers::int4, s.holders::int4, s.ids::int4,
             array[s.last_24h, s.last_48h, s.last_72h] as last,
             s.standard as stat_standard, encode(s.address, 'hex') as stat_address
      from ${token} t join ${from("token_stat")} s using (token_id)`,
    transfer: transfers
      .flat()
      .map(({ block, log_index, sub, standard, time, token, tx_hash, from, to, id, amount }) => ({
        block,
        log_index,
        sub,
        standard,
        time,
        token,
        tx_hash,
        from,
        to,
        id,
        amount,
      })),
    wrap: await sql`
      select x.pos >> 24 as block, x.pos & 16777215 as log_index, encode(t.address, 'hex') as token,
             encode(x.holder, 'hex') as holder, x.amount::text
      from ${from("wrap")} x join ${token} t using (token_id) order by x.pos`,
    odd_log: await sql`
      select x.pos >> 24 as block, x.pos & 16777215 as log_index, x.time::int4, x.tx_index, x.has_rows,
             encode(x.contract, 'hex') as contract, encode(x.tx_hash, 'hex') as tx_hash,
             array_remove(array[encode(x.topic0, 'hex'), encode(x.topic1, 'hex'), encode(x.topic2, 'hex'),
                                encode(x.topic3, 'hex')], null) as topics, encode(x.data, 'hex') as data
      from ${from("odd_log")} x order by x.pos`,
    balance: await sql`
      select t.standard, encode(t.address, 'hex') as token, encode(b.holder, 'hex') as holder, b.block_number as block,
             b.balance::text
      from ${from("balance")} b join ${token} t using (token_id) where t.standard <> 1155 or length(b.holder) = 20`,
    history: await sql`
      select t.standard, encode(t.address, 'hex') as token, encode(b.holder, 'hex') as holder, h.block_number as block,
             h.balance::text
      from ${from("balance_history")} h join ${from("balance")} b using (token_id, holder_no)
      join ${token} t using (token_id) where t.standard <> 1155 or length(b.holder) = 20`,
    nft: await sql`
      select encode(t.address, 'hex') as token, n.nft_id::text as id, encode(n.owner, 'hex') as owner,
             (n.pos >> 24)::int4 as block,
             case when n.owner is not null
                  then concat_ws(' ', n.mint_pos >> 24, n.mint_pos & 16777215, n.mint_time) end as mint
      from ${from("nft")} n join ${token} t using (token_id)`,
    unit: await sql`
      select encode(t.address, 'hex') as token, u.nft_id::text as id, encode(u.holder, 'hex') as holder,
             u.block_number as block, u.balance::text
      from ${from("unit_balance")} u join ${token} t using (token_id)`,
    swap: await sql`
      select x.pos >> 24 as block, x.pos & 16777215 as log_index, x.time::int4, encode(p.key, 'hex') as pool,
             encode(i.address, 'hex') as token_in, encode(o.address, 'hex') as token_out,
             encode(x.tx_hash, 'hex') as tx_hash, x.qty_in::text, x.qty_out::text
      from ${from("swap")} x join ${from("pool")} p using (pool_no)
      join ${from("asset")} i on i.asset_no = x.in_no join ${from("asset")} o on o.asset_no = x.out_no order by x.pos`,
    pool: await sql`
      select encode(p.key, 'hex') as key, encode(a.address, 'hex') as token0, encode(b.address, 'hex') as token1,
             encode(p.factory, 'hex') as factory, p.since
      from ${from("pool")} p join ${from("asset")} a on a.asset_no = p.asset0 join ${from("asset")} b on b.asset_no = p.asset1`,
    asset: await sql`select encode(address, 'hex') as address, decimals, since from ${from("asset")}`,
    unit_history: await sql`
      select encode(t.address, 'hex') as token, u.nft_id::text as id, encode(u.holder, 'hex') as holder,
             h.block_number as block, h.balance::text
      from ${from("unit_balance_history")} h join ${from("unit_balance")} u using (token_id, unit_no)
      join ${token} t using (token_id)`,
  }
  const byText = ["token", "transfer", "balance", "history", "nft", "unit", "unit_history", "pool", "asset"] as const
  return { ...plain, ...Object.fromEntries(byText.map((table) => [table, sorted(plain[table])])) }
}

/** What must be nowhere: ids that do not fit together. Empty when all is well. */
export const findDisorder = (sql: postgres.Sql, chainId: ChainId) => {
  const from = (table: string) => sql(`cowry_${chainId}.${table}`)
  const feed = sql`(
    select pos, time, token_id from ${from("erc20_transfer")}
    union all select pos, time, token_id from ${from("erc721_transfer")}
    union all select pos, time, token_id from ${from("erc1155_transfer")})`
  return sql`
    select 'holder_no given twice' as what from ${from("balance")} group by token_id, holder_no having count(*) > 1
    union all select 'reserved number' from ${from("balance")}
      where holder_no <> case holder when '' then 0 when '\\x00' then 1 else greatest(holder_no, 2) end
    union all select 'holder_no beyond holder_seq' from ${from("balance")} b join ${from("token_stat")} s using (token_id)
      where b.holder_no > s.holder_seq
    union all select 'unit_no given twice' from ${from("unit_balance")} group by token_id, unit_no having count(*) > 1
    union all select 'unit_no beyond unit_seq' from ${from("unit_balance")} u join ${from("token_stat")} s using (token_id)
      where u.unit_no not between 1 and s.unit_seq
    union all select 'token_id beyond token_seq' from ${from("token")}, ${from("state")} where token_id > token_seq
    union all select 'history of nobody' from ${from("balance_history")} h
      where not exists (select from ${from("balance")} b where b.token_id = h.token_id and b.holder_no = h.holder_no
                        and b.block_number > h.block_number)
    union all select 'history of no unit' from ${from("unit_balance_history")} h
      where not exists (select from ${from("unit_balance")} u where u.token_id = h.token_id and u.unit_no = h.unit_no
                        and u.block_number > h.block_number)
    union all select 'rows of no token' from (
      select token_id from ${from("balance")} union all select token_id from ${feed} f
      union all select token_id from ${from("wrap")} union all select token_id from ${from("token_stat")}
      union all select token_id from ${from("nft")} union all select token_id from ${from("unit_balance")}) r
      where not exists (select from ${from("token")} t where t.token_id = r.token_id)
    union all select 'an edge with older rows behind it, or younger ones before it'
      from ${from("state")} s cross join lateral (values (s.edge_24h, 24), (s.edge_48h, 48), (s.edge_72h, 72)) e (edge, hours)
      join ${feed} f on (f.pos >> 24 >= e.edge) <> (f.time > s.head_time - e.hours * 3600)
    union all select 'a number beyond its sequence' from ${from("state")} s
      where s.pool_seq < (select max(pool_no) from ${from("pool")}) or s.asset_seq < (select max(asset_no) from ${from("asset")})
    union all select 'a swap of no pool, of other assets than its pool has, or before it'
      from ${from("swap")} x left join ${from("pool")} p using (pool_no)
      where (p.pool_no is not null and p.since <= x.pos >> 24
             and (x.in_no, x.out_no) in ((p.asset0, p.asset1), (p.asset1, p.asset0))) is not true
    union all select 'two clock rows in a group' from ${from("clock")} group by block >> 8 having count(*) > 1
    union all select 'clock against the feed' from ${from("clock")} c join ${feed} x
      on x.pos >> 24 = c.block where x.time <> c.time
    union all select 'no clock row' from (select distinct pos >> 32 as part from ${feed} f) g
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
