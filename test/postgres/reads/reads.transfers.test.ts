/** Transfer feeds in PostgreSQL: every filter, one chain and three, walked whole both ways against a naive reader. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import type { Movement, TransferMovement } from "../../../src/model/event.ts"
import { type Address, ChainId, compareChainIds, dateTimeOf } from "../../../src/model/primitives.ts"
import type { Erc20Transfer, FeedKey, TransferFilter } from "../../../src/model/transfer.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { VERSIONS } from "../../support/postgres.ts"
import {
  accounts,
  type ChainFacts,
  openReads,
  type Reads,
  randomChain,
  type Traffic,
  tokenAddresses,
  writeChain,
} from "./reads.support.ts"
import { expectWalks } from "./reads.walk.ts"

interface Row {
  readonly item: Erc20Transfer
  readonly key: FeedKey
}

const rowOf = ({ chainId, tokens }: ChainFacts, row: TransferMovement): Row => {
  const token = tokens.find(({ address }) => address === row.token)!
  const key = { time: row.time, chainId, blockNumber: row.blockNumber, logIndex: row.logIndex, sub: 0 }
  const item: Erc20Transfer = {
    chainId,
    blockNumber: row.blockNumber,
    txHash: row.txHash,
    logIndex: row.logIndex,
    from: row.from,
    to: row.to,
    createdAt: dateTimeOf(row.time),
    timestamp: dateTimeOf(row.time),
    amount: String(row.amount),
    tokenAddress: row.token,
    ...(token.name === undefined ? {} : { tokenName: token.name }),
    ...(token.symbol === undefined ? {} : { tokenSymbol: token.symbol }),
    ...(token.decimals === undefined ? {} : { tokenDecimals: token.decimals }),
  }
  return { item, key }
}

const passes = (row: Movement, filter: TransferFilter): row is TransferMovement =>
  row.kind === "transfer" &&
  (filter.tokenAddress === undefined || filter.tokenAddress.includes(row.token)) &&
  (filter.from === undefined || filter.from.includes(row.from)) &&
  (filter.to === undefined || filter.to.includes(row.to)) &&
  (filter.address === undefined || filter.address.includes(row.from) || filter.address.includes(row.to)) &&
  (filter.blockNumberFrom === undefined || row.blockNumber >= filter.blockNumberFrom) &&
  (filter.blockNumberTo === undefined || row.blockNumber <= filter.blockNumberTo)

const ascending = ({ key: a }: Row, { key: b }: Row): number =>
  a.time - b.time || compareChainIds(a.chainId, b.chainId) || a.blockNumber - b.blockNumber || a.logIndex - b.logIndex

const expectedRows = (chains: ReadonlyArray<ChainFacts>, filter: TransferFilter, direction: "asc" | "desc") => {
  const rows = chains
    .flatMap((chain) => chain.movements.filter((row) => passes(row, filter)).map((row) => rowOf(chain, row)))
    .sort(ascending)
  if (direction === "desc") rows.reverse()
  return { items: rows.map(({ item }) => item), keys: rows.map(({ key }) => key) }
}

const absentOr = <A>(values: fc.Arbitrary<A>) => fc.option(values, { nil: undefined })
const anyAccounts = absentOr(fc.uniqueArray(fc.constantFrom(...accounts), { minLength: 1, maxLength: 3 }))
const filters: fc.Arbitrary<TransferFilter> = fc
  .record({
    tokenAddress: absentOr(
      fc.uniqueArray(fc.constantFrom<Address>(...tokenAddresses.slice(0, 4), accounts[1]!), { minLength: 1 }),
    ),
    from: anyAccounts,
    to: anyAccounts,
    address: anyAccounts,
    blockNumberFrom: absentOr(fc.constantFrom(0, 1, 40, 700, 5000, 2 ** 31, 2 ** 53 - 1)),
    blockNumberTo: absentOr(fc.constantFrom(0, 60, 2500, 40_000, 2 ** 31 - 1, 2 ** 53 - 1)),
  })
  .map((filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)))

const [zero, first, , , , last] = accounts as [Address, Address, Address, Address, Address, Address]
/** Where the zero address, which is no account of most tokens, meets accounts that are. */
const mixes: ReadonlyArray<TransferFilter> = [
  { from: [zero, first] },
  { to: [zero, first] },
  { from: [zero, last], blockNumberTo: 2500 },
  { address: [zero] },
  { address: [zero, last], blockNumberFrom: 40 },
  { from: [zero], to: [zero] },
  { from: [zero, first], to: [zero, last] },
  { from: [zero], address: [zero, last] },
  { to: [zero], address: [first] },
  { from: [first], to: [first] },
  { from: [zero, first], tokenAddress: tokenAddresses.slice(0, 50) },
  { tokenAddress: tokenAddresses.slice(0, 50), blockNumberFrom: 1 },
]

/** Few rows, for walks of single rows; many in several batches; blocks that touch more pairs than a batch is wide. */
const traffics: ReadonlyArray<Traffic> = [
  { rows: 40, tokens: 4, logs: 4, shape: "even" },
  { rows: 700, tokens: 4, logs: 4, shape: "even" },
  { rows: 500, tokens: 4, logs: 3, shape: "oneSided" },
  { rows: 900, tokens: 60, logs: 150, shape: "even" },
]

for (const version of VERSIONS) {
  let reads: Reads
  const worlds: Array<{ readonly chains: ReadonlyArray<ChainFacts>; readonly run: ReturnType<Reads["reads"]>["run"] }> =
    []

  beforeAll(async () => {
    reads = await openReads(version)
    for (const [index, traffic] of traffics.entries()) {
      const prefix = `world${index}`
      const chains = ["1", "10", "9"]
        .map((id) => ChainId.make(id))
        .map((chainId, at) => randomChain(chainId, index * 10 + at, traffic))
      for (const chain of chains) await writeChain(reads.sql, prefix, chain)
      worlds.push({ chains, run: reads.reads(prefix).run })
    }
  })
  afterAll(() => reads.close())

  test(`on PostgreSQL ${version}, any filter's feed is the naive one, whole, both ways, at any limit`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(traffics.length - 1),
        fc.constantFrom(1, 3),
        fc.oneof({ weight: 3, arbitrary: filters }, { weight: 2, arbitrary: fc.constantFrom(...mixes) }),
        fc.constantFrom("asc" as const, "desc" as const),
        fc.constantFrom(1, 7, 100),
        async (world, chainCount, filter, direction, limit) => {
          const { chains: all, run } = worlds[world]!
          const chains = all.slice(0, chainCount)
          const expected = expectedRows(chains, filter, direction)
          // At most some twenty pages: more of a long list would only repeat themselves.
          const step = Math.max(limit, Math.ceil(expected.items.length / 20))
          const read = (count: boolean) => (page: { limit: number; after?: FeedKey; before?: FeedKey }) =>
            run(
              TransferStore.use((store) =>
                store.list({
                  standard: "erc20",
                  chains: chains.map(({ chainId }) => chainId),
                  filter,
                  direction,
                  page,
                  count,
                }),
              ),
            )
          await expectWalks(read(false), expected, step)
          const { value, asOf } = await read(true)({ limit: 1 })
          expect(value.count).toEqual({ count: expected.items.length, countType: "exact" })
          expect(asOf.map(({ chainId }) => chainId)).toEqual(chains.map(({ chainId }) => chainId))
        },
      ),
      { numRuns: version === 18 ? 30 : 12 },
    )
  }, 300_000)
}
