/** Lists over chains: one server asked at once, and as if each chain lay on another, give the same rows, keys, counts and blocks. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Effect, ManagedRuntime } from "effect"
import postgres from "postgres"
import { seedChains, seldomAddress } from "../../../bench/across/seedChains.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import type { PageRequest, Rows, Snapshot } from "../../../src/model/page.ts"
import { addressOfHex, chainIdOfNumber, zeroAddress } from "../../../src/model/primitives.ts"
import { type SearchKey, searchTextOf } from "../../../src/model/search/searchText.ts"
import type { SwapFilter } from "../../../src/model/swap.ts"
import { type TokenKey, tokenSortFields } from "../../../src/model/token.ts"
import type { FeedKey, TransferFilter } from "../../../src/model/transfer.ts"
import { type AuditKey, AuditStore } from "../../../src/ports/AuditStore.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { LedgerCounts } from "../../../src/ports/LedgerCounts.ts"
import { SwapStore } from "../../../src/ports/SwapStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { TrustedTokens } from "../../../src/ports/TrustedTokens.ts"
import { testDatabase } from "../../support/postgres.ts"

const numbers = [3, 66, 100, 33, 7]
const chains = numbers.map(chainIdOfNumber)
const ways = { together: false, apart: true }
/** By the fifth asking a plan is kept: of feeds, whose pages are asked in one way, some come after that. */
const pages = { few: 2, many: 7 }

const openWays = (url: string) => {
  const open = (distributed: boolean) => ManagedRuntime.make(PostgresStore.layer({ url, distributed }))
  return { together: open(ways.together), apart: open(ways.apart) }
}
type Runtime = ReturnType<typeof openWays>["apart"]
type Ports = ManagedRuntime.ManagedRuntime.Services<Runtime>

let runtimes: ReturnType<typeof openWays>
beforeAll(async () => {
  const url = await testDatabase(15)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await seedChains(sql, { schema: "cowry", chains: numbers, rows: 400 })
  for (const chain of numbers) {
    await sql.unsafe(`update cowry_${chain}.token set name = (array['ä', 'a', '\u{1F600}', '\uFFFD', 'B', null])[1 + token_id % 6],
      trusted = token_id % 3 = 0`)
    await sql.unsafe(`update cowry_${chain}.token_stat set trusted = token_id % 3 = 0,
      market_cap = case when token_id % 4 > 0 then (token_id % 5) * 10 ^ 20 + token_id % 2 end`)
    // Equal texts, and equal places, on all chains; Deposits and Withdrawals, and logs of three rows.
    const schema = `cowry_${chain}`
    await sql.unsafe(`update ${schema}.token set symbol_fold = 't' || token_id, name_fold = 'a coin ' || token_id % 6`)
    await sql.unsafe(`update ${schema}.state set finalized_block = 50, wraps_from = 2`)
    await sql.unsafe(`update ${schema}.erc20_transfer set tx_index = pos % 7`)
    await sql.unsafe(`insert into ${schema}.wrap (pos, token_id, holder, amount, is_deposit, tx_hash, time)
      select t.pos + 8, t.token_id, t.to_addr, t.amount + 1, t.pos % 2 = 0, t.tx_hash, t.time
      from ${schema}.erc20_transfer t where t.pos % 3 = 0`)
    await sql.unsafe(`insert into ${schema}.erc1155_transfer (pos, sub, time, token_id, tx_hash, from_addr, to_addr, nft_id, amount)
      select t.pos, sub, t.time, t.token_id, t.tx_hash, t.from_addr, t.to_addr, sub, 1
      from ${schema}.erc20_transfer t, generate_series(0, 2) sub where t.pos % 4 = 1`)
  }
  await sql.end()
  runtimes = openWays(url)
})
afterAll(async () => {
  await runtimes.together.dispose()
  await runtimes.apart.dispose()
})

const both = async <A>(ask: Effect.Effect<A, unknown, Ports>): Promise<A> => {
  const [together, apart] = [await runtimes.together.runPromise(ask), await runtimes.apart.runPromise(ask)]
  expect(JSON.stringify(apart)).toBe(JSON.stringify(together))
  return together
}

const walk = async <Key>(
  list: (page: PageRequest<Key>) => Effect.Effect<Snapshot<Rows<unknown, Key>>, unknown, Ports>,
  most = pages.many,
): Promise<void> => {
  let seen = 0
  let { value } = await both(list({ limit: 13 }))
  for (let page = 0; page < most && value.hasMore; page++) {
    seen += value.items.length
    const after = value.keys.at(-1)!
    await both(list({ limit: 13, before: value.keys[5]! }))
    value = (await both(list({ limit: 13, after }))).value
  }
  expect(seen + value.items.length).toBeGreaterThan(13)
}

