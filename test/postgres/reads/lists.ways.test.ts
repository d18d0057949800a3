/** Lists over chains: one server asked at once, and as if each chain lay on another, give the same rows, keys, counts and blocks. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Effect, ManagedRuntime } from "effect"
import postgres from "postgres"
import { seedChains } from "../../../bench/across/seedChains.ts"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import type { PageRequest, Rows, Snapshot } from "../../../src/model/page.ts"
import { chainIdOfNumber } from "../../../src/model/primitives.ts"
import { type TokenKey, tokenSortFields } from "../../../src/model/token.ts"
import type { FeedKey } from "../../../src/model/transfer.ts"
import { type AuditKey, AuditStore } from "../../../src/ports/AuditStore.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { LedgerCounts } from "../../../src/ports/LedgerCounts.ts"
import { SwapStore } from "../../../src/ports/SwapStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { TrustedTokens } from "../../../src/ports/TrustedTokens.ts"
import { testDatabase } from "../../support/postgres.ts"

const numbers = [3, 20, 100, 7]
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

test("swaps", async () => {
  for (const direction of ["desc", "asc"] as const)
    await walk<FeedKey>((page) => SwapStore.use((s) => s.list({ chains, filter: {}, direction, page, count: true })))
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

test("audits, what a chain counts, and the blocks that answers speak of", async () => {
  await walk<AuditKey>((page) => AuditStore.use((s) => s.list({ chains, page, count: true })))
  await walk<AuditKey>((page) => AuditStore.use((s) => s.list({ chains, state: "unverified", page, count: true })))
  expect(await both(LedgerCounts.use((s) => s.list(chains)))).toHaveLength(chains.length)
  expect(await both(Freshness.use((s) => s.asOf(chains)))).toHaveLength(chains.length)
})
