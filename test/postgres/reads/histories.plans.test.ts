/** What the statements of histories read of large tables: counting ends at its cap. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect } from "effect"
import type postgres from "postgres"
import { explain } from "../../../bench/support/plan.ts"
import type { Stores } from "../../../bench/support/stores.ts"
import { countCap } from "../../../src/model/page.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import { TokenHistories, type Versioned } from "../../../src/ports/TokenHistories.ts"
import { address } from "../../support/chain/testChain.ts"
import { VERSIONS } from "../../support/postgres.ts"
import { openPlans } from "./plans.support.ts"

const chainId = ChainId.make("1")
/** Of the first token's pairs. Of the second, minted and burnt in the same blocks, and of the third, an ERC-1155, each has fewer. */
const versions = 60_000
const few = 6_000
const [hot, quiet, goods] = [address(1), address(2), address(3)]
const holder = address(0xa)

const seed = async (sql: postgres.TransactionSql): Promise<void> => {
  const bytes = (number: string) => `decode(lpad(to_hex((${number})::int8), 40, '0'), 'hex')`
  await sql.unsafe(`
    set local search_path to histories_1;
    insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_time, erc20_tokens, erc1155_tokens)
      values (2, '', '{}', 0, ${versions + 2}, '\\xaa', 1700000000, 2, 1);
    insert into token (token_id, standard, address, first_pos, sort_time)
      select n, case n when 3 then 1155 else 20 end, ${bytes("n")}, n, 0 from generate_series(1, 3) n;
    insert into token_stat (token_id, standard, address, holders, holder_seq)
      select n, case n when 3 then 1155 else 20 end, ${bytes("n")}, 1, 3 from generate_series(1, 3) n;
    insert into balance
      select t, n, ${versions + 1}, (array['', '\\x00', ${bytes("10")}])[n], case n when 1 then -5 when 2 then 0 else 5 end
      from generate_series(1, 2) t, generate_series(1, 3) n;
    insert into balance_history select 1, n, b, b from generate_series(1, 3) n, generate_series(1, ${versions}) b;
    insert into balance_history select 2, n, b, b from generate_series(1, 3) n, generate_series(2, ${few}) b;
    insert into unit_balance select 3, 1, ${versions + 1}, 7, ${bytes("10")}, 5;
    insert into unit_balance_history select 3, 1, b, b from generate_series(1, ${versions}) b;`)
}

const balanceOf = (token: Address): Versioned => ({ of: "balance", token, holder, standard: "erc20" })
const supplyOf = (token: Address): Versioned => ({ of: "supply", token })
const page = (what: Versioned) =>
  TokenHistories.use((store) =>
    store.versions({ chainId, what, range: {}, direction: "desc", page: { limit: 1 }, count: true }),
  ).pipe(Effect.map(({ value }) => value.count))
const capped = { count: countCap, countType: "lowerBound" } as const
const exact = (count: number) => ({ count, countType: "exact" }) as const

for (const version of VERSIONS) {
  let stores: Stores
  let planner: postgres.ReservedSql
  let close: () => Promise<void>

  beforeAll(async () => {
    ;({ stores, planner, close } = await openPlans(version, "histories", seed))
    await stores.run(page(balanceOf(quiet)))
  })
  afterAll(() => close())

  test.each([
    ["a balance", balanceOf(hot), 1, capped],
    ["an id's balance", { of: "unit", token: goods, holder, tokenId: "7" } as const, 1, capped],
    ["a supply", supplyOf(hot), 2, capped],
    ["few of a balance", balanceOf(quiet), 1, exact(few)],
    ["few of a supply, minted and burnt in the same blocks", supplyOf(quiet), 2, exact(few)],
  ])(`on PostgreSQL ${version}, changes are counted up to the cap: %s`, async (_, what, pairs, wanted) => {
    stores.sent()
    expect(await stores.run(page(what))).toEqual(wanted)
    const [statement] = stores.sent()
    for (const mode of ["custom", "generic"] as const) {
      const { read, scanned } = await explain(planner, statement!, mode)
      expect(read).toBeLessThan(pairs * countCap + 200)
      expect(scanned.filter((table) => table.endsWith("history"))).toEqual([])
    }
  })
}
