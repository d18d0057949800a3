/** What can go wrong while an append is open: lost connections, deadlines, a full cache, another writer. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import type { WriterLimits } from "../../../src/adapters/postgres/ledger/writerState.ts"
import { type ChainId, zeroAddress } from "../../../src/model/primitives.ts"
import { freshChainId } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { contentOfTables, failureOf, findDisorder, type LedgerDatabase, openLedgers } from "./ledger.support.ts"
import { naiveContent } from "./naiveLedger.ts"

let ledgers: LedgerDatabase
beforeAll(async () => {
  ledgers = await openLedgers()
})
afterAll(() => ledgers.close())

/** Blocks in which the same few people meet again and again, in three tokens, and a token is born every ten blocks. */
const meetings = (blocks: number) => {
  const chain = new TestChain()
  const person = (number: number) => (number % 11 === 0 ? zeroAddress : address(0xa0 + (number % 40)))
  for (let block = 0; block < blocks; block++) {
    chain.block([
      transfer(address(0x90 + Math.floor(block / 10)), zeroAddress, person(block), 1n),
      ...Array.from({ length: 8 }, (_, at) =>
        transfer(address(0x70 + (at % 3)), person(block * 7 + at * 13), person(block * 3 + at * 5), BigInt(at) ** 60n),
      ),
    ])
  }
  return chain
}
const rows = async (chainId: ChainId) => JSON.parse(JSON.stringify(await contentOfTables(ledgers.sql, chainId)))
const expectContent = async (chainId: ChainId, chain: TestChain) => {
  expect(await rows(chainId)).toEqual(naiveContent(chain, -1, chain.nextBlock - 1))
  expect([...(await findDisorder(ledgers.sql, chainId))]).toEqual([])
}
/** A chain with ten blocks stored and twenty more in an open append. */
const begin = async (limits: Partial<WriterLimits> = {}) => {
  const chainId = freshChainId()
  const chain = meetings(40)
  const opened = await ledgers.open({ chainId }, limits)
  const { writer } = opened
  await ledgers.run(writer.append(chain.segment(0, 9)))
  const before = await rows(chainId)
  await ledgers.run(writer.extend(chain.segment(10, 19)))
  await ledgers.run(writer.extend(chain.segment(20, 29)))
  return { chainId, chain, ...opened, before }
}
/** Processes that hold the chain's lock inside a transaction: the writer with an open append. */
const openTransactions = (chainId: string) => ledgers.sql<Array<{ pid: number }>>`
  select l.pid from pg_locks l join pg_database d on d.oid = l.database join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and d.datname = current_database() and l.granted and a.xact_start is not null
    and (l.classid::int8 << 32 | l.objid::int8) = hashtextextended(${`cowry_${chainId}`}, 0)`

for (const next of ["extend", "commit"] as const) {
  test(`whose connection dies before the ${next} leaves nothing; the ledger opened again goes on`, async () => {
    const { chainId, chain, writer, before } = await begin()
    const [open] = await openTransactions(chainId)
    await ledgers.sql`select pg_terminate_backend(${open!.pid}::int4)`
    // The rows of an extend are still on their way when it answers: the commit tells at the latest.
    const { commit } = writer
    const failure = await failureOf(
      next === "commit" ? commit : Effect.andThen(writer.extend(chain.segment(30)), commit),
    )
    expect(failure.tag).toBe("LedgerUnavailable")
    for (const call of [writer.checkpoint, writer.commit, writer.discard, writer.append(chain.segment(10))]) {
      expect((await failureOf(call)).tag).toBe("LedgerUnavailable")
    }
    expect(await rows(chainId)).toEqual(before)
    const again = await ledgers.open({ chainId })
    expect((await ledgers.run(again.writer.checkpoint)).nextBlock).toBe(10)
    await ledgers.run(again.writer.extend(chain.segment(10, 24)))
    await ledgers.run(again.writer.extend(chain.segment(25)))
    await ledgers.run(again.writer.commit)
    await expectContent(chainId, chain)
    await again.close()
  })
}

/** Far above what the calls of `begin` take on a busy machine, each of which has the deadline too. */
const deadlineMs = 5000

test.concurrent("is given up with its session when it stays open beyond the deadline", async () => {
  const { chainId, chain, writer, before } = await begin({ deadlineMs })
  while ((await openTransactions(chainId)).length > 0) await ledgers.sql`select pg_sleep(0.02)`
  const { tag, text, isLate } = await failureOf(writer.commit)
  expect([tag, text, isLate]).toEqual(["LedgerUnavailable", `given up after ${deadlineMs} ms`, true])
  expect(await rows(chainId)).toEqual(before)
  const again = await ledgers.open({ chainId })
  await ledgers.run(again.writer.append(chain.segment(10)))
  await expectContent(chainId, chain)
  await again.close()
})

