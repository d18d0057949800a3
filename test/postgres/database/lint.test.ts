/** The rules that every statement holds find what breaks them; the suites of the stores hold all that is sent to them. */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { runsDistributed, statementsOf } from "../../../src/adapters/postgres/database/distributed.ts"
import { faultsOf } from "./lint.ts"

test("a planted fault of each kind is found", () => {
  const faulty: Readonly<Record<string, string>> = {
    'select * from "cowry_1"."token" a join "cowry_2"."token" b on a.address = b.address': "several schemas",
    'select (select 1 from "cowry"."chain"), (select 1 from "cowry_1"."state")': "several schemas",
    'with put as (insert into "cowry_1"."swap" (pos) values ($1) returning pos) update "cowry_1"."state" set epoch = 1':
      "a CTE",
    "insert into rollback (rollback_no, from_block) select coalesce(max(rollback_no), 0) + 1, $1 from rollback":
      "selects from",
    'insert into "cowry_1"."price_point" as p select k.token_id, w.hour from unnest($1::int4[]) as w (hour) join "cowry_1"."token" k on true':
      "selects from",
    "insert into clock select r.block from unnest($1::int4[]) r (block) where not exists (select from clock c where c.block = r.block)":
      "selects from",
    "create trigger counted after insert on token_audit for each statement execute function count_audits()":
      "a trigger",
    'update "cowry"."chain" set status = $1, status_at = clock_timestamp() where chain_id = $2': "volatile",
    "create table a (b int4); create table c (d int4)": "one send",
  }
  for (const [statement, fault] of Object.entries(faulty)) expect(faultsOf(statement).join("; ")).toContain(fault)
})

test("what a distributed server can run is let through", () => {
  const sound = [
    'insert into "cowry_1"."token_note" select w.a from unnest($1::text::bytea[]) as w (a) on conflict (address) do update set trusted = excluded.trusted',
    'with gone as (delete from "cowry_1"."token_note" n where n.address = $1 returning n.address) update "cowry_1"."state" set revision = 1 where exists (select from gone)',
    "insert into balance (token_id, holder) select p.token_id, p.holder from pair_version v join healed_pair p on p.place = v.place",
    "select 'insert into a; insert into b' as text -- one; two",
    "copy erc20_transfer (pos) from stdin (format binary)",
  ]
  for (const statement of sound) expect(faultsOf(statement)).toEqual([])
})

test("neither a migration nor the baseline has a statement of its own that no distributed server runs", () => {
  const folder = new URL("../../../src/adapters/postgres/database/", import.meta.url)
  for (const file of [
    "baseline/ledger.sql",
    ...readdirSync(new URL("migrations", folder)).map((it) => `migrations/${it}`),
  ]) {
    const statements = statementsOf(readFileSync(new URL(file, folder), "utf8")).filter(runsDistributed)
    expect(statements.flatMap(faultsOf).map((fault) => `${file}: ${fault}`)).toEqual([])
  }
})