test("transfers of all, of a token and of an account", async () => {
  const { value } = await both(
    TransferStore.use((s) =>
      s.list({ standard: "erc20", chains, filter: {}, direction: "desc", page: { limit: 13 }, count: true }),
    ),
  )
  const { tokenAddress, from } = value.items[0]!
  for (const filter of [
    {},
    { tokenAddress: [tokenAddress] },
    { blockNumberFrom: 10, blockNumberTo: 60 },
    { from: [from] },
  ]) {
    for (const direction of ["desc", "asc"] as const) {
      const list = (page: PageRequest<FeedKey>) =>
        TransferStore.use((s) => s.list({ standard: "erc20", chains, filter, direction, page, count: true }))
      if ("tokenAddress" in filter || "from" in filter) await both(list({ limit: 3 }))
      else await walk(list)
    }
  }
})

test("a first page with a field that was asked for, and the same page without it, whoever was first", async () => {
  for (const direction of ["asc", "desc"] as const) {
    const shown = async (include: ReadonlyArray<"transactionIndex">) => {
      const { value } = await both(
        TransferStore.use((s) =>
          s.list({ standard: "erc20", chains, filter: {}, direction, page: { limit: 5 }, count: false, include }),
        ),
      )
      return value.items.map((item) => "transactionIndex" in item)
    }
    const [first, second] = direction === "asc" ? [true, false] : [false, true]
    for (const isAsked of [first, second, first])
      expect(await shown(isAsked ? ["transactionIndex"] : [])).toEqual(Array.from({ length: 5 }, () => isAsked))
  }
})

test("transfers with Deposits and Withdrawals, within times, final ones alone, and of a transaction", async () => {
  const { value } = await both(
    TransferStore.use((s) =>
      s.list({ standard: "erc20", chains, filter: {}, direction: "asc", page: { limit: 700 }, count: false }),
    ),
  )
  const [early, late, item] = [value.keys[60]!, value.keys[640]!, value.items[60]!]
  expect(late.time).toBeGreaterThan(early.time)
  const times = { timestampFrom: early.time, timestampTo: late.time }
  // Not its block's hash: of what is not final the rows are looked for.
  const transaction = { hash: item.txHash, blocks: { [item.chainId]: { number: item.blockNumber, hash: item.txHash } } }
  for (const filter of [
    { wraps: true },
    times,
    { finalized: true },
    { ...times, finalized: true, blockNumberFrom: 5, blockNumberTo: 90 },
  ] as ReadonlyArray<TransferFilter>) {
    for (const direction of ["desc", "asc"] as const)
      await walk<FeedKey>(
        (page) => TransferStore.use((s) => s.list({ standard: "erc20", chains, filter, direction, page, count: true })),
        pages.few,
      )
  }
  const wrapped = await both(
    TransferStore.use((s) =>
      s.list({
        standard: "erc20",
        chains,
        filter: { wraps: true },
        direction: "desc",
        page: { limit: 700 },
        count: false,
      }),
    ),
  )
  expect(wrapped.value.items.some(({ wrap }) => wrap === "deposit")).toBe(true)
  const found = await both(
    TransferStore.use((s) =>
      s.list({
        standard: "erc20",
        chains,
        filter: { transaction },
        direction: "desc",
        page: { limit: 9 },
        count: true,
      }),
    ),
  )
  expect(found.value.items).toHaveLength(1)
  expect(await both(TransferStore.use((s) => s.wrapsFrom(chains)))).toBeDefined()
})

test("rows of several in one log, within times and behind a place inside a log", async () => {
  const list = (page: PageRequest<FeedKey>, filter: TransferFilter = {}, direction: "desc" | "asc" = "desc") =>
    TransferStore.use((s) => s.list({ standard: "erc1155", chains, filter, direction, page, count: true }))
  const { value } = await both(list({ limit: 300 }, {}, "asc"))
  const [early, late] = [value.keys[40]!, value.keys.at(-20)!]
  for (const direction of ["desc", "asc"] as const)
    await walk<FeedKey>((page) => list(page, { timestampFrom: early.time, timestampTo: late.time }, direction))
})

