/** What the statements of prices read of large tables: a sample of each pool, an index look-up for each transfer. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect } from "effect"
import type postgres from "postgres"
import { explain } from "../../../bench/support/plan.ts"
import type { ReadPorts, Stores } from "../../../bench/support/stores.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import { SwapHistory, sampleParts, samplePerPart } from "../../../src/ports/SwapHistory.ts"
import { TokenPrices } from "../../../src/ports/TokenPrices.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { address } from "../../support/chain/testChain.ts"
import { VERSIONS } from "../../support/postgres.ts"
import { openPlans } from "./plans.support.ts"

const chainId = ChainId.make("1")
/**
 * Token 1 is the anchor; 2 has a pool with most of the swaps, 3 to 100 one each with few. Each token has a transfer and a point an hour.
 * Those up to 5000 have nothing but a comparison, as all have one.
 */
const tokens = 100
const swaps = 40_000
const [usd, hot, quiet] = [address(1), address(2), address(3)]
const factory = address(0xf0)
const start = 472_222 * 3600
const hours = 220

const seed = async (sql: postgres.TransactionSql): Promise<void> => {
  const bytes = (number: string) => `decode(lpad(to_hex((${number})::int8), 40, '0'), 'hex')`
  await sql.unsafe(`
    set local search_path to prices_1;
    insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_time)
      values (2, '', '{}', 0, ${swaps + 1}, '\\xaa', ${start + hours * 3600});
    insert into clock select n, ${start} + n::int8 * ${hours * 3600} / ${swaps} from generate_series(0, ${swaps}, 256) n;
    insert into token (token_id, standard, address, decimals, first_pos, sort_time, audited)
      select n, 20, ${bytes("n")}, 6, n, 0, true from generate_series(1, 5000) n;
    insert into token_audit (token_id, standard, address, state, block_number, time, compared, watched)
      select n, 20, ${bytes("n")}, n % 4, 1, 1, 1, '[]' from generate_series(1, 5000) n;
    insert into token_stat (token_id, standard, address, holders, holder_seq, price)
      select n, 20, ${bytes("n")}, n % 31, 0, case when n % 2 = 0 then n end from generate_series(1, ${tokens}) n;
    insert into asset select n, ${bytes("n")}, 6, 0 from generate_series(1, ${tokens}) n;
    insert into pool select n, ${bytes("n + 1000000")}, 1, n, ${bytes("240")}, 0 from generate_series(2, ${tokens}) n;
    insert into swap select n::int8 << 24, ${start} + n::int8 * ${hours * 3600} / ${swaps}, 1, p, p, '\\xbb', 1, 1
      from (select n, case when n % 100 = 0 then 3 + n / 100 % ${tokens - 2} else 2 end as p from generate_series(1, ${swaps}) n) s;
    insert into balance select t, n, ${swaps + 1}, ${bytes("n + 1000000")}, 1000
      from generate_series(2, ${tokens}) n cross join lateral (values (1), (n)) s (t);
    insert into balance_history select t, n, b, b
      from generate_series(2, ${tokens}) n cross join lateral (values (1), (n)) s (t)
      cross join lateral generate_series(1, ${swaps}, case when n = 2 then 2 else 1000 end) b;
    insert into erc20_transfer
      select (n * 10)::int8 << 24, ${start} + n / ${tokens} * 3600 + 5, n % ${tokens} + 1, '\\xcc', '\\x01', '\\x02', n
      from generate_series(1, ${tokens * hours}) n;
    insert into price_point select t, ${start / 3600} + h, ${start / 3600} + h + 23, h + 1
      from generate_series(1, ${tokens}) t, generate_series(0, ${hours - 1}) h order by random();`)
}

const feed = (limit: number, tokenAddress?: ReadonlyArray<Address>) =>
  TransferStore.use((store) =>
    store.list({
      standard: "erc20",
      chains: [chainId],
      filter: tokenAddress === undefined ? {} : { tokenAddress },
      direction: "desc",
      page: { limit },
      count: false,
    }),
  ).pipe(Effect.map(({ value }) => value.items))
const history = (wanted: ReadonlyArray<Address>, seconds: number) =>
  SwapHistory.use((port) =>
    port.read(chainId, {
      tokens: wanted,
      anchors: [usd],
      factories: [factory],
      at: start + 200 * 3600,
      seconds,
      newest: true,
    }),
  )

/** `most`: rows that may be read. */
const questions: ReadonlyArray<{
  readonly name: string
  readonly most: number
  readonly ask: Effect.Effect<number, unknown, ReadPorts>
}> = [
  // Ahead of the page a row, and of each row its token and its point.
  { name: "a page of transfers", most: 4 * 101, ask: feed(100).pipe(Effect.map((items) => items.length)) },
  {
    name: "a page of a token's transfers",
    // Its token is looked up once.
    most: 2 * 101 + 10,
    ask: feed(100, [hot]).pipe(Effect.map((items) => items.length)),
  },
  {
    name: "the history of a hot pool",
    // Of each swap what the pool held of both after its block.
    most: sampleParts * (3 * samplePerPart + 1) + 50,
    ask: history([hot], 86_400).pipe(Effect.map(([pool]) => pool!.swaps.length)),
  },
  {
    name: "the histories of fifty pools",
    most: 50 * 30,
    ask: history(
      Array.from({ length: 50 }, (_, place) => address(3 + place)),
      86_400,
    ).pipe(Effect.map((it) => it.length)),
  },
  {
    name: "tokens swapped in an hour",
    most: 5 * (swaps / hours) + 500,
    ask: SwapHistory.use((port) => port.listSwapped(chainId, [usd], start + 199 * 3600, start + 200 * 3600)).pipe(
      Effect.map((it) => it.length),
    ),
  },
  {
    name: "the next swap",
    most: 60,
    ask: SwapHistory.use((port) => port.findNext(chainId, start + 200 * 3600)).pipe(
      Effect.map((time) => (time === undefined ? 0 : 1)),
    ),
  },
  {
    name: "tokens with a price",
    most: 25,
    ask: TokenPrices.use((port) => port.listPriced(chainId, 20, quiet)).pipe(Effect.map((it) => it.length)),
  },
  {
    name: "known tokens",
    most: 45,
    ask: TokenPrices.use((port) => port.listKnown(chainId, 20)).pipe(Effect.map((it) => it.length)),
  },
]

for (const version of VERSIONS) {
  let stores: Stores
  let planner: postgres.ReservedSql
  let close: () => Promise<void>

  beforeAll(async () => {
    ;({ stores, planner, close } = await openPlans(version, "prices", seed))
    await stores.run(feed(1))
  })
  afterAll(() => close())

  test(`on PostgreSQL ${version}, no statement of prices reads more than what its answer is made of`, async () => {
    const faults: Array<string> = []
    for (const { name, most, ask } of questions) {
      stores.sent()
      expect(await stores.run(ask)).toBeGreaterThan(0)
      const [statement] = stores.sent()
      for (const mode of ["custom", "generic"] as const) {
        const { read, scanned, widest } = await explain(planner, statement!, mode)
        const whole = scanned.filter((table) => !["state", "price_progress"].includes(table))
        if (whole.length > 0 || read > most) faults.push(`${name}, ${mode}: ${read} rows, all of ${whole}; ${widest}`)
      }
    }
    expect(faults).toEqual([])
  })
}