test.concurrent("that was committed or discarded has no deadline any more", async () => {
  const ended = async (end: "commit" | "discard") => {
    const { chainId, chain, writer, close } = await begin({ deadlineMs })
    await ledgers.run(writer[end])
    await Bun.sleep(deadlineMs + 100)
    await ledgers.run(writer.append(chain.segment((await ledgers.run(writer.checkpoint)).nextBlock)))
    await expectContent(chainId, chain)
    await close()
  }
  await Promise.all([ended("commit"), ended("discard")])
})

test("of a writer that is closed leaves no transaction behind, and the next writer has the lock at once", async () => {
  const { chainId, chain, close, before } = await begin()
  await close()
  const again = await ledgers.open({ chainId })
  expect(await openTransactions(chainId)).toHaveLength(0)
  expect(await rows(chainId)).toEqual(before)
  await ledgers.run(again.writer.append(chain.segment(10)))
  await expectContent(chainId, chain)
  await again.close()
})

test("on a ledger that somebody else moved is refused by the fence, whole", async () => {
  const { chainId, writer, close } = await begin()
  await ledgers.sql`update ${ledgers.sql(`cowry_${chainId}.state`)} set epoch = epoch + 1`
  const before = await rows(chainId)
  const { tag, text } = await failureOf(writer.commit)
  expect(tag).toBe("LedgerUnavailable")
  expect(text).toContain("another writer")
  expect(await rows(chainId)).toEqual(before)
  await close()
})

test("says when its memory is used up, and loses nothing where nobody listens", async () => {
  for (const [limits, full] of [
    [{}, false],
    [{ cacheBytes: 1 }, true],
    [{ maxTokens: 2, chunkSize: 7 }, true],
  ] as const) {
    const chainId = freshChainId()
    const chain = meetings(40)
    const { writer, close } = await ledgers.open({ chainId }, limits)
    for (let block = 0; block < 40; block += 5) {
      const extended = await ledgers.run(writer.extend(chain.segment(block, block + 4)))
      expect(extended.full).toBe(full)
      if (block === 20) await ledgers.run(writer.commit)
    }
    await ledgers.run(writer.commit)
    await expectContent(chainId, chain)
    await close()
  }
})

test("lets readers and descriptions go on beside it", async () => {
  const { chainId, chain, writer, before, close } = await begin()
  const [waiting] = await ledgers.run(writer.listUndescribedTokens(1))
  await ledgers.run(writer.describeTokens([{ token: waiting!, description: { name: "Gold" } }]))
  expect(await rows(chainId)).toEqual(before)
  await ledgers.run(writer.extend(chain.segment(30)))
  await ledgers.run(writer.commit)
  const token = ledgers.sql(`cowry_${chainId}.token`)
  expect([...(await ledgers.sql`select name from ${token} where described`)]).toEqual([{ name: "Gold" }])
  await expectContent(chainId, chain)
  await close()
})

test("is the same whether a segment goes in at once or in turns, its look-ups beside its rows or between them", async () => {
  for (const limits of [{}, { rowsAtOnce: 0 }, { rowsAtOnce: 8 }]) {
    const chainId = freshChainId()
    const chain = meetings(60)
    const { writer, close } = await ledgers.open({ chainId }, limits)
    // Long ones get a connection for their look-ups, which the short ones behind them use too.
    for (const [from, to] of [
      [0, 1],
      [2, 2],
      [3, 20],
      [21, 21],
      [22, 22],
      [23, 40],
      [41, 41],
      [42, 59],
    ] as const)
      await ledgers.run(writer.append(chain.segment(from, to)))
    await expectContent(chainId, chain)
    await close()
  }
})

test("tables for changed rows are made by the append that needs them, and gone with its end: none grows old with the session", async () => {
  const chainId = freshChainId()
  const chain = meetings(40)
  /** Those of a session that ended go a moment later. */
  const expectTemporary = async (wanted: ReadonlyArray<string>) => {
    const look = () => ledgers.sql<Array<{ relname: string }>>`
      select relname from pg_class where relpersistence = 't' and relkind = 'r' order by 1`
    const found = async () => (await look()).map(({ relname }) => relname)
    for (const until = Date.now() + 60_000; `${await found()}` !== `${wanted}` && Date.now() < until; ) await pause(20)
    expect(await found()).toEqual([...wanted])
  }
  const near = await ledgers.open({ chainId })
  await ledgers.run(near.writer.append(chain.segment(0, 4)))
  await ledgers.run(near.writer.append(chain.segment(5, 9)))
  await expectTemporary([])
  await near.close()
  const { writer, close } = await ledgers.open({ chainId }, { rowsAtOnce: 0 })
  await ledgers.run(writer.extend(chain.segment(10, 19)))
  await ledgers.run(writer.discard)
  for (const [from, to] of [
    [10, 19],
    [20, 29],
  ] as const) {
    await ledgers.run(writer.extend(chain.segment(from, to)))
    await ledgers.run(writer.commit)
    await expectTemporary([])
  }
  await ledgers.run(writer.append(chain.segment(30)))
  await expectContent(chainId, chain)
  await close()
})
