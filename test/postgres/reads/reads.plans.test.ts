/** What the statements of lists, holders and ids read of large tables: about what they return, wherever in the list, however planned. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect } from "effect"
import type postgres from "postgres"
import { explain } from "../../../bench/support/plan.ts"
import type { ReadPorts, Stores } from "../../../bench/support/stores.ts"
import { readerParameters } from "../../../src/adapters/postgres/database/client.ts"
import { wholeTokenParameters } from "../../../src/adapters/postgres/reads/holders/versions.ts"
import type { AsOf } from "../../../src/model/block.ts"
import type { PageRequest, Rows, Snapshot } from "../../../src/model/page.ts"
import { type Address, ChainId, Hash } from "../../../src/model/primitives.ts"
import { standards, type TokenKey, tokenSortFields } from "../../../src/model/token.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { NftStore } from "../../../src/ports/NftStore.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TrustedTokens, trustedSortFields } from "../../../src/ports/TrustedTokens.ts"
import { address } from "../../support/chain/testChain.ts"
import { VERSIONS } from "../../support/postgres.ts"
import { openPlans } from "./plans.support.ts"

const chainId = ChainId.make("1")
/** Three thousand tokens of each standard; the first of each is hot. */
const tokens = 9_000
const rows = 20_000
const [coin, art, goods] = [address(3), address(1), address(2)]
const person = (number: number) => address(10 ** 9 + number)
const whale = address(2 * 10 ** 9)

const seed = async (sql: postgres.TransactionSql): Promise<void> => {
  const bytes = (number: string) => `decode(lpad(to_hex((${number})::int8), 40, '0'), 'hex')`
  const standard = "(array[20, 721, 1155])[n % 3 + 1]"
  await sql.unsafe(`
    set local search_path to plans_1;
    insert into state (ledger_version, settings_digest, settings, first_block, next_block, head_hash, head_time,
      erc20_tokens, erc721_tokens, erc1155_tokens)
      values (2, '', '{}', 0, 1000000, '\\xaa', 1700000000, ${tokens / 3}, ${tokens / 3}, ${tokens / 3});
    insert into token (token_id, standard, address, name, first_pos, sort_time)
      select n, ${standard}, ${bytes("n")}, case when n % 5 < 3 then 'name ' || n % 30 end, n, n / 900
      from generate_series(1, ${tokens}) n order by random();
    insert into token_stat (token_id, standard, address, holders, holder_seq, last_24h)
      select n, ${standard}, ${bytes("n")}, case when n % 2 = 0 then 0 else n % 31 end, 0, greatest(n % 100 - 80, 0)
      from generate_series(1, ${tokens}) n order by random();
    update token_stat set trusted = token_id % 9 = 0, market_cap = case when token_id % 6 = 0 then token_id % 31 * 1e30 end
      where standard = 20;
    update token set trusted = token_id % 9 = 0 where standard = 20;
    insert into balance
      select t, n, n, ${bytes("n + 1000000000")}, case when n % 3 = 0 then 0 when n % 3 = 1 then 7 else n end
      from generate_series(1, ${rows}) n, unnest(array[1, 2, 3]) t order by random();
    insert into balance values (3, 0, 5, '', -1000000), (3, 1, 5, '\\x00', 10);
    insert into balance select n, 9, 5, ${bytes("2000000000")}, 1 from generate_series(4, ${tokens}) n order by random();
    insert into balance_history select 3, n, b, b from generate_series(1, 100) n, generate_series(1, 50) b where b < n;
    insert into nft select 1, n, case when n between 5000 and 12000 or n % 2 = 0 then null else ${bytes("n % 20 + 1000000000")} end, n
      from generate_series(1, ${rows}) n order by random();
    insert into unit_balance select 2, n, n, n % 50, ${bytes("n / 50 + 1000000000")}, case when n % 3 = 0 then 0 else 1 end
      from generate_series(1, ${rows}) n order by random();
    insert into unit_balance select 2, ${rows} + n, 5, 1000 + n, ${bytes("2000000000")}, 1 from generate_series(1, 9000) n order by random();
    update token_stat set holder_seq = ${rows} where token_id = 3;
    insert into block select 500000 + n, decode(repeat('aa', 32), 'hex'), '\\xaa', 0 from generate_series(1, 1500) n;
    insert into erc20_transfer select (500000 + n)::int8 << 24, n, 3, '\\xaa', ${bytes("n")}, ${bytes("n + 1")}, 1 from generate_series(1, 1500) n;
    insert into erc721_transfer select (500000 + n)::int8 << 24, 0, n, 1, '\\xaa', ${bytes("n")}, ${bytes("n + 1")}, n from generate_series(1, 300) n;
    insert into erc1155_transfer select (500000 + n)::int8 << 24, 0, n, 2, '\\xaa', ${bytes("n")}, ${bytes("n + 1")}, n % 50, 1 from generate_series(1, 300) n;`)
}

