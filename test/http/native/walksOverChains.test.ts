/** Walks over several chains: no page is of an older ledger than the one before on any chain, and reorgs of two of them lose and double nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Layer } from "effect"
import { pointsPart, readPointsPart } from "../../../src/adapters/http/newEnough/walkPoints.ts"
import type { AsOf } from "../../../src/model/block.ts"
import { chainIdOf } from "../../../src/model/primitives.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { type ReadServer, ReadServers } from "../../../src/ports/ReadServers.ts"
import { TestChain, transfer } from "../../support/chain/testChain.ts"
import { chains, prefix, startService, type TestService } from "../support.ts"
import { ann, gold, zero } from "../world.ts"

const mainnet = chains.filter(({ network }) => network === "mainnet").map(({ chainId }) => chainId)
const [one, other] = [String(mainnet[0]), String(mainnet[1])]
const path = `${prefix("all")}/erc20-transfers?sort=desc&limit=2`
const standby: ReadServer = {
  label: "standby",
  isPrimary: false,
  isStandby: true,
  takesWrites: false,
  isReached: true,
  isUsed: true,
}
const start = 1_700_000_000

/** A block every twelve seconds from `from` on, a transfer in each. */
const grow = (chain: TestChain, blocks: number, from: number, salt = ""): TestChain => {
  for (let more = 0; more < blocks; more++) {
    const number = chain.nextBlock
    chain.block([transfer(gold, zero, ann, BigInt(number + 1 + salt.length * 100))], {
      time: start + from + 12 * number,
      salt,
    })
  }
  return chain
}

test("a point of each chain, in few characters", () => {
  const asOf = Array.from({ length: 100 }, (_, place) => ({
    chainId: chainIdOf(String(1 + place * 4_321))!,
    blockNumber: 20_000_000 + place,
  })) as unknown as ReadonlyArray<AsOf>
  const part = pointsPart(asOf)!
  expect(part.length).toBeLessThan(900)
  expect(readPointsPart(part)).toEqual(new Map(asOf.map((it) => [it.chainId, it.blockNumber])))
  expect(pointsPart(asOf.slice(0, 1))).toBeUndefined()
  for (const altered of ["@", "@!", part.slice(0, -2), `${part}A`, `@${"_".repeat(40)}`]) {
    const read = readPointsPart(altered)
    expect(read === undefined || read.size < 100 || altered === part).toBe(true)
  }
})

test("a server that is behind on another chain than the last row's is waited for, and refused", async () => {
  const primary = await startService()
  const servers = Layer.succeed(ReadServers, { ...(await primary.run(ReadServers)), list: () => [standby] })
  const replica = await startService({ replace: servers as Layer.Layer<never> })
  const [fast, slow] = [grow(new TestChain(), 10, 0), grow(new TestChain(), 10, -5)]
  const store = async (service: TestService, chainId: string, chain: TestChain, last: number) =>
    service.run((await service.open(chainId)).append(chain.segment(0, last, { finalizedBlock: 2 })))
  await store(primary, one, fast, 9)
  await store(primary, other, slow, 9)
  await store(replica, one, fast, 9)
  const writer = await replica.open(other)
  await replica.run(writer.append(slow.segment(0, 5, { finalizedBlock: 2 })))

  // The newest three rows: the first chain's, the other's, the first's again.
  const first = (await primary.get(path.replace("limit=2", "limit=3"))).body
  expect(first.items.map(({ chainId }: { chainId: string }) => chainId)).toEqual([one, other, one])
  const next = first.link.next
  const wanted = (await primary.get(next)).body.items
  const refused = await replica.get(next)
  expect([refused.status, refused.body.code]).toEqual([503, "BEHIND_MIN_BLOCK"])
  const waiting = replica.get(next)
  await Bun.sleep(10)
  await replica.run(writer.append(slow.segment(6, 9, { finalizedBlock: 2 })))
  expect((await waiting).body.items).toEqual(wanted)
  await Promise.all([primary.close(), replica.close()])
})

interface Row {
  readonly chainId: string
  readonly blockNumber: number
  readonly txHash: string
  readonly timestamp: string
}

let service: TestService
const ledgers = new Map<string, { readonly chain: TestChain; readonly writer: LedgerWriter }>()
beforeAll(async () => {
  service = await startService()
  for (const [chainId, from] of [
    [one, 0],
    [other, -5],
  ] as const) {
    const chain = grow(new TestChain(), 12, from)
    const writer = await service.open(chainId)
    await service.run(writer.append(chain.segment(0, 11, { finalizedBlock: 2 })))
    ledgers.set(chainId, { chain, writer })
  }
})
afterAll(() => service.close())

/** All rows of both chains as the blocks have them, newest first. */
const naive = (): ReadonlyArray<Row> =>
  [...ledgers]
    .flatMap(([chainId, { chain }]) =>
      chain.blocks.flatMap(({ header, logs }) =>
        logs.map(({ txHash }) => ({
          chainId,
          blockNumber: header.number,
          txHash,
          timestamp: new Date(header.time * 1000).toISOString(),
        })),
      ),
    )
    .sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp) || Number(b.chainId) - Number(a.chainId))
const nameOf = ({ chainId, blockNumber, txHash }: Row) => `${chainId} ${blockNumber} ${txHash}`

/** Of its own chain by its block, of another by its time. */
const isBehind = (row: Row, last: Row): boolean =>
  row.chainId === last.chainId
    ? row.blockNumber < last.blockNumber
    : Date.parse(row.timestamp) - Date.parse(last.timestamp) < Number(Number(row.chainId) < Number(last.chainId))

/** The newest blocks are replaced by others, and more come. */
const reorg = async (chainId: string, depth: number, salt: string): Promise<void> => {
  const { chain, writer } = ledgers.get(chainId)!
  const fork = chain.nextBlock - depth
  await service.run(writer.rollback(fork))
  chain.truncate(fork)
  grow(chain, depth + 1, chainId === one ? 0 : -5, salt)
  await service.run(writer.append(chain.segment(fork, chain.nextBlock - 1, { finalizedBlock: 2 })))
}

test("reorgs of two chains, above the walk's place and below it", async () => {
  const before = new Set(naive().map(nameOf))
  const stayed = () =>
    naive()
      .map(nameOf)
      .filter((name) => before.has(name))
  const seen: Array<string> = []
  let last: Row | undefined
  let next: string | undefined = path
  for (let page = 0; next !== undefined; page++) {
    const { status, body } = await service.get(next)
    expect(status).toBe(200)
    const items = body.items as ReadonlyArray<Row>
    // The rows behind the last one seen, as the chains have them now: its own may be another by now.
    const place = last
    const behind = naive().filter((row) => place === undefined || isBehind(row, place))
    expect(items.map(nameOf)).toEqual(behind.slice(0, 2).map(nameOf))
    last = items.at(-1)
    seen.push(...items.map(nameOf))
    next = body.link.next
    // Above, then down to rows that the walk has not met, on both chains between two pages.
    if (page === 1) for (const chainId of [one, other]) await reorg(chainId, 1, "a")
    if (page === 2) for (const chainId of [one, other]) await reorg(chainId, 6, "bb")
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(stayed().filter((name) => !seen.includes(name))).toEqual([])
  expect(stayed().length).toBeGreaterThan(8)
})
