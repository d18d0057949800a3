/** What a search of logs reads of large tables: what its page needs, or so many rows and no more, however planned. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type postgres from "postgres"
import { explain } from "../../../bench/support/plan.ts"
import type { Stores } from "../../../bench/support/stores.ts"
import { canonical } from "../../../src/adapters/postgres/database/ledgerSettings.ts"
import { approvalTopics, topics } from "../../../src/domain/ingest/decode/topics.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { type LedgerLogFilter, LedgerLogs } from "../../../src/ports/LedgerLogs.ts"
import { settingsOf } from "../../contracts/store.ts"
import { address } from "../../support/chain/testChain.ts"
import { VERSIONS } from "../../support/postgres.ts"
import { openPlans } from "./plans.support.ts"

const chainId = ChainId.make("1")
const rows = Number(process.env.LOGS_ROWS ?? 30_000)
const [coin, goods, small] = [address(1), address(2), address(3)]
const topicOf = (who: string) => `0x${who.slice(2).padStart(64, "0")}`
/** Who is in one row only, and who is in every one. */
const [rare, everybody, nobody] = [address(7), address(8), address(0)].map(topicOf) as [string, string, string]

/** A row a block, of everybody; the third contract has one in a thousand, and so have the mints. */
const seed = async (sql: postgres.TransactionSql): Promise<void> => {
  const bytes = (hex: string) => `'\\x${hex.slice(2)}'::bytea`
  const person = `case when n % 1000 = 0 then ${bytes(address(0))} when n = ${rows} - 1 then ${bytes(address(7))} else ${bytes(address(8))} end`
  const head = `n::int8 << 24`
  const settings = JSON.stringify(canonical(settingsOf({ chainId, approvals: true })))
  await sql.unsafe(`
    set local search_path to plans_1;
    insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_time)
      values (3, '', '${settings}', 0, ${rows + 1}, '\\xaa', 1700000000);
    insert into token (token_id, standard, address, first_pos, sort_time)
      values (1, 20, ${bytes(coin)}, 0, 0), (2, 1155, ${bytes(goods)}, 0, 0), (3, 20, ${bytes(small)}, 0, 0);
    insert into erc20_transfer (pos, time, token_id, tx_hash, from_addr, to_addr, amount)
      select ${head}, n, case when n % 1000 = 1 then 3 else 1 end, '\\xaa', ${person}, ${bytes(address(8))}, 1
      from generate_series(1, ${rows}) n;
    insert into erc1155_transfer (pos, sub, time, token_id, tx_hash, from_addr, to_addr, operator, nft_id, amount)
      select (${head}) + 1, 0, n, 2, '\\xaa', ${person}, ${bytes(address(8))}, ${bytes(address(8))}, n % 50, 1
      from generate_series(1, ${rows}) n;
    insert into approval (pos, time, kind, contract, owner, spender, nft_id, approved, amount, tx_hash)
      select (${head}) + 2, n, 0, ${bytes(coin)}, ${person}, ${bytes(address(8))}, 0, '', 1, '\\xaa'
      from generate_series(1, ${rows}) n;
    insert into odd_log (pos, time, tx_index, has_rows, contract, tx_hash, topic0, data)
      select (${head}) + 3, n, 0, false, ${bytes(small)}, '\\xaa', ${bytes(topics.consecutiveTransfer)},
        decode(repeat('00', 1000000), 'hex') from generate_series(1, 10) n;`)
}

const of = (signature: string, more: Partial<LedgerLogFilter> = {}): LedgerLogFilter => ({
  signature,
  topics: [],
  match: "all",
  fromBlock: 0,
  ...more,
})

const secondOf = (topic: string) => [undefined, topic] as unknown as LedgerLogFilter["topics"]

