/** Healing in PostgreSQL: every table is what a naive fold of the whole chain gives, all of it or nothing, at the cost of what it touches. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { firstBlockOf } from "../../../src/adapters/postgres/ledger/heal/rows.ts"
import { sessionSettings } from "../../../src/adapters/postgres/ledger/wire/session.ts"
import { zeroAddress } from "../../../src/model/primitives.ts"
import type { MissingRows } from "../../../src/ports/Ledger.ts"
import { freshChainId } from "../../contracts/store.ts"
import { anyBlock, anyChain, anyChainSettings } from "../../support/chain/anyEvents.ts"
import { address, multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { contentOfTables, failureOf, findDisorder, type LedgerDatabase, openLedgers } from "./ledger.support.ts"
import { naiveContent } from "./naiveLedger.ts"

let ledgers: LedgerDatabase
const statements: Array<string> = []
beforeAll(async () => {
  ledgers = await openLedgers(18, undefined, (statement) => statements.push(statement))
})
afterAll(() => ledgers.close())

type Place = { readonly blockNumber: number; readonly logIndex: number }
const keyOf = ({ blockNumber, logIndex }: Place) => `${blockNumber} ${logIndex}`

const lostOf = (chain: TestChain, lost: ReadonlySet<string>): MissingRows => ({
  movements: chain.blocks.flatMap(({ movements }) => movements.filter((row) => lost.has(keyOf(row)))),
  nfts: chain.blocks.flatMap(({ nfts }) => nfts.filter((row) => lost.has(keyOf(row)))),
  odd: chain.blocks.flatMap(({ odd }) => odd.filter((log) => log.hasRows && lost.has(keyOf(log)))),
  headers: chain.blocks.map(({ header }) => header),
})
const givenOf = (chain: TestChain, from: number, lost: ReadonlySet<string>) => {
  const segment = chain.segment(from)
  const isGiven = (row: Place) => !lost.has(keyOf(row))
  const odd = segment.odd?.filter((log) => !log.hasRows || isGiven(log)) ?? []
  return { ...segment, movements: segment.movements.filter(isGiven), nfts: segment.nfts.filter(isGiven), odd }
}
const plain = async (chainId: Parameters<typeof contentOfTables>[1]) =>
  JSON.parse(JSON.stringify(await contentOfTables(ledgers.sql, chainId)))

/** Few ids of few people: the same one moves again and again. */
const person = fc.constantFrom(zeroAddress, address(1), address(2), address(3))
const id = fc.constantFrom(0n, 1n)
const denseEvent = fc.oneof(
  fc.tuple(person, person, id).map(([from, to, it]) => nftTransfer(address(0x75), from, to, it)),
  fc
    .tuple(person, person, id, fc.bigInt(0n, 4n))
    .map(([from, to, it, amount]) => multiTransfer(address(0x77), from, to, [[it, amount]])),
)
const denseBlock = fc.record({ events: fc.array(denseEvent, { minLength: 1, maxLength: 3 }), pause: fc.constant(12) })

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ append: fc.array(anyBlock, { minLength: 1, maxLength: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ append: fc.array(denseBlock, { minLength: 2, maxLength: 12 }) }) },
  { weight: 2, arbitrary: fc.record({ back: fc.nat(8) }) },
  { weight: 2, arbitrary: fc.record({ heal: fc.boolean() }) },
)
const limits = fc.constantFrom(
  {},
  { chunkSize: 3, cacheBytes: 1, maxTokens: 1, maxIds: 1, maxPools: 1 },
  { chunkSize: 2 },
)
const losses = fc.infiniteStream(fc.integer({ min: 0, max: 2 }).map((it) => it === 0))

