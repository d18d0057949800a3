/** Feeds of the three standards beside each other in PostgreSQL: every filter, logs of many rows, walked whole both ways. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import type { PageRequest, Rows, Snapshot } from "../../../src/model/page.ts"
import { type Address, ChainId } from "../../../src/model/primitives.ts"
import { type Standard, standards } from "../../../src/model/token.ts"
import type { FeedKey, TransferFilter } from "../../../src/model/transfer.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { VERSIONS } from "../../support/postgres.ts"
import { type FeedChain, type FeedTraffic, feedTokens, ids, naiveFeed, randomFeeds, writeFeeds } from "./reads.feeds.ts"
import { accounts, openReads, type Reads } from "./reads.support.ts"
import { expectWalks } from "./reads.walk.ts"

const absentOr = <A>(values: fc.Arbitrary<A>) => fc.option(values, { nil: undefined })
const anyAccounts = absentOr(fc.uniqueArray(fc.constantFrom(...accounts), { minLength: 1, maxLength: 3 }))
const anyIds = absentOr(fc.array(fc.constantFrom(...ids.map(String), "12345"), { minLength: 1, maxLength: 4 }))
const filters: fc.Arbitrary<TransferFilter> = fc
  .record({
    tokenAddress: absentOr(fc.uniqueArray(fc.constantFrom<Address>(...feedTokens, accounts[1]!), { minLength: 1 })),
    tokenId: anyIds,
    from: anyAccounts,
    to: anyAccounts,
    address: anyAccounts,
    blockNumberFrom: absentOr(fc.constantFrom(0, 1, 40, 700, 2 ** 53 - 1)),
    blockNumberTo: absentOr(fc.constantFrom(0, 60, 2500, 2 ** 53 - 1)),
  })
  .map(({ tokenAddress, tokenId, ...rest }) => {
    const subject =
      tokenId === undefined ? { tokenAddress } : { tokenAddress: [tokenAddress?.[0] ?? feedTokens[1]!], tokenId }
    return Object.fromEntries(Object.entries({ ...subject, ...rest }).filter(([, value]) => value !== undefined))
  })

const [zero, first, second] = accounts as [Address, Address, Address]
const [token] = feedTokens as [Address]
const id = { tokenAddress: [token], tokenId: ["7", "1"] }
const mixes: ReadonlyArray<TransferFilter> = [
  {},
  id,
  { ...id, from: [zero] },
  { ...id, to: [zero] },
  { ...id, from: [zero], to: [zero, first] },
  { ...id, address: [first, second], blockNumberFrom: 5 },
  { from: [zero] },
  { to: [zero] },
  { address: [zero] },
  { from: [zero], to: [zero] },
  { from: [zero, first], to: [second, zero] },
  { from: [zero], to: [zero], tokenAddress: [token] },
  { from: [zero], address: [zero] },
  { from: [first], to: [second] },
  { address: [first] },
]

const traffics: ReadonlyArray<FeedTraffic> = [
  { logs: 40, logsOfBlock: 4, rowsOfLog: 12 },
  { logs: 500, logsOfBlock: 4, rowsOfLog: 6 },
  { logs: 300, logsOfBlock: 60, rowsOfLog: 40 },
]

for (const version of VERSIONS) {
  let reads: Reads
  const worlds: Array<{ readonly chains: ReadonlyArray<FeedChain>; readonly run: ReturnType<Reads["reads"]>["run"] }> =
    []

  beforeAll(async () => {
    reads = await openReads(version)
    for (const [index, traffic] of traffics.entries()) {
      const prefix = `feeds${index}`
      const chains = ["1", "10", "9"]
        .map((id) => ChainId.make(id))
        .map((chainId, at) => randomFeeds(chainId, index * 10 + at, traffic))
      for (const chain of chains) await writeFeeds(reads.sql, prefix, chain)
      worlds.push({ chains, run: reads.reads(prefix).run })
    }
  })
  afterAll(() => reads.close())

  const expectFeed = async (
    world: number,
    chainCount: number,
    standard: Standard,
    given: TransferFilter,
    direction: "asc" | "desc",
    limit: number,
  ): Promise<void> => {
    const { chains: all, run } = worlds[world]!
    const chains = all.slice(0, chainCount)
    const { tokenId: _, ...withoutIds } = given
    const filter = standard === "erc20" ? withoutIds : given
    const expected = naiveFeed(chains, standard, filter, direction)
    // At most some twelve pages: more of a long list would only repeat themselves.
    const step = Math.max(limit, Math.ceil(expected.items.length / 12))
    const chainIds = chains.map(({ chainId }) => chainId)
    const read =
      (count: boolean) =>
      (page: PageRequest<FeedKey>): Promise<Snapshot<Rows<object, FeedKey>>> =>
        run(TransferStore.use((store) => store.list({ standard, chains: chainIds, filter, direction, page, count })))
    await expectWalks(read(false), expected, step)
    const { value } = await read(true)({ limit: 1 })
    expect(value.count).toEqual({ count: expected.items.length, countType: "exact" })
  }

  test(`on PostgreSQL ${version}, the feed of any standard by any filter is the naive one, whole, both ways`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(traffics.length - 1),
        fc.constantFrom(1, 3),
        fc.constantFrom(...standards),
        filters,
        fc.constantFrom("asc" as const, "desc" as const),
        fc.constantFrom(1, 7, 100),
        expectFeed,
      ),
      { numRuns: version === 18 ? 30 : 12 },
    )
  })

  for (const standard of ["erc721", "erc1155"] as const) {
    test(`on PostgreSQL ${version}, so is that of ${standard} by the zero address, by ids, and by both`, async () => {
      for (const [index, filter] of mixes.entries()) {
        const direction = index % 2 === 0 ? ("desc" as const) : ("asc" as const)
        await expectFeed(index % traffics.length, 1 + 2 * (index % 2), standard, filter, direction, 7)
      }
    })
  }
}