interface Question {
  readonly name: string
  readonly ask: Effect.Effect<number, unknown, ReadPorts>
}

const lengthOf = ({ value }: Snapshot<ReadonlyArray<unknown>>): number => value.length
const paged = <Key>(
  name: string,
  keys: ReadonlyArray<Key>,
  read: (page: PageRequest<Key>) => Effect.Effect<Snapshot<Rows<unknown, Key>>, unknown, ReadPorts>,
): ReadonlyArray<Question> => {
  const ask = (page: PageRequest<Key>) => read(page).pipe(Effect.map(({ value }) => value.items.length))
  const limit = 25
  return [
    { name: `${name}, first page`, ask: ask({ limit }) },
    ...keys.flatMap((key) => [
      { name: `${name}, after ${JSON.stringify(key)}`, ask: ask({ limit, after: key }) },
      { name: `${name}, before ${JSON.stringify(key)}`, ask: ask({ limit, before: key }) },
    ]),
  ]
}

/** The last rows are of block 501,500. */
const tenBefore: AsOf = {
  ...{ chainId, blockNumber: 501_490, hash: Hash.make(`0x${"aa".repeat(32)}`), time: 0, finality: "latest" as const },
  ...{ nodeHead: 0, firstBlock: 0, revision: 0, figures: 0, rewrites: 0 },
}
const shown = Array.from({ length: 10 }, (_, n) => ({ ...tenBefore, blockNumber: tenBefore.blockNumber + n }))

const questions: ReadonlyArray<Question> = [
  ...standards.flatMap((standard) =>
    tokenSortFields.flatMap((field) =>
      (["desc", "asc"] as const).flatMap((direction) => {
        const values = { createdAt: [5], holdersCount: [0, 15], transfers: [0, 15], name: ["name 15", null] }[field]
        const keys = values.map((value): TokenKey => ({ value, chainId, address: address(tokens / 2) }))
        return paged(`${standard} by ${field} ${direction}`, keys, (page) =>
          TokenStore.use((s) => s.list({ standard, chains: [chainId], sort: { field, direction }, page, count: true })),
        )
      }),
    ),
  ),
  ...trustedSortFields.flatMap((field) =>
    (["desc", "asc"] as const).flatMap((direction) => {
      const values = {
        marketCap: [String(15n * 10n ** 30n), "0", 15, 0],
        createdAt: [5],
        holdersCount: [0, 15],
        transfers: [0, 15],
        name: ["name 15", null],
      }[field]
      const keys = values.map((value): TokenKey => ({ value, chainId, address: address(tokens / 2) }))
      const sort = { field, direction }
      const trusted = paged(`trusted tokens by ${field} ${direction}`, keys, (page) =>
        TrustedTokens.use((s) => s.list({ chains: [chainId], sort, page, count: false })),
      )
      if (field !== "marketCap") return trusted
      const all = paged(`erc20 by marketCap ${direction}`, keys, (page) =>
        TokenStore.use((s) => s.list({ standard: "erc20", chains: [chainId], sort, page, count: true })),
      )
      return [...trusted, ...all]
    }),
  ),
  ...[coin, art, goods, address(4), address(10 ** 8)].flatMap(
    (token): ReadonlyArray<Question> => [
      { name: `what is at ${token}`, ask: TokenStore.use((s) => s.find(chainId, token)).pipe(Effect.map(lengthOf)) },
      { name: `holders of ${token}`, ask: HolderStore.use((s) => s.count(chainId, token)).pipe(Effect.as(1)) },
      {
        name: `first window of ${token}`,
        ask: HolderStore.use((s) => s.listWindow(chainId, token, { page: 1, offset: 100 })).pipe(Effect.map(lengthOf)),
      },
      ...[undefined, 10].flatMap((block) => [
        {
          name: `supply of ${token} at ${block}`,
          ask: SupplyStore.use((s) => s.find(chainId, token, block)).pipe(Effect.as(1)),
        },
        {
          name: `balance in ${token} at ${block}`,
          ask: HolderStore.use((s) => s.findBalance(chainId, token, person(90), block)).pipe(Effect.as(1)),
        },
      ]),
    ],
  ),
  ...(
    [
      ["erc20", coin],
      ["erc721", art],
      ["erc721", address(4)],
    ] as const
  ).flatMap(([standard, token]) =>
    paged(
      `holders of ${standard} ${token}`,
      [
        { balance: "7", address: person(rows / 2) },
        { balance: "1", address: person(0) },
      ],
      (page) => HolderStore.use((s) => s.list(standard, { chainId, token, page, count: true })),
    ),
  ),
  ...paged(
    "units",
    [
      { balance: "1", address: person(200), tokenId: "25" },
      { balance: "2", address: whale, tokenId: "0" },
    ],
    (page) => HolderStore.use((s) => s.listErc1155({ chainId, token: goods, page, count: true })),
  ),
  ...paged(
    "ids",
    ["4000", "4999", "12001", String(2n ** 256n - 1n)].map((tokenId) => ({ tokenId })),
    (page) => NftStore.use((s) => s.list({ chainId, token: art, page, count: true })),
  ),
  ...[person(1), person(2), whale].map((owner) => ({
    name: `ids of ${owner}`,
    ask: NftStore.use((s) => s.listInventory({ chainId, token: art, owner, window: { page: 1, offset: 100 } })).pipe(
      Effect.map(lengthOf),
    ),
  })),
  ...[person(1), person(2), whale].map((holder) => ({
    name: `units of ${holder}`,
    ask: HolderStore.use((s) => s.listUnits(chainId, goods, holder, { page: 1, offset: 100 })).pipe(
      Effect.map(lengthOf),
    ),
  })),
  {
    name: "what the last ten blocks touched",
    ask: Freshness.use((s) => s.touched(tenBefore, shown)).pipe(Effect.map((found) => (found === undefined ? 0 : 10))),
  },
  ...(["erc20", "erc721"] as const).flatMap((standard) =>
    [person(7), address(5)].map((holder) => ({
      name: `${standard} holdings of ${holder}`,
      ask: HolderStore.use((s) => s.listHoldings(standard, { chainId, holder, window: { page: 1, offset: 100 } })).pipe(
        Effect.map(lengthOf),
      ),
    })),
  ),
]