test("among any appends and rollbacks every table is what a naive fold of the whole chain gives", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), limits, losses, async (steps, limited, isLost) => {
      const chain = anyChain(250)
      const settings = { chainId: freshChainId(), firstBlock: 250, ...anyChainSettings }
      const { writer, close } = await ledgers.open(settings, limited)
      const lost = new Set<string>()
      let salt = 0
      for (const next of [...steps, { append: [{ events: [], pause: 12 }] }, { heal: true }]) {
        const from = chain.nextBlock
        if ("append" in next) {
          for (const { events, pause } of next.append) {
            const time = (chain.blocks.at(-1)?.header.time ?? chain.genesisTime) + pause
            chain.block(events, { salt: String(salt), logIndex: salt, time })
            for (const log of chain.blocks.at(-1)!.logs) if (isLost.next().value) lost.add(keyOf(log))
          }
          await ledgers.run(writer.append(givenOf(chain, from, lost)))
        } else if ("back" in next) {
          const to = Math.max(250, from - next.back)
          await ledgers.run(writer.rollback(to))
          chain.truncate(to)
          for (const key of lost) if (Number(key.split(" ")[0]) >= to) lost.delete(key)
          salt++
        } else if (lost.size > 0) {
          const some = new Set([...lost].filter((_, place) => next.heal || place % 2 === 0))
          await ledgers.run(writer.heal(lostOf(chain, some)))
          for (const key of some) lost.delete(key)
        }
      }
      expect(await plain(settings.chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
      expect([...(await findDisorder(ledgers.sql, settings.chainId))]).toEqual([])
      await close()
    }),
    { numRuns: 15 },
  )
})

const [token, alice, bob] = [address(0x70), address(0xa), address(0xb)]

test("a failure at its very end leaves everything as it was, and it goes well when the ledger is opened again", async () => {
  const chainId = freshChainId()
  const chain = new TestChain()
    .block([transfer(token, zeroAddress, alice, 9n)])
    .block([transfer(token, alice, bob, 4n), transfer(token, alice, bob, 1n)])
  const lost = new Set(["0 0", "1 1"])
  const { writer, close } = await ledgers.open({ chainId })
  await ledgers.run(writer.append(givenOf(chain, 0, lost)))
  // The fence is looked at last of all.
  await ledgers.sql`update ${ledgers.sql(`cowry_${chainId}.state`)} set epoch = epoch + 1`
  const before = await plain(chainId)
  const { tag, problem } = await failureOf(writer.heal(lostOf(chain, lost)))
  expect([tag, problem]).toEqual(["LedgerUnavailable", expect.stringContaining("moved by another writer")])
  expect(await plain(chainId)).toEqual(before)
  await close()
  const again = await ledgers.open({ chainId })
  expect(await ledgers.run(again.writer.heal(lostOf(chain, lost)))).toBe(2)
  expect(await plain(chainId)).toEqual(naiveContent(chain, -1, 1))
  expect(await ledgers.run(again.writer.heal(lostOf(chain, lost)))).toBe(0)
  await again.close()
})

