/** A chain with wallets of many tokens and a year of prices, made by SQL in the tables that holdings and their histories are read from. */
import type postgres from "postgres"
import { ledgerMigrations, migrate } from "../../src/adapters/postgres/database/migrate.ts"
import { Address } from "../../src/model/primitives.ts"

/** Seconds. */
export const walletDays = { first: 1_700_006_400, days: 400 } as const
/** 600 seconds each. */
const blocks = walletDays.days * 144

/** Tokens that the wallet holds from number `from` on; each balance has so many versions through the time. */
interface SeededWallet {
  readonly number: number
  readonly from: number
  readonly tokens: number
  readonly versions: number
}

/** Tokens 1 to `pricedTokens` have prices, three of four each hour and the fourth now and then; those from 1,001 on are spam. Every tenth of the priced ones is trusted. */
const pricedTokens = 300
const tokens = 25_000
const wallets = {
  /** Of 100 tokens. */ usual: { number: 1, from: 101, tokens: 100, versions: 20 },
  /** Of 200 tokens, all with prices. */ busy: { number: 2, from: 1, tokens: 200, versions: 60 },
  /** Of 500 tokens, 100 with prices. */ broad: { number: 4, from: 201, tokens: 500, versions: 3 },
  /** Of 20,000 tokens, 30 of which have prices. */ spammed: { number: 3, from: 271, tokens: 20_000, versions: 1 },
} as const satisfies Record<string, SeededWallet>

const accountOf = (number: number): Address => Address.make(`0x${(7_000_000 + number).toString(16).padStart(40, "0")}`)
export const walletAccounts = {
  usual: accountOf(wallets.usual.number),
  busy: accountOf(wallets.busy.number),
  broad: accountOf(wallets.broad.number),
  spammed: accountOf(wallets.spammed.number),
}
/** Token 1. */
export const walletToken = Address.make(`0x${(9_000_000_001).toString(16).padStart(40, "0")}`)

/** Makes the schema and fills it. Every token has `others` holders beside the wallets, every block `transfers` rows. */
export const seedWallets = async (sql: postgres.Sql, schema: string, others = 20, transfers = 1): Promise<void> => {
  await migrate(sql, schema, ledgerMigrations)
  const hex = (expression: string) => `decode(lpad(to_hex((${expression})::int8), 40, '0'), 'hex')`
  const time = (block: string) => `${walletDays.first} + (${block}) * 600`
  const firstHour = walletDays.first / 3600
  const statements = [
    `set search_path = ${schema}`,
    "select setseed(0.5)",
    `insert into token (token_id, standard, address, name, symbol, name_fold, symbol_fold, decimals, first_pos, sort_time, described, trusted)
     select n, 20, ${hex("9000000000 + n")}, 'Token ' || n, 'T' || n, 'token ' || n, 't' || n, 18, n, n, true, n <= ${pricedTokens} and n % 10 = 0
     from generate_series(1, ${tokens}) n`,
    `create temp table held as
     select token_id, holder, row_number() over (partition by token_id order by holder)::int + 1 as holder_no, versions from (
       ${Object.values(wallets)
         .map(
           ({ number, from, tokens, versions }) =>
             `select n as token_id, ${hex(`${7_000_000 + number}`)} as holder, ${versions} as versions
              from generate_series(${from}, ${from + tokens - 1}) n`,
         )
         .join(" union all ")}
       union all select n, ${hex("8000000 + (n * 7 + o * 13) % 40000")}, 1
       from generate_series(1, ${tokens}) n, generate_series(1, ${others}) o
     ) pairs`,
    `create temp table version as
     select token_id, holder, holder_no, number, versions,
       (${blocks} * (number - random() * 0.9) / versions)::int as block, (1 + floor(random() * 1000)) * 1e18::numeric as balance
     from held, generate_series(1, versions) number`,
    `insert into balance (token_id, holder_no, block_number, holder, balance)
     select token_id, holder_no, block, holder, balance from version where number = versions`,
    `insert into balance_history (token_id, holder_no, block_number, balance)
     select token_id, holder_no, block, balance from version where number < versions on conflict do nothing`,
    `insert into token_stat (token_id, standard, address, transfers, holders, holder_seq, trusted, price)
     select token_id, 20, address, 30, 20, 100, trusted, case when token_id <= ${pricedTokens} then token_id * 1e16::numeric end
     from token`,
    `insert into erc20_transfer (pos, time, token_id, tx_hash, from_addr, to_addr, amount)
     select (block::int8 << 24) + n, ${time("block")}, 1 + block % ${tokens}, sha256(int4send(block)), ${hex("8000001")}, ${hex("8000002")}, 1
     from generate_series(0, ${blocks}) block, generate_series(0, ${transfers - 1}) n`,
    `insert into price_point (token_id, hour, until_hour, price)
     select n, ${firstHour} + h, ${firstHour} + h + 23, (n + h % 100) * 1e16::numeric
     from generate_series(0, ${walletDays.days * 24}) h, generate_series(1, ${pricedTokens}) n
     where n % 4 > 0 or random() < 0.2`,
    `insert into clock select block, ${time("block")} from generate_series(0, ${blocks}, 256) block`,
    `insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_parent, head_time,
       finalized_block, token_seq, erc20_tokens, erc20_transfers)
     select 1, '', '{}', 0, ${blocks + 1}, sha256('head'), sha256('parent'), ${time(`${blocks}`)}, ${blocks - 64}, ${tokens}, ${tokens}, ${(blocks + 1) * transfers}`,
    "drop table held, version",
    "reset search_path",
  ]
  const connection = await sql.reserve()
  try {
    for (const statement of statements) await connection.unsafe(statement)
    for (const table of [
      "token",
      "token_stat",
      "balance",
      "balance_history",
      "erc20_transfer",
      "price_point",
      "clock",
      "state",
    ])
      await connection.unsafe(`vacuum analyze ${schema}.${table}`)
  } finally {
    connection.release()
  }
}
