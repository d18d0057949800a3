/** Token lists, holders, balances and supply in PostgreSQL, walked whole both ways against a naive reader. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { HolderKey } from "../../../src/model/holder.ts"
import type { PageRequest } from "../../../src/model/page.ts"
import { type Address, ChainId, compareChainIds, dateTimeOf } from "../../../src/model/primitives.ts"
import { type Erc20Token, type TokenKey, type TokenSortField, tokenSortFields } from "../../../src/model/token.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { HolderStore } from "../../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { address } from "../../support/chain/testChain.ts"
import { VERSIONS } from "../../support/postgres.ts"
import {
  accounts,
  type ChainFacts,
  countsOf,
  holdersOf,
  openReads,
  type Reads,
  randomChain,
  supplyOf,
  type TokenFacts,
  type Traffic,
  tokenAddresses,
  writeChain,
} from "./reads.support.ts"
import { expectWalks } from "./reads.walk.ts"

const asOfOf = ({ chainId, head, finalizedBlock }: ChainFacts) => ({
  chainId,
  blockNumber: head.number,
  hash: head.hash,
  time: head.time,
  finality: head.number <= finalizedBlock ? ("finalized" as const) : ("latest" as const),
  nodeHead: head.number + 7,
  firstBlock: 0,
  revision: 9,
  figures: 9,
  rewrites: 9,
})

const recordOf = (chain: ChainFacts, token: TokenFacts): Erc20Token => {
  const pairs = chain.balances.get(token.address)
  const supply = supplyOf(pairs)
  return {
    chainId: chain.chainId,
    address: token.address,
    ...(token.name === undefined ? {} : { name: token.name }),
    ...(token.symbol === undefined ? {} : { symbol: token.symbol }),
    ...(token.decimals === undefined ? {} : { decimals: token.decimals }),
    totalSupply: String(supply < 0n ? 0n : supply),
    ...(token.createdTime === undefined
      ? {}
      : { createOperation: { timestamp: dateTimeOf(token.createdTime), txHash: token.createdTx! } }),
    transfers: countsOf(chain, token.address),
    holdersCount: holdersOf(pairs).length,
  }
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const expectedTokens = (chains: ReadonlyArray<ChainFacts>, field: TokenSortField, direction: "asc" | "desc") => {
  const rows = chains.flatMap((chain) =>
    chain.tokens.map((token) => {
      const item = recordOf(chain, token)
      const value = {
        createdAt: token.createdTime ?? token.firstTime,
        holdersCount: item.holdersCount!,
        transfers: item.transfers!.last24h!,
        name: token.name ?? null,
      }[field]
      const key: TokenKey = { value, chainId: chain.chainId, address: token.address }
      return { item, key }
    }),
  )
  const compareValues = (a: TokenKey["value"], b: TokenKey["value"]): number =>
    typeof a === "string" && typeof b === "string" ? byBytes(a, b) : Number(a) - Number(b)
  rows.sort(({ key: a }, { key: b }) => {
    if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1
    const descending =
      compareValues(b.value, a.value) || compareChainIds(a.chainId, b.chainId) || byBytes(a.address, b.address)
    return direction === "desc" ? descending : -descending
  })
  return { items: rows.map(({ item }) => item), keys: rows.map(({ key }) => key) }
}

const expectedHolders = (chain: ChainFacts, token: Address) => {
  const keys: Array<HolderKey> = [...holdersOf(chain.balances.get(token))]
    .sort((a, b) => (a.balance === b.balance ? byBytes(a.address, b.address) : a.balance < b.balance ? 1 : -1))
    .map((row) => ({ balance: String(row.balance), address: row.address }))
  return { items: keys.map((key) => ({ chainId: chain.chainId, address: key.address, balance: key.balance })), keys }
}

for (const version of VERSIONS) {
  let reads: Reads
  let run: ReturnType<Reads["reads"]>["run"]
  const traffic: Traffic = { rows: 300, tokens: 4, logs: 4, shape: "even" }
  const chains: ReadonlyArray<ChainFacts> = ["1", "10", "9"]
    .map((id) => ChainId.make(id))
    .map((id, seed) => randomChain(id, 40 + seed, traffic))
  const chainIds = chains.map(({ chainId }) => chainId)

  beforeAll(async () => {
    reads = await openReads(version)
    for (const chain of chains) await writeChain(reads.sql, "lists", chain)
    run = reads.reads("lists").run
  })
  afterAll(() => reads.close())

  test(`on PostgreSQL ${version}, tokens come in every sort order, both ways, with absent names last`, async () => {
    for (const field of tokenSortFields) {
      for (const direction of ["asc", "desc"] as const) {
        for (const some of [chains, chains.slice(0, 1)]) {
          const expected = expectedTokens(some, field, direction)
          const read = (page: PageRequest<TokenKey>) =>
            run(
              TokenStore.use((store) =>
                store.list({
                  standard: "erc20",
                  chains: some.map((it) => it.chainId),
                  sort: { field, direction },
                  page,
                  count: true,
                }),
              ),
            )
          for (const limit of [2, 100]) await expectWalks(read, expected, limit)
          const { value, asOf } = await read({ limit: 1 })
          expect(value.count).toEqual({ count: expected.items.length, countType: "exact" })
          expect(asOf).toEqual(some.map(asOfOf))
        }
      }
    }
  })

  test(`on PostgreSQL ${version}, a token key that names no row any more still has its place in the order`, async () => {
    const all = expectedTokens(chains, "holdersCount", "desc")
    const key: TokenKey = { value: 3, chainId: ChainId.make("9"), address: tokenAddresses[1]! }
    const { value } = await run(
      TokenStore.use((store) =>
        store.list({
          standard: "erc20",
          chains: chainIds,
          sort: { field: "holdersCount", direction: "desc" },
          page: { limit: 100, after: key },
          count: false,
        }),
      ),
    )
    const behind = all.keys.filter(
      ({ value, chainId, address }) =>
        Number(value) < 3 || (value === 3 && (Number(chainId) > 9 || (chainId === "9" && address > key.address))),
    )
    expect(value.keys).toEqual(behind)
    expect(Object.keys(value)).toEqual(["items", "keys", "hasMore"])
  })

  test(`on PostgreSQL ${version}, a token is found by its address, and an unknown one is not`, async () => {
    for (const chain of chains) {
      for (const token of chain.tokens) {
        const record = recordOf(chain, token)
        expect(await run(TokenStore.use((store) => store.find(chain.chainId, token.address)))).toEqual({
          asOf: [asOfOf(chain)],
          value: [{ standard: "erc20", record, supply: record.totalSupply!, isDescribed: false }],
        })
      }
      expect(await run(TokenStore.use((store) => store.find(chain.chainId, address(7))))).toEqual({
        asOf: [asOfOf(chain)],
        value: [],
      })
    }
  })

  test(`on PostgreSQL ${version}, holders come by balance, then address, without reserved accounts`, async () => {
    for (const chain of chains) {
      for (const token of [...tokenAddresses.slice(0, 4), address(7)]) {
        const expected = expectedHolders(chain, token)
        const read = (page: PageRequest<HolderKey>) =>
          run(HolderStore.use((store) => store.list("erc20", { chainId: chain.chainId, token, page, count: true })))
        // The rows are their own keys: what a cursor takes of one is told here.
        const keyed = async (page: PageRequest<HolderKey>) => {
          const { asOf, value } = await read(page)
          return { asOf, value: { ...value, keys: value.keys.map(({ address, balance }) => ({ address, balance })) } }
        }
        for (const limit of [2, 100]) await expectWalks(keyed, expected, limit)
        const { value, asOf } = await read({ limit: 3 })
        const known = chain.tokens.some((it) => it.address === token)
        expect({ asOf, supply: value.supply, count: value.count }).toEqual({
          asOf: [asOfOf(chain)],
          supply: known ? String(supplyOf(chain.balances.get(token))) : undefined,
          count: { count: expected.items.length, countType: "exact" },
        })
        for (const window of [
          { page: 1, offset: 10_000 },
          { page: 2, offset: 2 },
        ]) {
          expect(await run(HolderStore.use((store) => store.listWindow(chain.chainId, token, window)))).toEqual({
            asOf: [asOfOf(chain)],
            value: expected.items.slice((window.page - 1) * window.offset, window.page * window.offset),
          })
        }
        expect(await run(HolderStore.use((store) => store.count(chain.chainId, token)))).toEqual({
          asOf: [asOfOf(chain)],
          value: expected.items.length,
        })
      }
    }
  })

  test(`on PostgreSQL ${version}, balances and supply are right at every touched block and beside it`, async () => {
    const chain = chains[0]!
    const blocks = [...new Set(chain.movements.map((row) => row.blockNumber))]
    const touched = [...blocks.slice(0, 15), ...blocks.slice(-15)]
    const asked = [...touched.flatMap((block) => [block, block + 1]), 0, 2 ** 31, 2 ** 53 - 1, undefined]
    for (const token of [tokenAddresses[0]!, tokenAddresses[2]!, address(7)]) {
      const pairs = chain.balances.get(token)
      for (const block of asked) {
        const supply = await run(SupplyStore.use((store) => store.find(chain.chainId, token, block)))
        expect(supply).toEqual({ asOf: [asOfOf(chain)], value: String(supplyOf(pairs, block)) })
        for (const holder of [...accounts.slice(0, 3), address(8)]) {
          const balance = await run(HolderStore.use((store) => store.findBalance(chain.chainId, token, holder, block)))
          const version = pairs?.get(holder)?.findLast((it) => it.block <= (block ?? Infinity))
          expect(balance).toEqual({ asOf: [asOfOf(chain)], value: String(version?.balance ?? 0n) })
        }
      }
    }
  })

  test(`on PostgreSQL ${version}, an address's holdings come by contract address, in windows`, async () => {
    for (const chain of chains) {
      for (const holder of [...accounts, address(8)]) {
        const held = chain.tokens.flatMap(({ address, name, symbol, decimals }) => {
          const balance = chain.balances.get(address)?.get(holder)?.at(-1)?.balance ?? 0n
          if (balance <= 0n) return []
          return [
            {
              tokenAddress: address,
              ...(name === undefined ? {} : { name }),
              ...(symbol === undefined ? {} : { symbol }),
              ...(decimals === undefined ? {} : { decimals }),
              balance: String(balance),
            },
          ]
        })
        for (const window of [
          { page: 1, offset: 100 },
          { page: 2, offset: 1 },
        ]) {
          expect(
            await run(
              HolderStore.use((store) => store.listHoldings("erc20", { chainId: chain.chainId, holder, window })),
            ),
          ).toEqual({
            asOf: [asOfOf(chain)],
            value: held.slice((window.page - 1) * window.offset, window.page * window.offset),
          })
        }
      }
    }
  })

  test(`on PostgreSQL ${version}, a chain that was never opened, or holds no block, is left out and has no rows`, async () => {
    await writeChain(reads.sql, "lists", {
      ...chains[0]!,
      chainId: ChainId.make("77"),
      movements: [],
      tokens: [],
      balances: new Map(),
    })
    await reads.sql`update lists_77.state set head_hash = null, head_parent = null, head_time = null, next_block = 0`
    const [chain] = chains
    const some = ["1", "5", "77"].map((id) => ChainId.make(id))
    expect(await run(Freshness.use((it) => it.asOf(some)))).toEqual([asOfOf(chain!)])
    const feed = await run(
      TransferStore.use((store) =>
        store.list({ standard: "erc20", chains: some, filter: {}, direction: "desc", page: { limit: 5 }, count: true }),
      ),
    )
    expect([feed.asOf, feed.value.items.length, feed.value.count?.count]).toEqual([
      [asOfOf(chain!)],
      5,
      chain!.movements.filter(({ kind }) => kind === "transfer").length,
    ])
    const none = { asOf: [], value: { items: [], keys: [], hasMore: false, count: { count: 0, countType: "exact" } } }
    for (const missing of [[ChainId.make("5")], [ChainId.make("77")], ["5", "77"].map((id) => ChainId.make(id)), []]) {
      for (const filter of [{}, { from: [accounts[1]!] }, { tokenAddress: [tokenAddresses[0]!] }]) {
        expect<unknown>(
          await run(
            TransferStore.use((store) =>
              store.list({
                standard: "erc20",
                chains: missing,
                filter,
                direction: "asc",
                page: { limit: 5 },
                count: true,
              }),
            ),
          ),
        ).toEqual(none)
      }
      expect<unknown>(
        await run(
          TokenStore.use((store) =>
            store.list({
              standard: "erc20",
              chains: missing,
              sort: { field: "name", direction: "desc" },
              page: { limit: 5 },
              count: true,
            }),
          ),
        ),
      ).toEqual(none)
    }
    for (const chainId of ["5", "77"].map((id) => ChainId.make(id))) {
      const token = tokenAddresses[0]!
      expect(await run(TokenStore.use((it) => it.find(chainId, token)))).toEqual({ asOf: [], value: [] })
      expect(await run(SupplyStore.use((it) => it.find(chainId, token, 3)))).toEqual({
        asOf: [],
        value: "0",
      })
      expect(await run(HolderStore.use((it) => it.findBalance(chainId, token, accounts[1]!)))).toEqual({
        asOf: [],
        value: "0",
      })
      expect(await run(HolderStore.use((it) => it.count(chainId, token)))).toEqual({ asOf: [], value: 0 })
      expect(
        await run(
          HolderStore.use((it) => it.listHoldings("erc20", { chainId, holder: token, window: { page: 1, offset: 9 } })),
        ),
      ).toEqual({
        asOf: [],
        value: [],
      })
      expect<unknown>(
        await run(HolderStore.use((it) => it.list("erc20", { chainId, token, page: { limit: 9 }, count: true }))),
      ).toEqual(none)
    }
  })
}
