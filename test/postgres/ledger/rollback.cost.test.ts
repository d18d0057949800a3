/** A rollback costs what it takes back: the tables' size is nothing to it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { Effect } from "effect"
import { managedPool } from "../../../src/model/poolKey.ts"
import type { Address, ChainId } from "../../../src/model/primitives.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { freshChainId } from "../../contracts/store.ts"
import {
  address,
  initialize,
  managedSwap,
  multiTransfer,
  nftTransfer,
  TestChain,
  transfer,
} from "../../support/chain/testChain.ts"
import { type LedgerDatabase, openLedgers } from "./ledger.support.ts"

let ledgers: LedgerDatabase
beforeAll(async () => {
  ledgers = await openLedgers()
})
afterAll(() => ledgers.close())

const first = 1_000_000
const [coin, art, goods] = [address(0x1_0001), address(0x1_0002), address(0x1_0003)] as const
const manager = address(0x4a)
const pool = `0x${"1".padStart(64, "0")}`

/** A ledger with so many old rows in every table, of the very contracts and people that the newest blocks touch. */
const fill = async (chainId: string, rows: number): Promise<void> => {
  const { sql } = ledgers
  const hexOf = (text: string) => sql`decode(lpad(to_hex(${sql.unsafe(text)}), 40, '0'), 'hex')`
  await sql.begin(async (tx) => {
    await tx.unsafe(`set local search_path = "cowry_${chainId}"`)
    const [many, person] = [tx`generate_series(1, ${rows}::int4) as i`, hexOf("i % 1000 + 1")]
    const other = hexOf("(i + 7) % 1000 + 1")
    const hash = tx`decode(repeat('ab', 32), 'hex')`
    await tx`
      insert into token (token_id, standard, address, first_pos, sort_time)
      select i, case i when 1 then 20 when 2 then 721 when 3 then 1155 else 20 end, ${hexOf("65536 + i")}, i, 1600000000 from ${many}`
    await tx`
      insert into token_stat (token_id, standard, address, transfers, holders, holder_seq, unit_seq)
      select token_id, standard, address, ${rows}, 1000, 1001, 1000 from token`
    await tx`
      insert into erc20_transfer (pos, time, token_id, tx_hash, from_addr, to_addr, amount)
      select i::int8 << 24, 1600000000 + i, 1, ${hash}, ${person}, ${other}, i from ${many}`
    await tx`
      insert into erc721_transfer (pos, sub, time, token_id, tx_hash, from_addr, to_addr, nft_id)
      select i::int8 << 24, 0, 1600000000 + i, 2, ${hash}, ${person}, ${other}, i from ${many}`
    await tx`
      insert into erc1155_transfer (pos, sub, time, token_id, tx_hash, from_addr, to_addr, nft_id, amount)
      select i::int8 << 24, 0, 1600000000 + i, 3, ${hash}, ${person}, ${other}, 1, i from ${many}`
    await tx`
      insert into nft (token_id, nft_id, owner, pos, mint_pos, mint_time)
      select 2, i, ${other}, i::int8 << 24, i::int8 << 24, 1600000000 + i from ${many}`
    for (const token of [1, 2, 3]) {
      await tx`
        insert into balance (token_id, holder_no, block_number, holder, balance)
        select ${token}, i + 1, ${rows}, ${hexOf("i")}, 1000 from generate_series(1, 1000) as i`
      await tx`
        insert into balance_history (token_id, holder_no, block_number, balance)
        select ${token}, i % 1000 + 2, i / 1000, 5 from ${many}`
    }
    await tx`
      insert into unit_balance (token_id, unit_no, block_number, nft_id, holder, balance)
      select 3, i, ${rows}, 1, ${hexOf("i")}, 1000 from generate_series(1, 1000) as i`
    await tx`
      insert into unit_balance_history (token_id, unit_no, block_number, balance)
      select 3, i % 1000 + 1, i / 1000, 5 from ${many}`
    await tx`insert into wrap (pos, token_id, holder, amount) select i, 1, ${person}, 1 from ${many}`
    await tx`insert into asset (asset_no, address, decimals, since) select i, ${hexOf("i")}, 18, i from ${many}`
    await tx`
      insert into pool (pool_no, key, asset0, asset1, since) select i, ${hexOf("i + 9000000")}, i, 1, i from ${many}`
    await tx`
      insert into swap (pos, time, in_no, out_no, pool_no, tx_hash, qty_in, qty_out)
      select i::int8 << 24, 1600000000 + i, 1, 2, 3, ${hash}, 1, 1 from ${many}`
    await tx`insert into clock (block, time) select i << 8, 1600000000 + (i << 8) from generate_series(0, ${rows}::int4 >> 8) as i`
    await tx`
      update state set next_block = ${first}, token_seq = ${rows}, pool_seq = ${rows}, asset_seq = ${rows},
        edge_24h = ${first}, edge_48h = ${first}, edge_72h = ${first}`
  })
  await sql.unsafe(`analyze`)
}