/** Filter, logs of the page (absent = it would read too much), rows that may be read. */
const [page, search] = [2000, 130_000]
const questions: ReadonlyArray<readonly [string, LedgerLogFilter, number | undefined, number]> = [
  ["all transfers", of(topics.transfer), 10, page],
  ["of a contract", of(topics.transfer, { address: coin }), 10, page],
  ["of a small contract", of(topics.transfer, { address: small }), 10, page],
  ["of a contract without a transfer", of(topics.transfer, { address: address(99) }), 0, page],
  ["ids of a contract without one", of(topics.transferBatch, { address: coin }), 0, page],
  ["of a few blocks", of(topics.transfer, { fromBlock: rows - 4, toBlock: rows - 1 }), 4, page],
  ["mints", of(topics.transfer, { address: coin, topics: [nobody] }), 10, page],
  ["mints of all", of(topics.transfer, { topics: [nobody] }), 10, page],
  ["of everybody", of(topics.transfer, { address: coin, topics: [everybody] }), 10, page],
  ["of somebody rare", of(topics.transfer, { address: coin, topics: [rare] }), undefined, search],
  ["of somebody rare in a few blocks", of(topics.transfer, { topics: [rare], fromBlock: rows - 100 }), 1, page],
  ["of somebody rare in a small contract", of(topics.transfer, { address: small, topics: [rare] }), 0, page],
  ["singles", of(topics.transferSingle, { address: goods }), 10, page],
  ["batches, of which there are none", of(topics.transferBatch, { address: goods }), undefined, search],
  ["logs of a megabyte, a few", of(topics.consecutiveTransfer, { toBlock: 6 }), 6, page],
  ["logs of a megabyte, more than one answer holds", of(topics.consecutiveTransfer), undefined, page],
  ["approvals", of(approvalTopics.approval), 10, page],
  ["approvals of an owner", of(approvalTopics.approval, { topics: [rare] }), 1, page],
  ["approvals of an owner of many", of(approvalTopics.approval, { topics: [everybody] }), undefined, search],
  ["approvals to somebody rare", of(approvalTopics.approval, { topics: secondOf(rare) }), undefined, search],
]

for (const version of VERSIONS) {
  let stores: Stores
  let admin: postgres.Sql
  let planner: postgres.ReservedSql
  let close: () => Promise<void>

  beforeAll(async () => {
    ;({ stores, admin, planner, close } = await openPlans(version, "plans", seed))
  })
  afterAll(() => close())

  test(`on PostgreSQL ${version}, a search reads about its page, or a bounded part of the ledger`, async () => {
    const faults: Array<string> = []
    for (const [name, filter, wanted, most] of questions) {
      stores.sent()
      const window = { skip: 0, take: 10 }
      const { value } = await stores.run(LedgerLogs.use((logs) => logs.find(chainId, filter, window)))
      expect([name, value.logs?.length]).toEqual([name, wanted])
      const statements = stores.sent().filter(({ text }) => text.includes("coverage"))
      for (const mode of ["custom", "generic"] as const) {
        const { read, scanned, widest, milliseconds } = await explain(planner, statements.at(-1)!, mode)
        if (process.env.LOGS_ROWS) console.log(name, mode, read, Math.round(milliseconds), widest)
        const whole = scanned.filter((table) => table !== "state")
        if (whole.length > 0) faults.push(`${name}: reads all of ${whole.join(", ")}`)
        if (read > most) faults.push(`${name}: ${read} rows, ${widest}`)
      }
    }
    expect(faults).toEqual([])
  })

  test(`on PostgreSQL ${version}, an older ledger has its logs from where it keeps all that they say`, async () => {
    const firstBlocks = []
    for (const [full, odd] of [
      [3, 5],
      [7, 5],
    ]) {
      await admin.unsafe(`update plans_1.state set full_from = ${full}, odd_from = ${odd}`)
      const found = LedgerLogs.use((logs) => logs.find(chainId, of(topics.transfer), { skip: 0, take: 1 }))
      firstBlocks.push((await stores.run(found)).value.coverage?.fromBlock)
    }
    expect(firstBlocks).toEqual([5, 7])
  })
}
