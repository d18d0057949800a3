/** Many small chains in one database, made by SQL: tokens, transfers, swaps, and the clock that times are found by. */
import type postgres from "postgres"
import { ledgerMigrations, migrate } from "../../src/adapters/postgres/database/migrate.ts"
import { addressOfHex } from "../../src/model/primitives.ts"

export interface SeededChains {
  readonly schema: string
  readonly chains: ReadonlyArray<number>
  /** Transfers, and swaps, of each. */
  readonly rows: number
}

/** Of the accounts, the one whose pairs are there: on each chain whose number 33 divides. */
const seldom = 5

export const seldomAddress = addressOfHex(`0x${(7_000_000_000 + seldom).toString(16).padStart(40, "0")}`)

/** The pairs of an account with each block that touched them. */
const pairsOf = (account: string): ReadonlyArray<string> => {
  const touched = `select distinct token_id, (pos >> 24)::int4 as block from erc20_transfer where from_addr = ${account} or to_addr = ${account}`
  return [
    `insert into balance (token_id, holder_no, block_number, holder, balance)
     select token_id, 9, max(block), ${account}, 1 from (${touched}) t group by token_id`,
    `insert into balance_history (token_id, holder_no, block_number, balance)
     select t.token_id, 9, t.block, 1 from (${touched}) t
     where t.block < (select b.block_number from balance b where b.token_id = t.token_id and b.holder_no = 9)`,
  ]
}

/** Time runs alike on all of them, a block in two seconds, five rows in it. `chain` moves the seconds so that rows of all mix. */
export const seedChains = async (sql: postgres.Sql, { schema, chains, rows }: SeededChains): Promise<void> => {
  const tokens = 40
  const blocks = Math.ceil(rows / 5)
  const address = (expression: string) => `decode(lpad(to_hex((7000000000 + ${expression})::int8), 40, '0'), 'hex')`
  for (const chain of chains) {
    const name = `${schema}_${chain}`
    await migrate(sql, name, ledgerMigrations)
    const time = (pos: string) => `1700000000 + (${pos} >> 24) * 2 + ${chain % 2}`
    const statements = [
      `set local search_path = ${name}`,
      `insert into token (token_id, standard, address, name, symbol, decimals, first_pos, sort_time)
       select n, 20, ${address(`n * 1000 + ${chain}`)}, 'Token ' || n, 'T' || n, 18, n, ${time("n::int8 << 24")}
       from generate_series(1, ${tokens}) n`,
      `insert into token_stat (token_id, standard, address, transfers, holders, holder_seq, last_24h)
       select n, 20, ${address(`n * 1000 + ${chain}`)}, ${rows / tokens}, (n * 7919 + ${chain}) % 5000, 5000, n % 90
       from generate_series(1, ${tokens}) n`,
      `insert into balance select n, h, 1, case h when 0 then ''::bytea else '\\x00'::bytea end, h - 1
       from generate_series(1, ${tokens}) n, generate_series(0, 1) h`,
      `insert into erc20_transfer (pos, time, token_id, tx_hash, from_addr, to_addr, amount)
       select made.pos, ${time("made.pos")}, 1 + made.n % ${tokens}, sha256(int8send(made.pos)), ${address("made.n % 97")},
         ${address("made.n % 89")}, made.n
       from (select n, ((n / 5)::int8 << 24) + n % 5 as pos from generate_series(0, ${rows - 1}) n) made`,
      ...(chain % 33 === 0 ? pairsOf(address(String(seldom))) : []),
      `insert into asset select n, ${address("n")}, 18, 0 from generate_series(1, 2) n`,
      `insert into pool values (1, ${address("99")}, 1, 2, null, 0)`,
      `insert into swap (pos, time, in_no, out_no, pool_no, tx_hash, qty_in, qty_out)
       select t.pos, t.time, 1 + (t.pos % 2), 2 - (t.pos % 2), 1, t.tx_hash, 1, 2 from erc20_transfer t`,
      `insert into clock select block, 1700000000 + block * 2 + ${chain % 2} from generate_series(0, ${blocks}, 256) block`,
      `insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_parent,
         head_time, erc20_tokens, erc20_transfers, swaps)
       values (3, '', '{}', 0, ${blocks + 1}, sha256('head'), sha256('parent'), 1700000000 + ${blocks} * 2 + 1, ${tokens},
         ${rows}, ${rows})`,
    ]
    await sql.begin(async (tx) => {
      for (const statement of statements) await tx.unsafe(statement)
    })
    for (const table of [
      "token",
      "token_stat",
      "balance",
      "balance_history",
      "erc20_transfer",
      "swap",
      "clock",
      "state",
    ])
      await sql.unsafe(`vacuum analyze ${name}.${table}`)
  }
}