test("a block in which an id was taken from whom it was not does not touch him any more, unless another row does", async () => {
  const [carol, dave] = [address(0xc), address(0xd)]
  const art = address(0x71)
  const chain = new TestChain()
    .block([1n, 2n, 3n].map((id) => nftTransfer(art, zeroAddress, alice, id)))
    .block([nftTransfer(art, alice, bob, 1n)])
    // While block 1 is missing alice loses id 1 here.
    .block([nftTransfer(art, bob, carol, 1n)])
    .block([nftTransfer(art, carol, dave, 1n), nftTransfer(art, bob, dave, 2n)])
    .block([])
  const lost = new Set(["1 0"])
  const chainId = freshChainId()
  const { writer, close } = await ledgers.open({ chainId })
  await ledgers.run(writer.append(givenOf(chain, 0, lost)))
  await ledgers.run(writer.heal(lostOf(chain, lost)))
  expect(await plain(chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
  // Later blocks go out and others come: nothing may have stayed behind of what was not true.
  await ledgers.run(writer.rollback(2))
  chain
    .truncate(2)
    .block([nftTransfer(art, alice, bob, 3n)], { salt: "other" })
    .block([])
  await ledgers.run(writer.append(chain.segment(2)))
  expect(await plain(chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
  await close()
})

test("a block that no longer touches a pair is looked up among all versions, and nothing behind it goes by that", async () => {
  const art = address(0x71)
  const chain = new TestChain()
    .block([nftTransfer(art, zeroAddress, alice, 1n)])
    .block([nftTransfer(art, alice, bob, 1n)])
    .block([nftTransfer(art, bob, token, 1n)])
  const lost = new Set(["1 0"])
  const chainId = freshChainId()
  const { writer, close } = await ledgers.open({ chainId })
  await ledgers.run(writer.append(givenOf(chain, 0, lost)))
  statements.length = 0
  await ledgers.run(writer.heal(lostOf(chain, lost)))
  const made = statements.flatMap((it) => (/^\s*create .*pair_/.test(it) ? [it] : []))
  const indexed = statements.findIndex((it) => /create index \w+ on pair_version/.test(it))
  const dropped = statements.findIndex((it) => it.includes("drop index"))
  const [between, behind] = [statements.slice(indexed + 1, dropped), statements.slice(dropped + 1)]
  expect([indexed, dropped, between.length, behind.some((it) => it.includes("pair_version"))]).toEqual([
    expect.any(Number),
    expect.any(Number),
    2,
    true,
  ])
  const plans = await ledgers.sql.begin(async (sql) => {
    for (const [name, value] of Object.entries(sessionSettings)) await sql`select set_config(${name}, ${value}, true)`
    for (const statement of made) await sql.unsafe(statement)
    return await Promise.all(between.map((statement) => sql.unsafe(`explain (generic_plan) ${statement}`)))
  })
  for (const plan of plans) {
    const lines = plan.map((line) => String(line["QUERY PLAN"]))
    expect(lines.filter((line) => /Seq Scan|Join Filter/.test(line))).toEqual([])
    expect(lines.join("\n")).toContain("Index Cond: ((place = u.place) AND (block_number = u.block_number))")
  }
  await close()
})

test("what would change too many versions is refused, and the ledger goes on as if nothing had been", async () => {
  const other = address(0x72)
  const chain = new TestChain().block([
    transfer(other, zeroAddress, alice, 1n),
    transfer(token, zeroAddress, alice, 9n),
  ])
  for (let block = 0; block < 6; block++) chain.block([transfer(token, alice, bob, 1n)])
  const lost = new Set(["0 0", "0 1"])
  const chainId = freshChainId()
  const { writer, close } = await ledgers.open({ chainId }, { healedVersions: 4 })
  await ledgers.run(writer.append(givenOf(chain, 0, lost)))
  const before = await plain(chainId)
  expect(await failureOf(writer.heal(lostOf(chain, lost)))).toMatchObject({
    tag: "SegmentRefused",
    text: "healing would change more than 4 versions of balances: only a resync puts that right",
  })
  expect(await plain(chainId)).toEqual(before)
  // A token that only the refused rows had is none.
  chain.block([transfer(other, zeroAddress, bob, 2n)])
  await ledgers.run(writer.append(chain.segment(7)))
  await close()
  const again = await ledgers.open({ chainId })
  expect(await ledgers.run(again.writer.heal(lostOf(chain, lost)))).toBe(2)
  expect(await plain(chainId)).toEqual(naiveContent(chain, -1, 7))
  expect([...(await findDisorder(ledgers.sql, chainId))]).toEqual([])
  await again.close()
})

test("it costs what the touched balances have from there on: a token's other rows are nothing to it", async () => {
  const people = (number: number) => address(0x1000 + (number % 997))
  const chain = new TestChain()
    .block([transfer(token, zeroAddress, people(0), 10n ** 9n)])
    .block([transfer(token, alice, bob, 4n)])
  for (let block = 0; block < 40; block++) {
    const rows = Array.from({ length: 500 }, (_, log) => transfer(token, people(block + log), people(log * 7 + 1), 1n))
    chain.block(rows)
  }
  const lost = new Set(["1 0"])
  const chainId = freshChainId()
  const { writer, close } = await ledgers.open({ chainId })
  await ledgers.run(writer.append(givenOf(chain, 0, lost)))
  await ledgers.sql`analyze`
  const [{ now }] = await ledgers.sql<[{ now: string }]>`select pg_current_xact_id()::text as now`
  expect(await ledgers.run(writer.heal(lostOf(chain, lost)))).toBe(1)
  await close()
  const written = ["balance", "balance_history", "erc20_transfer"].map((table) => {
    const name = ledgers.sql(`cowry_${chainId}.${table}`)
    return ledgers.sql<
      [{ rows: number }]
    >`select count(*)::int4 as rows from ${name} where xmin::text::int8 > ${now}::int8`
  })
  // The row itself, and two new pairs.
  expect((await Promise.all(written)).map(([row]) => row.rows)).toEqual([2, 0, 1])
  expect(await plain(chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
})

test("of however many rows the first block is found", () => {
  const chain = new TestChain().block([transfer(token, alice, bob, 1n)]).block([nftTransfer(token, alice, bob, 1n)])
  const [{ movements }, { nfts }] = chain.blocks as [(typeof chain.blocks)[number], (typeof chain.blocks)[number]]
  // 20,000 logs of 5,000 ids each are what may be healed at once.
  const many = Array.from({ length: 1_000_000 }, () => nfts[0]!)
  expect(firstBlockOf({ movements: [], nfts: many })).toBe(1)
  expect(firstBlockOf({ movements, nfts: many })).toBe(0)
})