/** Tuples that were read of the chain's tables, by scans and by indexes, since they were made. */
const readsOf = async (chainId: string) => {
  const [row] = await ledgers.sql<[{ scanned: number; read: number }]>`
    select (select sum(seq_tup_read)::int4 from pg_stat_user_tables where schemaname = ${`cowry_${chainId}`}) as scanned,
           (select sum(idx_tup_read)::int4 from pg_stat_user_indexes where schemaname = ${`cowry_${chainId}`}) as read`
  return row
}

const costOf = async (rows: number) => {
  const chainId = freshChainId()
  const settings = { chainId, poolManagers: [manager] }
  await (await ledgers.open(settings)).close()
  await fill(chainId, rows)
  const chain = new TestChain(new Set(), first, 1_700_000_000, new Set([manager]))
  const managed = managedPool(manager, pool)
  const facts = { token0: coin, token1: goods, decimals0: 18, decimals1: 18, factory: manager }
  chain.pools.set(managed, { pool: managed, ...facts })
  const person = (place: number) => address((place % 1000) + 1)
  for (let block = 0; block < 20; block++) {
    chain.block([
      transfer(coin, person(block), person(block + 7), 1n),
      transfer(address(0x9_0000 + block), address(0), person(block), 1n),
      nftTransfer(art, person(block + 7), person(block), BigInt(block + 1)),
      multiTransfer(goods, person(block), person(block + 3), [[1n, 1n]]),
      ...(block === 0 ? [initialize(manager, pool, coin, goods)] : []),
      managedSwap(manager, pool, { paid0: true, paid: 5n, got: 5n }),
    ])
  }
  await work(settings, (writer) => writer.append(chain.segment(first)))
  const before = await readsOf(chainId)
  await work(settings, (writer) => writer.rollback(first + 1))
  const after = await readsOf(chainId)
  return { scanned: after.scanned - before.scanned, read: after.read - before.read }
}

/** With a writer of its own; returns when the server knows what that has read: when its process is gone. */
const work = async (
  settings: { readonly chainId: ChainId; readonly poolManagers: ReadonlyArray<Address> },
  job: (writer: LedgerWriter) => Effect.Effect<unknown, unknown>,
): Promise<void> => {
  const { writer, close } = await ledgers.open(settings)
  await ledgers.run(job(writer))
  const pids = (await ledgers.sql`select pid from pg_locks where locktype = 'advisory'`).map(({ pid }) => Number(pid))
  expect(pids.length).toBe(1)
  await close()
  for (let gone = false; !gone; ) {
    gone = (await ledgers.sql`select from pg_stat_activity where pid = any(${pids})`).length === 0
  }
}

test("of nineteen blocks it reads the same of tables that are ten times as long, and scans none", async () => {
  const small = await costOf(2_000)
  const large = await costOf(Number(process.env.ROLLBACK_ROWS ?? 20_000))
  expect(small.read).toBeGreaterThan(19 * 5)
  expect(large.read).toBeLessThan(small.read * 2)
  expect(large.scanned).toBeLessThan(1000)
}, 600_000)