/** Nothing happened since the first block; more than are looked through one by one since the second. */
const [near, far] = [900_000, 10]
const listsAt = (blockNumber: number): ReadonlyArray<Question> => [
  ...(
    [
      ["erc20", coin],
      ["erc721", art],
    ] as const
  ).flatMap(([standard, token]) =>
    paged(`holders of ${standard} at ${blockNumber}`, [{ balance: "7", address: person(rows / 2) }], (page) =>
      HolderStore.use((s) => s.list(standard, { chainId, token, page, count: true, blockNumber })),
    ),
  ),
  ...paged(`units at ${blockNumber}`, [{ balance: "1", address: person(200), tokenId: "25" }], (page) =>
    HolderStore.use((s) => s.listErc1155({ chainId, token: goods, page, count: true, blockNumber })),
  ),
  {
    name: `window at ${blockNumber}`,
    ask: HolderStore.use((s) => s.listWindow(chainId, coin, { page: 1, offset: 100 }, blockNumber)).pipe(
      Effect.map(lengthOf),
    ),
  },
  {
    name: `number of holders at ${blockNumber}`,
    ask: HolderStore.use((s) => s.count(chainId, coin, blockNumber)).pipe(Effect.as(1)),
  },
]
const unitsAt = (holder: Address, blockNumber: number): Question => ({
  name: `units of ${holder} at ${blockNumber}`,
  ask: HolderStore.use((s) => s.listUnits(chainId, goods, holder, { page: 1, offset: 100 }, blockNumber)).pipe(
    Effect.map(lengthOf),
  ),
})
/** These are read in their order from any block (burnt ids are passed over: they may have lived then), or by what an account did. */
const idsAt: ReadonlyArray<Question> = [near, far].flatMap((blockNumber) => [
  ...paged(`ids at ${blockNumber}`, [{ tokenId: "4000" }], (page) =>
    NftStore.use((s) => s.list({ chainId, token: art, page, count: true, blockNumber })),
  ),
  {
    name: `ids of an owner at ${blockNumber}`,
    ask: NftStore.use((s) =>
      s.listInventory({ chainId, token: art, owner: person(2), window: { page: 1, offset: 100 }, blockNumber }),
    ).pipe(Effect.map(lengthOf)),
  },
  unitsAt(whale, blockNumber),
  {
    name: `holdings at ${blockNumber}`,
    ask: HolderStore.use((s) =>
      s.listHoldings("erc20", { chainId, holder: person(7), window: { page: 1, offset: 100 }, blockNumber }),
    ).pipe(Effect.map(lengthOf)),
  },
])