test("an account that was seen on some of the chains, on none, and the one that was seen on all", async () => {
  const list = (filter: TransferFilter, page: PageRequest<FeedKey>, direction: "desc" | "asc" = "desc") =>
    TransferStore.use((s) => s.list({ standard: "erc20", chains, filter, direction, page, count: true }))
  const known = seldomAddress
  const { value } = await both(list({ address: [known] }, { limit: 50 }))
  expect([...new Set(value.items.map(({ chainId }) => chainId))].sort()).toEqual(
    ["33", "66"].map(Number).map(chainIdOfNumber),
  )
  expect(value.count?.count).toBe(value.items.length)
  for (const direction of ["desc", "asc"] as const)
    for (const filter of [{ address: [known] }, { from: [known] }, { to: [known, zeroAddress] }])
      await both(list(filter, { limit: 2, after: value.keys[3]! }, direction))
  const nobody = addressOfHex(`0x${"9".repeat(40)}`)
  const { asOf, value: none } = await both(list({ address: [nobody] }, { limit: 5 }))
  expect(asOf).toHaveLength(chains.length)
  expect(none).toEqual({ items: [], keys: [], hasMore: false, count: { count: 0, countType: "exact" } })
})

test("an account's rows over more chains than a function of the server takes values", async () => {
  const many = Array.from({ length: 101 }, (_, place) => chains[place % chains.length]!)
  const list = TransferStore.use((s) =>
    s.list({
      standard: "erc20",
      chains: many,
      filter: { to: [zeroAddress] },
      direction: "desc",
      page: { limit: 5 },
      count: true,
    }),
  )
  const { asOf, value } = await runtimes.together.runPromise(list)
  expect(value.items).toEqual([])
  expect(asOf).toHaveLength(many.length)
})

test("swaps, within blocks and times too", async () => {
  const { value } = await both(
    SwapStore.use((s) => s.list({ chains, filter: {}, direction: "asc", page: { limit: 100 }, count: false })),
  )
  for (const filter of [
    {},
    { timestampFrom: value.keys[20]!.time, timestampTo: value.keys.at(-1)!.time, finalized: true },
    { blockNumberFrom: 3, blockNumberTo: 80 },
  ] as ReadonlyArray<SwapFilter>) {
    for (const direction of ["desc", "asc"] as const)
      await walk<FeedKey>(
        (page) => SwapStore.use((s) => s.list({ chains, filter, direction, page, count: true })),
        pages.few,
      )
  }
})

test("tokens, by each of their orders", async () => {
  for (const field of [...tokenSortFields, "marketCap" as const]) {
    for (const direction of ["desc", "asc"] as const) {
      const sort = { field, direction }
      await walk<TokenKey>(
        (page) => TokenStore.use((s) => s.list({ standard: "erc20", chains, sort, page, count: true })),
        pages.few,
      )
      if (direction === "desc")
        await walk<TokenKey>((page) => TrustedTokens.use((s) => s.list({ chains, sort, page, count: true })), pages.few)
    }
  }
})

test("some tokens alone", async () => {
  const sort = { field: "holdersCount", direction: "desc" } as const
  const { value } = await both(
    TokenStore.use((s) => s.list({ standard: "erc20", chains, sort, page: { limit: 100 }, count: true })),
  )
  const all = [...new Set(value.items.map(({ address }) => address))]
  expect(all.length).toBeGreaterThan(13)
  for (const addresses of [all, all.slice(0, 2), all.slice(2, 5), []]) {
    const tokens = (page: PageRequest<TokenKey>) =>
      TokenStore.use((s) => s.list({ standard: "erc20", chains, sort, page, count: true, addresses }))
    if (addresses === all) await walk(tokens)
    const found = await both(tokens({ limit: 50 }))
    expect(found.value.items.every(({ address }) => addresses.includes(address))).toBe(true)
    expect(found.value.items.length > 0).toBe(addresses.length > 0)
    await both(TrustedTokens.use((s) => s.list({ chains, sort, page: { limit: 5 }, count: true, addresses })))
  }
})

test("a search, its texts equal on several chains", async () => {
  for (const [typed, trusted] of [
    ["a", undefined],
    ["coin", undefined],
    ["coin", true],
    ["0", undefined],
    ["!!", undefined],
  ] as const) {
    const list = (page: PageRequest<SearchKey>) =>
      TokenStore.use((s) =>
        s.search({
          standard: "erc20",
          chains,
          text: searchTextOf(typed),
          ...(trusted && { trusted }),
          page,
          count: true,
        }),
      )
    const { value } = await both(list({ limit: 13 }))
    if (typed === "coin" && trusted) await walk(list, pages.few)
    if (typed === "coin") expect(value.hasMore).toBe(true)
  }
})

test("audits, what a chain counts, and the blocks that answers speak of", async () => {
  await walk<AuditKey>((page) => AuditStore.use((s) => s.list({ chains, page, count: true })))
  await walk<AuditKey>((page) => AuditStore.use((s) => s.list({ chains, state: "unverified", page, count: true })))
  expect(await both(LedgerCounts.use((s) => s.list(chains)))).toHaveLength(chains.length)
  expect(await both(Freshness.use((s) => s.asOf(chains)))).toHaveLength(chains.length)
})