/** Of some addresses, whenever the block was: what each held is looked up by itself. */
const addresses = [person(7), person(90), whale, person(rows - 1)]
const ofAddresses: ReadonlyArray<Question> = [near, far].flatMap((blockNumber) => [
  unitsAt(person(2), blockNumber),
  ...(
    [
      ["erc20", coin],
      ["erc721", art],
    ] as const
  ).flatMap(([standard, token]) =>
    paged(`${standard} of addresses at ${blockNumber}`, [{ balance: "8", address: person(rows / 2) }], (page) =>
      HolderStore.use((s) => s.list(standard, { chainId, token, page, count: true, blockNumber, addresses })),
    ),
  ),
  ...paged(`units of addresses at ${blockNumber}`, [{ balance: "1", address: person(2), tokenId: "25" }], (page) =>
    HolderStore.use((s) =>
      s.listErc1155({
        ...{ chainId, token: goods, page, count: true, blockNumber },
        addresses: [person(2), person(3)],
      }),
    ),
  ),
])

for (const version of VERSIONS) {
  let stores: Stores
  let planner: postgres.ReservedSql
  let close: () => Promise<void>

  beforeAll(async () => {
    ;({ stores, planner, close } = await openPlans(version, "plans", seed))
    await stores.run(questions[0]!.ask)
  })
  afterAll(() => close())

  /** Of its one statement; of a list as of a far block, of the second. */
  const figuresOf = async (question: Question, sent = 1) => {
    stores.sent()
    const answered = await stores.run(question.ask)
    const statements = stores.sent().filter(({ text }) => !text.includes("set_config"))
    expect(statements).toHaveLength(sent)
    const plans = []
    for (const mode of ["custom", "generic"] as const) plans.push(await explain(planner, statements.at(-1)!, mode))
    return { answered, plans }
  }

  test(`on PostgreSQL ${version}, no statement reads a table from end to end, or more than 20 times what it returns`, async () => {
    const faults: Array<string> = []
    for (const question of questions) {
      const { answered, plans } = await figuresOf(question)
      for (const { read, scanned, widest } of plans) {
        const whole = scanned.filter((table) => table !== "state")
        if (whole.length > 0) faults.push(`${question.name}: reads all of ${whole.join(", ")}`)
        if (read > 20 * Math.max(1, answered)) faults.push(`${question.name}: ${read} rows for ${answered}, ${widest}`)
      }
    }
    expect(faults).toEqual([])
  })

  test(`on PostgreSQL ${version}, a list as of a block reads what it returns near the head, else each pair of the token once`, async () => {
    const faults: Array<string> = []
    const judge = async (question: Question, sent: number, most: (answered: number) => number) => {
      const { answered, plans } = await figuresOf(question, sent)
      for (const { read, scanned, widest } of plans) {
        const whole = scanned.filter((table) => table !== "state")
        if (whole.length > 0) faults.push(`${question.name}: reads all of ${whole.join(", ")}`)
        if (read > most(answered)) faults.push(`${question.name}: ${read} rows for ${answered}, ${widest}`)
      }
    }
    for (const question of [...listsAt(near), ...idsAt])
      await judge(question, 1, (answered) => 20 * Math.max(1, answered))
    // The two have fifty ids each.
    for (const question of ofAddresses) await judge(question, 1, () => 300)
    for (const [name, value] of Object.entries(wholeTokenParameters))
      await planner`select set_config(${name}, ${value}, false)`
    // Each pair, and what it held then if it was touched since.
    for (const question of listsAt(far)) await judge(question, 2, () => 2.2 * rows)
    for (const [name, value] of Object.entries({ ...readerParameters, work_mem: "4MB" }))
      await planner`select set_config(${name}, ${value}, false)`
    expect(faults).toEqual([])
  })

  test(`on PostgreSQL ${version}, a window of what a whale holds costs a part of what it holds`, async () => {
    for (const standard of ["erc20", "erc721"] as const) {
      const ask = HolderStore.use((s) =>
        s.listHoldings(standard, { chainId, holder: whale, window: { page: 1, offset: 25 } }),
      ).pipe(Effect.map(lengthOf))
      // The first looks whether it has many pairs.
      const { answered, plans } = await figuresOf({ name: "holdings of a whale", ask }, 2)
      expect(answered).toBe(25)
      for (const { read } of plans) expect(read).toBeLessThan(2_500)
    }
  })
}
